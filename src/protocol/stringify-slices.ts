import type { Slices } from '../runtime/slices.js';
import { emptyObject, writeNumbers } from './json.js';

/** Values that are written at once, in about a millisecond; so many characters count as a value. */
const WEIGHT = 16_384;
const CHARACTERS = 64;
/** Characters of a long text that are written at once, for each value: it takes a fraction of their time. */
const TEXT = 16;

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

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
 * Returns what `JSON.stringify` and `writeNumbers` make of a value that is no cycle, in slices; what
 * is not heavy is written at once. Null where it is longer than `maximum` characters. Rejects with what `slices.next` throws.
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

/** Whether a value is too much to be written at once. Looks at no more of it than that takes. */
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
    } else if (Array.isArray(value)) {
      this.#put('[');
      await this.#items(value);
      this.#put(']');
    } else {
      this.#put('{');
      await this.#members(value as Readonly<Record<string, unknown>>);
      this.#put('}');
    }
  }

  async #text(value: string): Promise<void> {
    const size = Math.max(this.#weight, 1) * TEXT;
    this.#add('"');
    for (let begin = 0; begin < value.length && this.#length <= this.#maximum; ) {
      let end = Math.min(begin + size, value.length);
      // Halves of a pair would be written as escapes.
      if (isHigh(value.charCodeAt(end - 1)) && end < value.length) end += 1;
      this.#add(JSON.stringify(value.slice(begin, end)).slice(1, -1));
      begin = end;
      if (this.#slices.isOver()) await this.#slices.next();
    }
    this.#add('"');
  }

  async #items(items: readonly unknown[]): Promise<void> {
    let comma = '';
    let begin = 0;
    let sum = 0;
    const flush = async (end: number): Promise<void> => {
      if (end > begin) {
        this.#put(comma + JSON.stringify(items.slice(begin, end)).slice(1, -1));
        comma = ',';
      }
      sum = 0;
      if (this.#slices.isOver()) await this.#slices.next();
    };
    for (let index = 0; index < items.length && this.#length <= this.#maximum; index += 1) {
      const weight = this.#scales.weigh(items[index]);
      if (sum + weight > this.#weight) {
        await flush(index);
        begin = index;
      }
      sum += weight;
      if (weight <= this.#weight) continue;
      this.#put(comma);
      comma = ',';
      await this.write(items[index]);
      begin = index + 1;
      sum = 0;
    }
    await flush(items.length);
  }

  async #members(object: Readonly<Record<string, unknown>>): Promise<void> {
    let comma = '';
    let group = emptyObject<unknown>();
    let sum = 0;
    const flush = async (): Promise<void> => {
      const text = JSON.stringify(group).slice(1, -1);
      if (text !== '') {
        this.#put(comma + text);
        comma = ',';
      }
      group = emptyObject<unknown>();
      sum = 0;
      if (this.#slices.isOver()) await this.#slices.next();
    };
    for (const name of Object.keys(object)) {
      if (this.#length > this.#maximum) return;
      const member = object[name];
      const weight = this.#scales.weigh(member);
      if (sum + weight > this.#weight) await flush();
      if (weight <= this.#weight) {
        group[name] = member;
        sum += weight;
      } else {
        this.#put(`${comma}${JSON.stringify(name)}:`);
        comma = ',';
        await this.write(member);
      }
    }
    await flush();
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
 * do, and then knows of each container on the way down whether it is heavy, too: if it looked at
 * the same values again for each of 2,500 containers within each other, 10 MB would take a minute.
 */
class Scales {
  readonly #limit: number;
  #heavy: Set<unknown> | null = null;
  /** What may still be looked at. */
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

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** What `toJSON` makes of a value is written by the native function. */
function isContainer(value: unknown): value is Container {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as { readonly toJSON?: unknown }).toJSON !== 'function';
}
