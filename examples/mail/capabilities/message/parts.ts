import { decode as decodeQuotedPrintable } from 'libqp';
import { type PartFields, readPartFields } from './part-fields.js';
import { type Delimiter, type HeaderField, Scanner } from './scanner.js';

/** An EmailBodyPart (RFC 8621 4.1.4) and its content; the server gives it a blobId. */
export interface BodyPart extends Omit<PartFields, 'boundary' | 'encoding'> {
  /** Null for a multipart. */
  readonly partId: string | null;
  readonly size: number;
  readonly headers: readonly HeaderField[];
  /** Null for all but a multipart. */
  readonly subParts: readonly BodyPart[] | null;
  /** The octets without their transfer encoding; empty for a multipart. */
  readonly content: Uint8Array;
  /** The transfer encoding is unknown: the octets are as they came. */
  readonly isEncodingUnknown: boolean;
}

/** A multipart deeper than this, or behind so many parts, is one part of unknown octets. */
const MAX_DEPTH = 50;
const MAX_PARTS = 1000;

const EMPTY = new Uint8Array();

/** Returns the tree of the parts of a message. */
export function readParts(octets: Uint8Array): BodyPart {
  return new PartReader(octets).read('text/plain', 0).part;
}

/** A part, and the line that ended it. */
interface Ended {
  readonly part: BodyPart;
  readonly end: Delimiter;
}

class PartReader {
  readonly #scanner: Scanner;
  #leaves = 0;
  #parts = 0;

  constructor(octets: Uint8Array) {
    this.#scanner = new Scanner(octets);
  }

  /** Reads the entity at which the scanner stands. */
  read(implicit: string, level: number): Ended {
    this.#parts += 1;
    const headers = this.#scanner.readHeader();
    const fields = readPartFields(headers, implicit);
    if (!fields.type.startsWith('multipart/')) return this.#readLeaf(headers, fields);
    if (level >= MAX_DEPTH || this.#parts >= MAX_PARTS)
      return this.#readLeaf(headers, { ...fields, type: 'application/octet-stream' });
    return this.#readMultipart(headers, fields, level);
  }

  #readLeaf(headers: readonly HeaderField[], fields: PartFields): Ended {
    const start = this.#scanner.at;
    const end = this.#scanner.nextDelimiter();
    const encoded = this.#scanner.octets.subarray(start, Math.max(start, end.contentEnd));
    const decoded = decodeContent(encoded, fields.encoding);
    this.#leaves += 1;
    const content = decoded ?? encoded;
    return {
      part: {
        ...tellPart(headers, fields),
        partId: String(this.#leaves),
        size: content.length,
        content,
        isEncodingUnknown: decoded === null,
      },
      end,
    };
  }

  #readMultipart(headers: readonly HeaderField[], fields: PartFields, level: number): Ended {
    const subParts: BodyPart[] = [];
    const implicit = fields.type === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
    const { boundary } = fields;
    const part = { ...tellPart(headers, fields), subParts };
    if (boundary === null || boundary === '') return { part, end: this.#scanner.nextDelimiter() };
    const end = this.#scanner.within(boundary.trimEnd(), level, () => {
      let delimiter = this.#scanner.nextDelimiter();
      while (delimiter.level === level && !delimiter.isLast) {
        // Each part costs memory: what is behind the last one that is allowed isn't read.
        if (this.#parts >= MAX_PARTS) delimiter = this.#scanner.nextDelimiter();
        else {
          const read = this.read(implicit, level + 1);
          subParts.push(read.part);
          delimiter = read.end;
        }
      }
      return delimiter;
    });
    // Behind the last delimiter of its own a multipart has an epilogue.
    return { part, end: end.level === level ? this.#scanner.nextDelimiter() : end };
  }
}

/** Returns what the header of a part says about it, with the values of a multipart. */
function tellPart(headers: readonly HeaderField[], fields: PartFields): BodyPart {
  const { name, type, charset, disposition, cid, language, location } = fields;
  const told = { name, type, charset, disposition, cid, language, location };
  const empty = { partId: null, size: 0, subParts: null, content: EMPTY, isEncodingUnknown: false };
  return { ...empty, headers, ...told };
}

/** Returns the octets behind a transfer encoding, or null for one that RFC 2045 doesn't define. */
function decodeContent(octets: Buffer, encoding: string): Uint8Array | null {
  switch (encoding) {
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
      return octets;
    case 'base64':
      return Buffer.from(octets.toString('latin1'), 'base64');
    case 'quoted-printable':
      return decodeQuotedPrintable(octets);
    default:
      return null;
  }
}
