import type { Slices } from '../runtime/slices.js';
import { emptyObject, writeNumbers } from './json.js';
import { chunksOf } from './response.js';

/** Values that are written at once, in about a millisecond; so many characters count as a value. */
const WEIGHT = 16_384;
const CHARACTERS = 64;
/** Characters of a long text written at once, for each value of `weight`: they take less time. */
const TEXT = 16;

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;
/** Items by their indexes, or members by their names. */
type Parts = Record<string | number, unknown>;

/**
 * Characters of a piece, at least; a long text would have to be copied as a whole to be written or
 * counted.
 */
const PIECE = 65_536;

/** A text that may be long. */
export interface WrittenText {
  /** In their order they are the text; none ends between the halves of a surrogate pair. */
  readonly pieces: readonly string[];
  /** In UTF-8. */
  readonly octets: number;
}

/**
 * Returns what `JSON.stringify` and `writeNumbers` make of a value without cycles, in slices, a
 * light one at once. Null beyond `maximum` characters. Rejects with what `slices.next` throws.
 */
export async function stringifyInSlices(
  value: unknown,
  slices: Slices,
  maximum: number,
  weight = WEIGHT,
): Promise<WrittenText | null> {
  const writing = new Writing(slices, maximum, weight);
  await writing.write(value);
  return writing.end();
}

/**
 * Returns whether a value is too much to be written at once. Looks at no more of it than that
 * takes.
 */
export function isHeavy(value: unknown): boolean {
  return weigh(value) > WEIGHT;
}

/**
 * Returns about how many values there are in one, itself included. A text counts as one for each 64
 * characters. Stops counting once the value is heavy.
 */
export function weigh(value: unknown): number {
  return new Scales(WEIGHT).weigh(value);
}

class Writing {
  readonly #slices: Slices;
  readonly #maximum: number;
  readonly #weight: number;
  readonly #scales: Scales;
  readonly #pieces: string[] = [];
  /** The piece that is not long enough yet. */
  #piece = '';
  #length = 0;
  #octets = 0;
  #hasBegun = false;

  constructor(slices: Slices, maximum: number, weight: number) {
    this.#slices = slices;
    this.#maximum = maximum;
    this.#weight = weight;
    this.#scales = new Scales(weight);
  }

  end(): WrittenText | null {
    this.#flush();
    return this.#length > this.#maximum ? null : { pieces: this.#pieces, octets: this.#octets };
  }

  async write(value: unknown): Promise<void> {
    const isWhole = typeof value !== 'string' && !isContainer(value);
    if (isWhole || this.#scales.weigh(value) <= this.#weight) {
      this.#put(JSON.stringify(value) ?? 'null');
      return;
    }
    // A heavy value begins in its turn.
    if (!this.#hasBegun || this.#slices.isOver()) await this.#slices.next();
    this.#hasBegun = true;
    if (typeof value === 'string') {
      await this.#text(value);
    } else {
      const [opening = '', closing = ''] = Array.isArray(value) ? '[]' : '{}';
      this.#put(opening);
      await this.#parts(value as Container);
      this.#put(closing);
    }
  }

  async #text(value: string): Promise<void> {
    this.#add('"');
    for (const chunk of chunksOf(value, Math.max(this.#weight, 1) * TEXT)) {
      if (this.#length > this.#maximum) return;
      this.#add(JSON.stringify(chunk).slice(1, -1));
      if (this.#slices.isOver()) await this.#slices.next();
    }
    this.#add('"');
  }

  /** Writes items or members: those that are heavy by themselves, others in groups. */
  async #parts(container: Container): Promise<void> {
    const names = Array.isArray(container) ? null : Object.keys(container);
    const parts = container as Parts;
    const count = names?.length ?? (container as readonly unknown[]).length;
    let comma = '';
    let group = emptyGroup(container);
    let begin = 0;
    let sum = 0;
    const flush = async (end: number): Promise<void> => {
      const text = JSON.stringify(group).slice(1, -1);
      if (text !== '') {
        this.#put(comma + text);
        comma = ',';
      }
      group = emptyGroup(container);
      begin = end;
      sum = 0;
      if (this.#slices.isOver()) await this.#slices.next();
    };
    for (let at = 0; at < count && this.#length <= this.#maximum; at += 1) {
      const name = names?.[at];
      const part = parts[name ?? at];
      const weight = this.#scales.weigh(part);
      if (sum + weight > this.#weight) await flush(at);
      if (weight <= this.#weight) {
        group[name ?? at - begin] = part;
        sum += weight;
        continue;
      }
      this.#put(name === undefined ? comma : `${comma}${JSON.stringify(name)}:`);
      comma = ',';
      await this.write(part);
      begin = at + 1;
    }
    await flush(count);
  }

  #put(piece: string): void {
    this.#add(writeNumbers(piece));
  }

  #add(text: string): void {
    this.#piece += text;
    this.#length += text.length;
    if (this.#piece.length >= PIECE) this.#flush();
  }

  #flush(): void {
    if (this.#piece === '') return;
    this.#pieces.push(this.#piece);
    this.#octets += Buffer.byteLength(this.#piece);
    this.#piece = '';
  }
}

/**
 * Tells what is written at once from what is taken apart. It looks at twice as many values as would
 * do, and then knows of each container on the way down whether it is heavy, too. If it looked at
 * the same values again for each of 2,500 containers within each other, 10 MB would take a minute.
 */
class Scales {
  readonly #limit: number;
  #heavy: Set<unknown> | null = null;
  /** Values that `weigh` may still look at. */
  #left = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** About how many values there are in one, or more than the limit. */
  weigh(value: unknown): number {
    if (!isContainer(value)) return weightOf(value);
    if (this.#heavy?.has(value) === true) return this.#limit + 1;
    this.#left = 2 * this.#limit;
    return this.#weighContainer(value);
  }

  #weighContainer(value: Container): number {
    this.#left -= 1;
    let weight = 1;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && this.#left >= 0; index += 1) {
        weight += this.#weighPart(value[index]);
      }
    } else {
      const object = value as Readonly<Record<string, unknown>>;
      for (const name in object) {
        this.#left -= 1;
        weight += 1 + this.#weighPart(object[name]);
        if (this.#left < 0) break;
      }
    }
    if (weight > this.#limit) {
      this.#heavy ??= new Set();
      this.#heavy.add(value);
    }
    return weight;
  }

  #weighPart(value: unknown): number {
    if (isContainer(value)) return this.#weighContainer(value);
    const weight = weightOf(value);
    this.#left -= weight;
    return weight;
  }
}

/** A long text is no reason to look into what holds it: it is written at once anyway. */
function weightOf(value: unknown): number {
  return typeof value === 'string' ? 1 + value.length / CHARACTERS : 1;
}

function emptyGroup(container: Container): Parts {
  return (Array.isArray(container) ? ([] as unknown) : emptyObject()) as Parts;
}

/** Returns false for a value with `toJSON`: the native function writes it. */
function isContainer(value: unknown): value is Container {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as { readonly toJSON?: unknown }).toJSON !== 'function';
}
