import { stringEnd } from './ijson-scan.js';

/**
 * Where a long JSON text can be cut, so that each piece is read by the native parser in a moment.
 * The steps say how the whole is put together, in the order of the text:
 *
 * - `run`: octets that hold whole members or items of the container that is open, with the commas
 *   between them, but none at either end. `comma` says that one comes after them; `last`, that the
 *   container or the text ends there.
 * - `open`: a container that is cut itself begins at `to`; before it stands its name in an object.
 * - `blank`: nothing but white space may stand here.
 * - `close`: the container that was opened last ends.
 * - `broken`: the octets can't be read on from `from` in the container that is open: what the
 *   native parser says of them is the error.
 */
export interface Step {
  readonly kind: 'run' | 'open' | 'blank' | 'close' | 'broken';
  readonly from: number;
  readonly to: number;
  /** Of the container that is open (`run`, `broken`) or opened (`open`). */
  readonly isArray: boolean;
  /** `run`: a comma follows. */
  readonly comma: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** One array or object that is open where the splitter is. */
interface Frame {
  readonly isArray: boolean;
  /** Where its bracket is; -1 for the text itself, which is taken as an array of one item. */
  readonly start: number;
  /** Its last comma so far, and -1 where there is none behind `from`. */
  comma: number;
  /** Where that begins which no step has yet. Only of containers that are cut. */
  from: number;
  /** A container that was cut has ended at `from`: white space, then a comma or the end. */
  isAfterChild: boolean;
}

/**
 * Cuts JSON in UTF-8 into pieces of about `size` octets; a single string or number may be longer.
 * Works through the text a part at a time, so that others have their turns between.
 */
export class Splitter {
  readonly steps: Step[] = [];
  tooDeep = false;
  readonly #octets: Uint8Array;
  readonly #size: number;
  readonly #maxDepth: number;
  readonly #frames: Frame[];
  /** The innermost container that is cut. */
  #cut = 0;
  #depth = 0;
  #at = 0;
  #isBroken = false;

  constructor(octets: Uint8Array, size: number, maxDepth: number) {
    this.#octets = octets;
    this.#size = size;
    this.#maxDepth = maxDepth;
    this.#frames = [{ isArray: true, start: -1, comma: -1, from: 0, isAfterChild: false }];
  }

  /** Looks at about `count` octets more; true when all have been looked at. */
  advance(count: number): boolean {
    const octets = this.#octets;
    const { length } = octets;
    const end = Math.min(length, this.#at + count);
    let at = this.#at;
    while (at < end && !this.tooDeep) {
      const octet = octets[at] ?? 0;
      if (octet === QUOTE) {
        at = stringEnd(octets, at + 1);
      } else if (octet === COMMA) {
        if (!this.#isBroken) this.#atComma(at);
      } else if (octet === OPEN_OBJECT || octet === OPEN_ARRAY) {
        this.#depth += 1;
        this.tooDeep = this.#depth > this.#maxDepth;
        if (!this.#isBroken) this.#atOpening(at, octet === OPEN_ARRAY);
      } else if (octet === CLOSE_OBJECT || octet === CLOSE_ARRAY) {
        this.#depth -= 1;
        if (!this.#isBroken) this.#atClosing(at, octet === CLOSE_ARRAY);
      }
      at += 1;
    }
    this.#at = at;
    const isDone = at >= length || this.tooDeep;
    if (isDone && !this.#isBroken) this.#atEnd(length);
    return isDone;
  }

  #atComma(at: number): void {
    const frame = this.#last();
    // A text is one value.
    if (frame.start < 0) {
      this.#break(at);
      return;
    }
    frame.comma = at;
    if (frame.isAfterChild) this.#flush(frame);
    else if (this.#isLong(at)) this.#shorten(at);
  }

  #atOpening(at: number, isArray: boolean): void {
    if (this.#last().isAfterChild) {
      this.#break(at);
      return;
    }
    this.#frames.push({ isArray, start: at, comma: -1, from: at + 1, isAfterChild: false });
    if (this.#isLong(at)) this.#shorten(at);
  }

  #atClosing(at: number, isArray: boolean): void {
    const frame = this.#last();
    if (frame.start < 0 || frame.isArray !== isArray) {
      this.#break(at);
      return;
    }
    this.#frames.pop();
    if (this.#frames.length > this.#cut) return;
    this.#step(frame.isAfterChild ? 'blank' : 'run', frame, at);
    this.steps.push({ kind: 'close', from: at, to: at, isArray, comma: false });
    this.#cut -= 1;
    const outer = this.#last();
    outer.from = at + 1;
    outer.comma = -1;
    outer.isAfterChild = true;
  }

  #atEnd(length: number): void {
    const frame = this.#frames[this.#cut];
    if (frame === undefined) return;
    if (this.#cut > 0) this.#step('broken', frame, length);
    else this.#step(frame.isAfterChild ? 'blank' : 'run', frame, length);
  }

  #isLong(at: number): boolean {
    return at - (this.#frames[this.#cut]?.from ?? at) >= this.#size;
  }

  /** Makes steps of what is whole, and cuts the container that is open where that is not enough. */
  #shorten(at: number): void {
    for (let isCut = true; isCut && this.#isLong(at); ) {
      const frame = this.#frames[this.#cut];
      if (frame !== undefined && frame.comma >= frame.from) this.#flush(frame);
      isCut = this.#isLong(at) && this.#cutNext();
    }
  }

  #flush(frame: Frame): void {
    this.#step(frame.isAfterChild ? 'blank' : 'run', frame, frame.comma, true);
    frame.from = frame.comma + 1;
    frame.comma = -1;
    frame.isAfterChild = false;
  }

  #cutNext(): boolean {
    const outer = this.#frames[this.#cut];
    const inner = this.#frames[this.#cut + 1];
    if (outer === undefined || inner === undefined) return false;
    const { start: to, isArray } = inner;
    this.steps.push({ kind: 'open', from: outer.from, to, isArray, comma: false });
    this.#cut += 1;
    return true;
  }

  /** The native parser has to find something in front of the octet after `at`. */
  #break(at: number): void {
    this.#isBroken = true;
    const frame = this.#frames[this.#cut];
    if (frame !== undefined) this.#step('broken', frame, at + 1);
  }

  #step(kind: Step['kind'], { from, isArray }: Frame, to: number, comma = false): void {
    this.steps.push({ kind, from, to, isArray, comma });
  }

  #last(): Frame {
    const frame = this.#frames[this.#frames.length - 1];
    if (frame === undefined) throw new Error('The text itself is always open.');
    return frame;
  }
}
