import { isUtf8 } from 'node:buffer';
import { finish, type Steps } from '../runtime/paused-work.js';
import { runInSlices, type Slices } from '../runtime/slices.js';
import { RequestError } from './errors.js';
import { excerpt } from './excerpt.js';
import { exactNumber, type InexactNumber, type JsonValue } from './json.js';
import { escapeToken } from './json-pointer.js';

/** Octets beyond which a text takes more than one slice, whatever it holds. */
const LONG = 393_216;
/** Characters of our own text that the native parser reads in about 2 ms. */
const SHORT = 131_072;

/** Octets that are decoded at once. */
const PIECE = 1_048_576;

/**
 * Parses I-JSON (RFC 8620 1.5, RFC 7493). Numbers that would be rounded to an integer become
 * InexactNumber, and -0 is 0. Throws RequestError `notJSON` for a byte-order mark, octets that
 * aren't UTF-8, wrong syntax, duplicate members, surrogates and noncharacters. It throws `limit`
 * for a text that is nested too deep, has too many members or too many numbers that no double
 * holds.
 */
export function parseIJson(octets: Uint8Array): JsonValue {
  return finish(readSteps(octets));
}

/** Returns whether a text of so many octets takes more than one slice. */
export function isLongText(octets: number): boolean {
  return octets > LONG;
}

/**
 * Returns whether a text of so many octets may be read with pauses. 390,000 octets of nested arrays
 * or of numbers as `1.0` take 65 ms, of most other values 5.
 */
export function mayPause(octets: number): boolean {
  return octets > STRIDE;
}

/**
 * Returns the same, a text that takes long in slices. Rejects with what `slices.next` throws, too.
 */
export async function parseIJsonInSlices(octets: Uint8Array, slices: Slices): Promise<JsonValue> {
  if (!mayPause(octets.length)) return parseIJson(octets);
  // Not in the turn in which the last of it arrived.
  if (isLongText(octets.length)) await slices.next();
  return await runInSlices(readSteps(octets), slices);
}

/**
 * Parses a JSON text that this server or its database has written, as `JSON.parse` does.
 *
 * V8 in Node 24 and 26 may read a member's name that has an escape as another one: `"\n"` as `"\\"`
 * (github.com/nodejs/node/issues/63785). `JSON.parse` gets no such text.
 */
export function parseJson(text: string): JsonValue {
  if (hasEscapedName(text)) return finish(new JsonReader(text, false).read());
  return JSON.parse(text) as JsonValue;
}

/** Returns the same, but in slices. Rejects with what `slices.next` throws. */
export async function parseJsonInSlices(text: string, slices: Slices): Promise<JsonValue> {
  if (text.length > SHORT) return await runInSlices(new JsonReader(text, false).read(), slices);
  if (slices.isOver()) await slices.next();
  return parseJson(text);
}

/** Looks for quotes alone: to look at each character takes longer than to parse the text. */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    // To the end of the string that has the escape.
    at = text.indexOf('"', at);
    while (isEscaped(text, at)) at = text.indexOf('"', at + 1);
    // A string without an end: the parser tells so.
    if (at === -1) return false;
    at += 1;
    while (text.charCodeAt(at) === SPACE) at += 1;
    if (text.charCodeAt(at) === COLON) return true;
  }
  return false;
}

