import { isUtf8 } from 'node:buffer';
import { RequestError } from './errors.js';
import { excerpt } from './excerpt.js';
import { findDuplicate } from './ijson-duplicates.js';
import { inexactNumber } from './ijson-numbers.js';
import { type Scan, type Span, scan } from './ijson-scan.js';
import { type InexactNumber, type JsonValue, MARK } from './json.js';

export interface IJsonOptions {
  /** How deep arrays and objects may be nested; 2,500 unless told otherwise. */
  readonly maxDepth?: number;
}

export const MAX_DEPTH = 2500;

/** Each is a slow step: millions of them would keep the process from its other users (RFC 8620 8.5). */
const MAX_INEXACT = 10_000;

/**
 * Parses I-JSON (RFC 8620 1.5, RFC 7493). The native parser does the work; one scan before it and
 * one walk after it find what it lets pass. Numbers that would be rounded to an integer become
 * InexactNumber, and -0 is 0 (D4). Throws RequestError `notJSON` for a byte-order mark, octets that
 * aren't UTF-8, wrong syntax, duplicate members, surrogates and noncharacters; `limit`
 * (`maxDepthInRequest`) for what is nested too deep.
 */
export function parseIJson(octets: Uint8Array, options: IJsonOptions = {}): JsonValue {
  checkEncoding(octets);
  const piece = readPiece(scanPiece(octets, options.maxDepth ?? MAX_DEPTH));
  if (piece.hasForbiddenText) notJson(FORBIDDEN_TEXT);
  if (piece.hasDuplicate) notJson(findDuplicate(piece.text));
  return finish(piece, { found: 0 });
}

/** Throws `notJSON` for a byte-order mark and for octets that aren't UTF-8. */
export function checkEncoding(octets: Uint8Array): void {
  if (octets[0] === 0xef && octets[1] === 0xbb && octets[2] === 0xbf) {
    notJson('It starts with a byte-order mark.');
  }
  if (!isUtf8(octets)) notJson('It is not UTF-8.');
}

export const FORBIDDEN_TEXT = 'Its text has a lone surrogate or a noncharacter.';

/** JSON as the native parser reads it, and what I-JSON has to say of it. */
export interface Piece {
  readonly body: Buffer;
  readonly text: string;
  readonly root: JsonValue;
  readonly scan: Scan;
  readonly hasForbiddenText: boolean;
  readonly hasDuplicate: boolean;
}

/** A piece before it is parsed. */
export type Scanned = Pick<Piece, 'body' | 'text' | 'scan'>;

/** Throws for what is nested deeper than `maxDepth`. */
export function scanPiece(octets: Uint8Array, maxDepth: number): Scanned {
  const found = scan(octets, maxDepth);
  if (found.tooDeep) refuseDepth(maxDepth);
  const body =
    octets instanceof Buffer
      ? octets
      : Buffer.from(octets.buffer, octets.byteOffset, octets.length);
  return { body, text: body.toString('utf8'), scan: found };
}

/** Throws for wrong syntax. */
export function readPiece({ body, text, scan: found }: Scanned): Piece {
  const root = parse(text);
  const hasForbiddenText =
    (text.length < body.length && mayHoldNoncharacters(body) && !isLegalText(text)) ||
    (found.hasSuspectEscape && !hasLegalTexts(root));
  // The native parser keeps the last of two equal members: then the tree has fewer than the text.
  const hasDuplicate = countMembers(root) !== found.members;
  return { body, text, root, scan: found, hasForbiddenText, hasDuplicate };
}

/**
 * The value of a piece that is I-JSON. `inexact` counts the numbers that no double holds over all
 * pieces of a text.
 */
export function finish(piece: Piece, inexact: { found: number }): JsonValue {
  const { body, root, scan: found } = piece;
  const numbers: InexactNumber[] = [];
  const marked = markNumbers(body, found.longNumbers, numbers, MAX_INEXACT - inexact.found);
  inexact.found += numbers.length;
  if (marked !== null) return repair(parse(marked), numbers);
  return found.hasMinusZero ? repair(root, numbers) : root;
}

