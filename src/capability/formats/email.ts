import { defineFormat } from './format.js';

/** RFC 5321 4.5.3.1, in octets: a path has 256, two of them are its angle brackets. */
const LONGEST = 254;
const LOCAL = 64;
const LABEL = 63;

/** RFC 5322 3.2.3 and RFC 6531 3.3: letters beyond ASCII may stand wherever an ASCII one may. */
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+";
const DOT_ATOM = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, 'u');
const QUOTED = /^"(?:[ !#-[\]-~\u0080-\u{10ffff}]|\\[ -~])*"$/u;
const SUBDOMAIN =
  /^[A-Za-z0-9\u0080-\u{10ffff}](?:[A-Za-z0-9\u0080-\u{10ffff}-]*[A-Za-z0-9\u0080-\u{10ffff}])?$/u;
const LITERAL = /^\[[!-Z^-~]+\]$/;

/** Controls and separators beyond ASCII: no address has one. */
const UNSEEN = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]/u;

function isEmail(text: string): boolean {
  // Each code unit is an octet or more.
  if (text.length > LONGEST || octetsOf(text) > LONGEST) return false;
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (octetsOf(local) > LOCAL || UNSEEN.test(text.replaceAll(' ', ''))) return false;
  return (DOT_ATOM.test(local) || QUOTED.test(local)) && isDomain(domain);
}

function isDomain(text: string): boolean {
  if (LITERAL.test(text)) return true;
  return text.split('.').every((label) => SUBDOMAIN.test(label) && octetsOf(label) <= LABEL);
}

function octetsOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Returns an address whose domain has no capital ASCII letter: a domain has no letter case. */
function canonicalEmail(text: string): string {
  const at = text.lastIndexOf('@');
  return text.slice(0, at) + text.slice(at).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The addr-spec of RFC 5322 without comments and folding, as RFC 5321 and RFC 6531 send it. */
export const email = defineFormat({
  kind: 'string',
  notation: 'EmailAddress',
  description:
    `an e-mail address (RFC 5321, RFC 6531), at most ${LONGEST} octets. Its domain alone is ` +
    'stored in lower case.',
  otherNames: ['e-mail', 'mail', 'idn-email', 'addr-spec', 'emailaddress'],
  message: 'must be an e-mail address, for instance ann@example.com',
  isLegal: isEmail,
  canonical: canonicalEmail,
  order: 'none',
  isSearched: true,
  length: LONGEST,
  present: null,
  legal: [
    ...(['ann@example.com', 'Ann.Lee+x@Example.COM'] as const),
    ...['"a b\\"c"@example.com', 'jörg@bücher.example', 'root@localhost', 'a@[192.0.2.1]'],
  ],
  illegal: [
    ...['', 'ann', '@example.com', 'ann@', 'a..b@example.com', '.a@example.com', 'a b@example.com'],
    ...['Ann <ann@example.com>', 'a@b@example.com', 'a@-b.example', 'a@example..com', 'a@b c'],
    ...[`${'a'.repeat(LOCAL + 1)}@example.com`, `a@${'b.'.repeat(130)}example`, 'a@b\u00a0c'],
  ],
  numbered: (n) => `n${n}@example.com`,
});