/** Returns whether an odd number of backslashes is before a place in a string. */
function isEscaped(text: string, at: number): boolean {
  let begin = at;
  while (text.charCodeAt(begin - 1) === BACKSLASH) begin -= 1;
  return (at - begin) % 2 === 1;
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

const MAX_DEPTH = 2500;
/** Of an object: V8 lists all of them in one step, which can't be cut. */
const MAX_MEMBERS = 100_000;
/** Inexact numbers are slow to read: millions would keep other users waiting (RFC 8620 8.5). */
const MAX_INEXACT = 10_000;

/** Characters between two pauses: about a millisecond. */
const STRIDE = 65_536;

/** An array or object that is open where the reader is. */
interface Frame {
  /** Of an array; null for an object. */
  readonly items: JsonValue[] | null;
  readonly object: Record<string, JsonValue>;
  readonly closing: number;
  /** Of an object: the member that is being read, and how many there are. */
  name: string;
  members: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/**
 * Reads one JSON text with pauses, and without recursion, however deep it is. A strict one takes
 * I-JSON alone, and bounds it: for texts of clients. Any other reads what `JSON.parse` does.
 */
export class JsonReader {
  readonly #text: string;
  readonly #isStrict: boolean;
  /** From the outermost to the innermost. */
  readonly #frames: Frame[] = [];
  /** A number token at the place that is reached. */
  readonly #token = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  #at = 0;
  #inexact = 0;

  constructor(text: string, isStrict: boolean) {
    this.#text = text;
    this.#isStrict = isStrict;
  }

  /**
   * Pauses behind so many characters, and where a longer string ends. Throws RequestErrors
   * (`notJSON`, `limit`), for our own texts a SyntaxError.
   */
  *read(stride = STRIDE): Steps<JsonValue> {
    let pauseAt = stride;
    for (;;) {
      let value = this.#begin();
      while (value !== undefined) {
        const frame = this.#frames[this.#frames.length - 1];
        if (frame === undefined) {
          if (!Number.isNaN(this.#next())) this.#refuse();
          return value;
        }
        value = this.#put(frame, value);
      }
      if (this.#at < pauseAt) continue;
      pauseAt = this.#at + stride;
      yield;
    }
  }

  /** Reads a value, or to where the first one within it begins: then it is undefined. */
  #begin(): JsonValue | undefined {
    const code = this.#next();
    if (code === QUOTE) return this.#string();
    if (code === OPEN_OBJECT) {
      const object = {};
      return this.#open({ items: null, object, closing: CLOSE_OBJECT, name: '', members: 0 });
    }
    if (code === OPEN_ARRAY) {
      const items: JsonValue[] = [];
      return this.#open({ items, object: NONE, closing: CLOSE_ARRAY, name: '', members: 0 });
    }
    if (code === LETTER_T) return this.#word('true', true);
    if (code === LETTER_F) return this.#word('false', false);
    if (code === LETTER_N) return this.#word('null', null);
    return this.#number();
  }

  #open(frame: Frame): JsonValue | undefined {
    this.#at += 1;
    if (this.#isStrict && this.#frames.length === MAX_DEPTH) {
      limit('maxDepthInRequest', `The request is nested deeper than ${MAX_DEPTH} levels.`);
    }
    if (this.#next() === frame.closing) {
      this.#at += 1;
      return frame.items ?? frame.object;
    }
    this.#frames.push(frame);
    if (frame.items === null) this.#name(frame);
    return undefined;
  }

  /** Puts a value where it belongs; what it completes, or undefined where another value follows. */
  #put(frame: Frame, value: JsonValue): JsonValue | undefined {
    if (frame.items !== null) frame.items.push(value);
    else define(frame.object, frame.name, value);
    const code = this.#next();
    if (code !== COMMA && code !== frame.closing) this.#refuse();
    this.#at += 1;
    if (code === COMMA) {
      if (frame.items === null) this.#name(frame);
      return undefined;
    }
    this.#frames.pop();
    return frame.items === null ? frame.object : trim(frame.items);
  }

  /** Reads the name of a member and its colon. */
  #name(frame: Frame): void {
    if (this.#next() !== QUOTE) this.#refuse();
    const name = this.#string();
    frame.name = name;
    if (this.#isStrict) this.#judgeName(frame, name);
    if (this.#next() !== COLON) this.#refuse();
    this.#at += 1;
  }

  #judgeName(frame: Frame, name: string): void {
    if (Object.hasOwn(frame.object, name)) {
      notJson(`An object has the member "${excerpt(name)}" twice (${excerpt(this.#path())}).`);
    }
    frame.members += 1;
    if (frame.members <= MAX_MEMBERS) return;
    limit('maxMembersInObject', `An object in the request has more than ${MAX_MEMBERS} members.`);
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at + 1;
    let isEscaped = false;
    let at = start;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) {
      if (code === BACKSLASH) {
        isEscaped = true;
        at += 1;
      } else if (!(code >= SPACE)) {
        // A control character, or the end.
        this.#at = at;
        this.#refuse();
      }
      at += 1;
    }
    this.#at = at + 1;
    return isEscaped ? this.#unescape(start - 1) : text.slice(start, at);
  }

  /** Returns the string with escapes that begins at `start` and has just been passed. */
  #unescape(start: number): string {
    let string: string;
    try {
      string = JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      this.#at = start;
      this.#refuse();
    }
    if (this.#isStrict) refuseForbidden(string);
    return string;
  }

  #number(): JsonValue {
    const start = this.#at;
    this.#token.lastIndex = start;
    if (!this.#token.test(this.#text)) this.#refuse();
    this.#at = this.#token.lastIndex;
    const token = this.#text.slice(start, this.#at);
    if (!this.#isStrict) return Number(token);
    const number = exactNumber(token);
    return typeof number === 'number' ? number : this.#countInexact(number);
  }

  #countInexact(number: InexactNumber): JsonValue {
    this.#inexact += 1;
    if (this.#inexact > MAX_INEXACT) {
      const detail = `More than ${MAX_INEXACT} numbers are such that no double holds them.`;
      limit('maxInexactNumbersInRequest', detail);
    }
    // The one place where the type looks away: JsonValue does not know of such numbers.
    return number as unknown as JsonValue;
  }

  #word<Value>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) this.#refuse();
    this.#at += word.length;
    return value;
  }

  /** Passes white space; the character behind it, NaN at the end. */
  #next(): number {
    const text = this.#text;
    let code = text.charCodeAt(this.#at);
    while (code === SPACE || code === 0x0a || code === 0x0d || code === 0x09) {
      this.#at += 1;
      code = text.charCodeAt(this.#at);
    }
    return code;
  }

  #path(): string {
    const tokens = this.#frames.map(({ items, name }) => items?.length ?? escapeToken(name));
    return tokens.map((token) => `/${token}`).join('');
  }

  #refuse(): never {
    const isAtEnd = this.#at >= this.#text.length;
    const why = `Unexpected ${isAtEnd ? 'end of JSON' : `text in JSON at position ${this.#at}`}.`;
    if (this.#isStrict) notJson(why);
    throw new SyntaxError(why);
  }
}

const NONE: Record<string, JsonValue> = Object.freeze({});

/** Length from which an array keeps its spare room: V8 first makes room for 17 items. */
const ROOMY = 17;

/** Returns a short array without spare room: 10 MB of arrays of one item would take 900 MB. */
function trim(items: JsonValue[]): JsonValue[] {
  return items.length < ROOMY ? items.slice() : items;
}

/** An own member, whatever its name. */
function define(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name === '__proto__') {
    const more = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, name, more);
  } else object[name] = value;
}

/**
 * Code points that I-JSON forbids in text (RFC 7493 2.1). Both sets are the same in every Unicode
 * version.
 */
const FORBIDDEN = /[\p{Surrogate}\p{Noncharacter_Code_Point}]/u;

/** Throws `notJSON` for text with lone surrogates or noncharacters. */
function refuseForbidden(text: string): void {
  if (FORBIDDEN.test(text)) notJson('Its text has a lone surrogate or a noncharacter.');
}

/** Throws `notJSON`. */
export function notJson(why: string): never {
  throw new RequestError('notJSON', `The request is not I-JSON: ${why}`);
}

function limit(name: string, detail: string): never {
  throw new RequestError('limit', detail, { limit: name });
}
