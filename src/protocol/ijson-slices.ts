import type { Slices } from '../runtime/slices.js';
import { RequestError } from './errors.js';
import {
  checkEncoding,
  FORBIDDEN_TEXT,
  finish,
  type IJsonOptions,
  MAX_DEPTH,
  notJson,
  type Piece,
  parseIJson,
  readPiece,
  refuseDepth,
  type Scanned,
  scanPiece,
} from './ijson.js';
import { describeDuplicate, findDuplicate } from './ijson-duplicates.js';
import { Splitter, type Step } from './ijson-split.js';
import type { JsonValue } from './json.js';
import { escapeToken } from './json-pointer.js';

/**
 * Members of an object. A shorter text has no room for as many, so they are counted in those that
 * are read in slices alone.
 */
const MAX_MEMBERS = 100_000;

/** Octets of a piece, which takes 2 ms at the most. */
const PIECE = 131_072;

/** Texts up to so many pieces are parsed at once. */
const FEW = 3;

/** Pieces that are looked at for places to cut before it is asked whether the slice is over. */
const STRIDE = 4;

export interface SlicesOptions extends IJsonOptions {
  /** Octets of a piece. */
  readonly piece?: number;
}

/** Whether a text of so many octets takes more than one slice. */
export function isLongText(octets: number, piece = PIECE): boolean {
  return octets > FEW * piece;
}

/**
 * What `parseIJson` does, for a long text in slices: it is cut at the boundaries of members and
 * items, and the pieces are read one by one, so the result is the same, and so are the errors, but
 * for what the native parser quotes of the text. Rejects with what `slices.next` throws, too.
 */
export async function parseIJsonInSlices(
  octets: Uint8Array,
  slices: Slices,
  options: SlicesOptions = {},
): Promise<JsonValue> {
  const { maxDepth = MAX_DEPTH, piece = PIECE } = options;
  if (!isLongText(octets.length, piece)) return parseIJson(octets, { maxDepth });
  // Not in the turn in which the last of it arrived.
  await slices.next();
  checkEncoding(octets);
  const splitter = new Splitter(octets, piece, maxDepth);
  while (!splitter.advance(STRIDE * piece)) if (slices.isOver()) await slices.next();
  if (splitter.tooDeep) refuseDepth(maxDepth);
  const assembly = new Assembly(octets);
  for (const step of splitter.steps) {
    if (slices.isOver()) await slices.next();
    if (step.to - step.from > 4 * piece) {
      // A text of its own, which is one value for the native parser.
      assembly.scan(step);
      await slices.next();
    }
    assembly.take(step);
  }
  await slices.next();
  return assembly.value();
}

/** A container that is put together. */
interface Frame {
  readonly isArray: boolean;
  /** Its name or index in the container around it. */
  readonly token: string;
  value: JsonValue[] | Record<string, JsonValue>;
  /** A comma stands before what comes next. */
  isAfterComma: boolean;
  /** Of an object; about as many, for those of a repeated name count each. */
  members: number;
}

const OPENING = { array: 0x5b, object: 0x7b };
const CLOSING = { array: 0x5d, object: 0x7d };
/** Stands for a value while its name is read; with anything in front of it it is none. */
const NULL = Buffer.from('null');

