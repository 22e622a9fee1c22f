/** Text that was decoded from octets. */
export interface DecodedText {
  readonly value: string;
  /** The charset is unknown, or some octets are no text in it. */
  readonly isProblem: boolean;
}

/** Labels that mail programs write and that the Encoding Standard lacks. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['cp932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
  ['cp874', 'windows-874'],
  ['cp1250', 'windows-1250'],
  ['cp1251', 'windows-1251'],
  ['cp1252', 'windows-1252'],
]);

/** Returns the label by which TextDecoder knows a charset, or null. UTF-7 is none (9.1). */
export function findCharset(charset: string): string | null {
  const label = charset.trim().toLowerCase();
  const known = ALIASES.get(label) ?? label;
  // The constructor is the only way to ask; it throws for what it doesn't know.
  return /^[a-z0-9:_-]{2,40}$/.test(known) && canDecode(known) ? known : null;
}

function canDecode(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== 'replacement';
  } catch {
    return false;
  }
}

/**
 * Returns the text of octets, with U+FFFD where some are malformed. Octets of US-ASCII or of no
 * charset are read as UTF-8 where they are UTF-8, else as windows-1252. An unknown charset is
 * read as UTF-8.
 */
export function decodeText(octets: Uint8Array, charset: string | null): DecodedText {
  if (charset === null || /^(us-)?ascii$/i.test(charset.trim())) return guessText(octets);
  const label = findCharset(charset);
  const exact = label === null ? null : decodeExactly(octets, label);
  if (exact !== null) return { value: exact, isProblem: false };
  return { value: new TextDecoder(label ?? 'utf-8').decode(octets), isProblem: true };
}

function guessText(octets: Uint8Array): DecodedText {
  const exact = decodeExactly(octets, 'utf-8');
  if (exact !== null) return { value: exact, isProblem: false };
  return { value: new TextDecoder('windows-1252').decode(octets), isProblem: true };
}

function decodeExactly(octets: Uint8Array, label: string): string | null {
  try {
    return new TextDecoder(label, { fatal: true }).decode(octets);
  } catch {
    return null;
  }
}
