/** Stands in a report for what lets its reader in. */
export const HIDDEN = '(hidden)';

/** Characters of a password at the least: a shorter one is part of any text. */
const LEAST = 4;

/** Characters of a credential at the most, in whatever way it is spelled. */
const LONGEST = 16_384;

/** A token as a parameter of a URL (RFC 6750 2.3). */
const PARAMETER = /(\baccess_token=)[^&\s"'<>\\#]+/g;

/** The credentials of a run, which no report may hold, in whatever way a server tells them. */
export class Secrets {
  readonly #patterns: readonly RegExp[];

  /** Takes the users' Authorization headers. */
  constructor(authorizations: readonly string[]) {
    const all = [...new Set(authorizations.flatMap(listSecrets))];
    // The longest first: a password is part of the pair.
    const longest = all.filter(({ length }) => length >= LEAST).sort((a, b) => b.length - a.length);
    this.#patterns = longest.map((one) => new RegExp([...one].map(writeSpellings).join(''), 'g'));
  }

  /** Returns a text without them. */
  hide(text: string): string {
    return this.#patterns
      .reduce((rest, pattern) => rest.replace(pattern, HIDDEN), text)
      .replace(PARAMETER, `$1${HIDDEN}`);
  }

  /**
   * Returns the first characters of a text without them. A secret that lies across the place where
   * the text is cut leaves no part of itself.
   */
  hideStart(text: string, length: number): string {
    const near = text.slice(0, length + LONGEST);
    const cutSecrets = this.#patterns
      .flatMap((pattern) => [...near.matchAll(pattern)])
      .filter(({ index, 0: { length: size } }) => index < length && index + size > length);
    return this.hide(text.slice(0, Math.min(length, ...cutSecrets.map(({ index }) => index))));
  }

  /** Returns a value whose texts are without them. Instances of classes stay as they are. */
  hideIn<T>(value: T): T {
    if (typeof value === 'string') return this.hide(value) as T;
    if (Array.isArray(value)) return value.map((one: unknown) => this.hideIn(one)) as T;
    if (value === null || typeof value !== 'object') return value;
    const prototype = Object.getPrototypeOf(value) as unknown;
    if (prototype !== Object.prototype && prototype !== null) return value;
    const entries = Object.entries(value).map(([name, one]: [string, unknown]) => [
      this.hide(name),
      this.hideIn(one),
    ]);
    return Object.fromEntries(entries) as T;
  }
}

/** Returns what of an Authorization header is secret: a token, or a pair and its password. */
function listSecrets(authorization: string): readonly string[] {
  const [, scheme = '', credentials = authorization] = /^(\S+) (.+)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [credentials];
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  // The padding says nothing, and a server may leave it out.
  const unpadded = credentials.replace(/=+$/, '');
  return [unpadded, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** Names of characters in HTML. */
const NAMES: Readonly<Record<string, string>> = Object.freeze({
  ...{ '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', "'": '&apos;' },
});

/**
 * Returns a pattern of a character: as it is, or as JSON, a URL, HTML or a form would spell it.
 */
function writeSpellings(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  const units = [...Array(sign.length).keys()].map((at) => writeHex(sign.charCodeAt(at), 4));
  const octets = [...Buffer.from(sign)].map((octet) => `%${ignoreCase(writeHex(octet, 2))}`);
  const name = NAMES[sign];
  return `(?:${[
    `\\\\?${escapeSign(sign)}`,
    units.map((unit) => `\\\\u${ignoreCase(unit)}`).join(''),
    octets.join(''),
    `&#0*${code};`,
    `&#[xX]0*${ignoreCase(code.toString(16))};`,
    ...(name === undefined ? [] : [name]),
    ...(sign === ' ' ? ['\\+'] : []),
  ].join('|')})`;
}

const writeHex = (number: number, digits: number): string =>
  number.toString(16).padStart(digits, '0');

/** Returns a pattern of hexadecimal digits in any letter case. */
const ignoreCase = (digits: string): string =>
  digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

const escapeSign = (sign: string): string => sign.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