class Assembly {
  readonly #octets: Uint8Array;
  /** The first one is the text itself, an array of one item. */
  readonly #frames: Frame[] = [
    { isArray: true, token: '', value: [], isAfterComma: false, members: 0 },
  ];
  readonly #inexact = { found: 0 };
  /** Wrong syntax anywhere is told first, as by the native parser, then texts, then the others. */
  #hasForbiddenText = false;
  #scanned: Scanned | null = null;
  #problem: RequestError | null = null;

  constructor(octets: Uint8Array) {
    this.#octets = octets;
  }

  /** The first part of what `take` does with a long run. */
  scan({ kind, from, to, isArray }: Step): void {
    if (kind === 'run') this.#scanned = this.#scan(from, to, isArray);
  }

  take(step: Step): void {
    if (step.kind === 'open') this.#open(step);
    else if (step.kind === 'close') this.#close();
    else if (step.kind === 'run') this.#run(step);
    else if (step.kind === 'blank') this.#blank(step);
    else this.#broken(step);
  }

  value(): JsonValue {
    if (this.#hasForbiddenText) notJson(FORBIDDEN_TEXT);
    if (this.#problem !== null) throw this.#problem;
    const [root] = this.#last().value as JsonValue[];
    if (root === undefined) notJson('Unexpected end of JSON input');
    return root;
  }

  #open({ from, to, isArray }: Step): void {
    const outer = this.#last();
    let token = '';
    if (outer.isArray) {
      if (!this.#isBlank(from, to)) this.#syntax(from, to + 1, true);
      token = String((outer.value as JsonValue[]).length);
    } else {
      const piece = this.#read(from, to, false, NULL);
      const names = Object.keys(piece.root as Record<string, JsonValue>);
      if (names.length !== 1) this.#syntax(from, to + 1, false);
      [token = ''] = names;
      this.#hasForbiddenText ||= piece.hasForbiddenText;
      if (Object.hasOwn(outer.value, token)) {
        this.#duplicate(describeDuplicate(token, `${this.#path()}/${escapeToken(token)}`));
      }
    }
    outer.isAfterComma = false;
    if (!outer.isArray) this.#count(outer, 1);
    const value = isArray ? [] : {};
    this.#frames.push({ isArray, token, value, isAfterComma: false, members: 0 });
  }

  #close(): void {
    const frame = this.#frames.pop();
    const outer = this.#last();
    if (frame === undefined) return;
    if (outer.isArray) (outer.value as JsonValue[]).push(frame.value);
    else define(outer.value as Record<string, JsonValue>, frame.token, frame.value);
  }

  #run({ from, to, isArray, comma }: Step): void {
    const frame = this.#last();
    if ((comma || frame.isAfterComma) && this.#isBlank(from, to)) {
      this.#syntax(from, Math.min(to + 1, this.#octets.length), isArray);
    }
    frame.isAfterComma = comma;
    const piece = this.#read(from, to, isArray);
    this.#judge(piece, frame);
    if (this.#problem?.type === 'notJSON' || this.#hasForbiddenText) return;
    if (frame.members > MAX_MEMBERS) return;
    append(frame, this.#finish(piece) as Frame['value']);
  }

  #finish(piece: Piece): JsonValue {
    if (this.#problem !== null) return piece.root;
    try {
      return finish(piece, this.#inexact);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      this.#problem = error;
      return piece.root;
    }
  }

  #judge(piece: Piece, frame: Frame): void {
    this.#hasForbiddenText ||= piece.hasForbiddenText;
    if (this.#problem?.type === 'notJSON') return;
    const { value } = frame;
    const names = frame.isArray ? [] : Object.keys(piece.root as object);
    this.#count(frame, names.length);
    const isRepeated = names.some((name) => Object.hasOwn(value, name));
    if (!piece.hasDuplicate && !isRepeated) return;
    if (this.#frames.length === 1) {
      // Without the brackets that stand for those around the text.
      this.#duplicate(findDuplicate(piece.text.slice(1, -1)));
      return;
    }
    this.#duplicate(
      findDuplicate(piece.text, {
        path: this.#path(),
        index: frame.isArray ? (value as JsonValue[]).length : 0,
        has: (name) => !frame.isArray && Object.hasOwn(value, name),
      }),
    );
  }

  /** Bounds the members of an object: V8 lists all of them in one step, which can't be cut. */
  #count(frame: Frame, members: number): void {
    frame.members += members;
    if (frame.members <= MAX_MEMBERS) return;
    const detail = `An object in the request has more than ${MAX_MEMBERS} members.`;
    this.#problem ??= new RequestError('limit', detail, { limit: 'maxMembersInObject' });
  }

  #duplicate(why: string): void {
    if (this.#problem?.type === 'notJSON') return;
    this.#problem = new RequestError('notJSON', `The request is not I-JSON: ${why}`);
  }

  #blank({ from, to, isArray, comma }: Step): void {
    if (!this.#isBlank(from, to)) this.#syntax(from, to, isArray);
    this.#last().isAfterComma = comma;
  }

  #broken({ from, to, isArray }: Step): void {
    this.#syntax(from, to, isArray);
  }

  /** For octets that are no JSON where they stand: the native parser says why, or so do we. */
  #syntax(from: number, to: number, isArray: boolean): never {
    this.#read(from, to, isArray);
    notJson(`Unexpected text in JSON at position ${this.#charactersBefore(to)}`);
  }

  /** Octets as the content of a container, `more` put behind them. */
  #read(from: number, to: number, isArray: boolean, more: Uint8Array = NOTHING): Piece {
    const scanned = this.#scanned ?? this.#scan(from, to, isArray, more);
    this.#scanned = null;
    try {
      return readPiece(scanned);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const before = this.#charactersBefore(from);
      const message = error.message.replace(
        / at position (\d+).*$/s,
        (_, at: string) => ` at position ${before + Number(at) - 1}`,
      );
      throw new RequestError(error.type, message);
    }
  }

  #scan(from: number, to: number, isArray: boolean, more: Uint8Array = NOTHING): Scanned {
    const kind = isArray ? 'array' : 'object';
    const octets = Buffer.allocUnsafeSlow(to - from + more.length + 2);
    octets[0] = OPENING[kind];
    octets.set(this.#octets.subarray(from, to), 1);
    octets.set(more, octets.length - 1 - more.length);
    octets[octets.length - 1] = CLOSING[kind];
    return scanPiece(octets, Number.POSITIVE_INFINITY);
  }

  #charactersBefore(at: number): number {
    return new TextDecoder().decode(this.#octets.subarray(0, at)).length;
  }

  #isBlank(from: number, to: number): boolean {
    for (let at = from; at < to; at += 1) {
      const octet = this.#octets[at];
      if (octet !== 0x20 && octet !== 0x0a && octet !== 0x0d && octet !== 0x09) return false;
    }
    return true;
  }

  #path(): string {
    // Neither the text itself nor its one item has a token.
    const tokens = this.#frames.slice(2).map(({ token }) => `/${escapeToken(token)}`);
    return tokens.join('');
  }

  #last(): Frame {
    const frame = this.#frames[this.#frames.length - 1];
    if (frame === undefined) throw new Error('The text itself is always there.');
    return frame;
  }
}

const NOTHING = new Uint8Array();

function append(frame: Frame, piece: Frame['value']): void {
  const { value } = frame;
  if (Array.isArray(value)) {
    if (value.length === 0) frame.value = piece;
    else for (const item of piece as JsonValue[]) value.push(item);
    return;
  }
  // Integers among names come first in the order of members, so it can't be told from the first.
  for (const [name, member] of Object.entries(piece)) define(value, name, member);
}

/** An own member, whatever its name. */
export function define(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name === '__proto__') {
    const more = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(object, name, more);
  } else object[name] = value;
}