export function refuseDepth(maxDepth: number): never {
  const detail = `The request is nested deeper than ${maxDepth} levels.`;
  throw new RequestError('limit', detail, { limit: 'maxDepthInRequest' });
}

/**
 * The text with marks in place of the numbers that no double holds, which are put into `numbers`;
 * null where there are none. The text has no lone surrogates, so that no client can write a mark.
 */
function markNumbers(
  body: Buffer,
  spans: readonly Span[],
  numbers: InexactNumber[],
  maximum: number,
): string | null {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of spans) {
    const number = inexactNumber(body.toString('latin1', start, end));
    if (number === null) continue;
    if (numbers.length === maximum) {
      const detail = `More than ${MAX_INEXACT} numbers are such that no double holds them.`;
      throw new RequestError('limit', detail, { limit: 'maxInexactNumbersInRequest' });
    }
    parts.push(body.toString('utf8', done, start), `"${MARK}${numbers.length}"`);
    numbers.push(number);
    done = end;
  }
  if (numbers.length === 0) return null;
  parts.push(body.toString('utf8', done));
  return parts.join('');
}

/** Octets that every noncharacter has in UTF-8, and few other characters. */
const NONCHARACTER_OCTETS = ['bfbe', 'bfbf', 'efb7'].map((hex) => Buffer.from(hex, 'hex'));

function mayHoldNoncharacters(body: Buffer): boolean {
  return NONCHARACTER_OCTETS.some((octets) => body.includes(octets));
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    // The parser's message quotes the text.
    notJson(excerpt(error instanceof Error ? error.message : String(error)));
  }
}

export function notJson(why: string): never {
  throw new RequestError('notJSON', `The request is not I-JSON: ${why}`);
}

type Container = JsonValue[] | Record<string, JsonValue>;

/**
 * Code points that I-JSON forbids in text (RFC 7493 2.1). Both sets are the same in every Unicode
 * version.
 */
const FORBIDDEN = /[\p{Surrogate}\p{Noncharacter_Code_Point}]/u;

/** True for text that I-JSON allows: neither lone surrogates nor noncharacters. */
function isLegalText(text: string): boolean {
  return !FORBIDDEN.test(text);
}

/**
 * How many members the objects of a tree have together. Iterative: the tree may be as deep as the
 * scan let it. `for in` sees own members alone, as Object.prototype has no enumerable ones.
 */
function countMembers(root: JsonValue): number {
  const open: Container[] = [];
  let members = 0;
  if (isContainer(root)) open.push(root);
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (const item of value) if (isContainer(item)) open.push(item);
    } else {
      for (const name in value) {
        members += 1;
        const member = value[name];
        if (isContainer(member)) open.push(member);
      }
    }
  }
  return members;
}

/** True where every string and member name of a tree is legal text. */
function hasLegalTexts(root: JsonValue): boolean {
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') {
      if (!isLegalText(value)) return false;
    } else if (Array.isArray(value)) {
      for (const item of value) open.push(item);
    } else if (isContainer(value)) {
      for (const [name, member] of Object.entries(value)) {
        if (!isLegalText(name)) return false;
        open.push(member);
      }
    }
  }
  return true;
}

/**
 * Changes a fresh tree in place: strings of the mark and an index become that one of `numbers`, and
 * -0 becomes 0. Returns the root, which may itself be such a value.
 */
function repair(root: JsonValue, numbers: readonly InexactNumber[]): JsonValue {
  const holder = [root];
  const open: Container[] = [holder];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) {
        const item = value[index] ?? null;
        if (isContainer(item)) open.push(item);
        else value[index] = repaired(item, numbers);
      }
    } else {
      for (const name in value) {
        const member = value[name] ?? null;
        if (isContainer(member)) open.push(member);
        // An own member, even where its name is `__proto__`: assigning sets no prototype.
        else value[name] = repaired(member, numbers);
      }
    }
  }
  return holder[0] ?? null;
}

function repaired(value: JsonValue, numbers: readonly InexactNumber[]): JsonValue {
  if (value === 0) return 0;
  if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
  // The one place where the type looks away: JsonValue does not know of numbers that no double
  // holds.
  return (numbers[Number(value.slice(MARK.length))] ?? value) as JsonValue;
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
