import { isUtf8 } from 'node:buffer';
import { finish, runInSlices, type Slices, type Steps } from '../runtime/slices.js';
import type { JsonValue } from './json.js';
import { JsonReader, notJson, refuseForbidden } from './json-reader.js';

/** Octets or characters beyond which a text takes more than one slice. */
const LONG = 393_216;
/** Characters of our own text that the native parser reads in about 2 ms. */
const SHORT = 131_072;

/** Octets that are decoded at once. */
const PIECE = 1_048_576;

/**
 * Parses I-JSON (RFC 8620 1.5, RFC 7493). Numbers that would be rounded to an integer become
 * InexactNumber, and -0 is 0 (D4). Throws RequestError `notJSON` for a byte-order mark, octets that
 * aren't UTF-8, wrong syntax, duplicate members, surrogates and noncharacters; `limit` for what is
 * nested too deep, has too many members or too many numbers that no double holds.
 */
export function parseIJson(octets: Uint8Array): JsonValue {
  return finish(readSteps(octets));
}

/** Whether a text of so many octets takes more than one slice. */
export function isLongText(octets: number): boolean {
  return octets > LONG;
}

/** The same, a long text in slices. Rejects with what `slices.next` throws, too. */
export async function parseIJsonInSlices(octets: Uint8Array, slices: Slices): Promise<JsonValue> {
  if (!isLongText(octets.length)) return parseIJson(octets);
  // Not in the turn in which the last of it arrived.
  await slices.next();
  return await runInSlices(readSteps(octets), slices);
}

/**
 * Returns what `JSON.parse` makes of a JSON text that this server has written, but in slices.
 * Rejects with what `slices.next` throws.
 */
export async function parseJsonInSlices(text: string, slices: Slices): Promise<JsonValue> {
  if (text.length > SHORT) return await runInSlices(new JsonReader(text, false).read(), slices);
  if (slices.isOver()) await slices.next();
  return JSON.parse(text) as JsonValue;
}

function* readSteps(octets: Uint8Array): Steps<JsonValue> {
  if (octets[0] === 0xef && octets[1] === 0xbb && octets[2] === 0xbf) {
    notJson('It starts with a byte-order mark.');
  }
  if (!isUtf8(octets)) notJson('It is not UTF-8.');
  return yield* new JsonReader(yield* decode(octets), true).read();
}

/** Throws for noncharacters. */
function* decode({ buffer, byteOffset, length }: Uint8Array): Steps<string> {
  const octets = Buffer.from(buffer, byteOffset, length);
  const pieces: string[] = [];
  for (let begin = 0; begin < length; ) {
    let end = Math.min(begin + PIECE, length);
    while (isWithinCharacter(octets[end])) end -= 1;
    const piece = octets.toString('utf8', begin, end);
    // Octets of ASCII alone are as many as their characters.
    if (piece.length < end - begin) refuseForbidden(piece);
    pieces.push(piece);
    begin = end;
    if (begin < length) yield;
  }
  return pieces.join('');
}

function isWithinCharacter(octet: number | undefined): boolean {
  return octet !== undefined && (octet & 0xc0) === 0x80;
}
