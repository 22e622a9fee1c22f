/** A header field as it stands in the message: its value is in the form Raw (RFC 8621 4.1.2.1). */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** A line that divides the parts of an open multipart, or the end of the message. */
export interface Delimiter {
  /** The level of the multipart whose line it is; -1 at the end of the message. */
  readonly level: number;
  readonly isLast: boolean;
  /** Where the content before it ends. */
  readonly contentEnd: number;
}

/** Beyond these a header is cut. */
const MAX_FIELDS = 1000;
const MAX_HEADER_OCTETS = 262_144;

/** The longest line that is looked at as a delimiter; RFC 2046 allows boundaries of 70. */
const MAX_DELIMITER = 300;

const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

const LF = 10;
const CR = 13;
const HYPHEN = 45;

/** Walks once through a message, from its first line to its last. */
export class Scanner {
  readonly octets: Buffer;
  /** Where the next line begins. */
  at = 0;
  /** The level of each open multipart, by boundary. */
  readonly #open = new Map<string, number>();

  constructor(octets: Uint8Array) {
    this.octets = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
  }

  /** Opens a multipart while a function reads its parts. */
  within<T>(boundary: string, level: number, read: () => T): T {
    const outer = this.#open.get(boundary);
    this.#open.set(boundary, level);
    const result = read();
    if (outer === undefined) this.#open.delete(boundary);
    else this.#open.set(boundary, outer);
    return result;
  }

  /** Reads the header of an entity, and the empty line behind it. A delimiter ends it too. */
  readHeader(): HeaderField[] {
    const spans: [number, number][] = [];
    let octets = 0;
    let isField = false;
    while (this.at < this.octets.length && this.#delimiter(this.at) === null) {
      const { at } = this;
      const end = this.#nextLine();
      const textEnd = this.#textEnd(at, end);
      this.at = end;
      if (textEnd === at) break;
      // A line beyond the bound is cut, and those behind it are left out.
      const keptEnd = Math.min(textEnd, at + MAX_HEADER_OCTETS - octets);
      octets += end - at;
      const last = spans.at(-1);
      const first = this.octets[at];
      if (first === 32 || first === 9) {
        if (isField && last !== undefined && keptEnd > at) last[1] = keptEnd;
      } else {
        isField = spans.length < MAX_FIELDS && keptEnd > at;
        if (isField) spans.push([at, keptEnd]);
      }
    }
    return spans.flatMap(([start, end]) => readField(this.octets.subarray(start, end)));
  }

  /** Goes to the line behind the next delimiter of an open multipart. */
  nextDelimiter(): Delimiter {
    while (this.at < this.octets.length) {
      const { at } = this;
      this.at = this.#nextLine();
      const found = this.#delimiter(at);
      if (found !== null) return { ...found, contentEnd: this.#textEnd(0, at) };
    }
    return { level: -1, isLast: true, contentEnd: this.octets.length };
  }

  #nextLine(): number {
    const end = this.octets.indexOf(LF, this.at);
    return end < 0 ? this.octets.length : end + 1;
  }

  /** Returns where the text of a line ends, which CRLF or LF may follow. */
  #textEnd(start: number, end: number): number {
    const { octets } = this;
    const last = end > start && octets[end - 1] === LF ? end - 1 : end;
    return last < end && last > start && octets[last - 1] === CR ? last - 1 : last;
  }

  #delimiter(at: number): Omit<Delimiter, 'contentEnd'> | null {
    const { octets } = this;
    if (octets[at] !== HYPHEN || octets[at + 1] !== HYPHEN || this.#open.size === 0) return null;
    const start = octets.subarray(at + 2, at + MAX_DELIMITER);
    const length = start.indexOf(LF);
    const line = start
      .subarray(0, length < 0 ? start.length : length)
      .toString('latin1')
      .trimEnd();
    const level = this.#open.get(line);
    if (level !== undefined) return { level, isLast: false };
    const last = line.endsWith('--') ? this.#open.get(line.slice(0, -2)) : undefined;
    return last === undefined ? null : { level: last, isLast: true };
  }
}

/** Returns the field of a line with its folds, or nothing: some lines in headers are no fields. */
function readField(octets: Buffer): HeaderField[] {
  const colon = octets.indexOf(58);
  const name = octets.subarray(0, Math.max(colon, 0)).toString('latin1').trimEnd();
  if (!/^[!-9;-~]+$/.test(name)) return [];
  const value = UTF_8.decode(octets.subarray(colon + 1)).replaceAll('\0', '');
  return [{ name, value }];
}
