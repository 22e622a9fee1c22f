import { createInflateRaw, type InflateRaw } from 'node:zlib';
import { RecentOctets } from './recent-octets.js';

/** What the sender left out (RFC 7692 7.2.2). */
const TAIL = Buffer.from([0x00, 0x00, 0xff, 0xff]);
/** What an inflater takes with its window, its first chunk of output, and what its window is made anew of. */
const CONTEXT = 131_072;
/** Octets below which a chunk is copied: half of what an inflater has for one. */
const SPARSE = 8192;
/** Blocks of a message that may be final: behind each an inflater is made for what is left. */
const FINAL_BLOCKS = 1024;
/** RFC 6455 7.4.1. */
const INVALID_DATA = 1007;
const POLICY = 1008;
const TOO_BIG = 1009;
const TRY_AGAIN = 1013;

export interface InflateBounds {
  /** Octets that a message may inflate to. */
  readonly maximum: number;
  /** Counts octets of a message that isn't whole yet; false where there is no room for them. */
  hold(octets: number): boolean;
  /** Closes the connection. */
  refuse(code: number, reason: string): void;
}

/**
 * One compressed message, from its first fragment to its last. Of what is too much no more is made than is refused.
 * Blocks of it may be final (RFC 7692 7.2.1, 7.2.3.4), where an inflater ends: with another one the message goes on,
 * and may refer to what it has inflated to.
 */
export class Inflating {
  readonly #bounds: InflateBounds;
  readonly #maxWindowBits: number | undefined;
  readonly #recent = new RecentOctets();
  #stream: InflateRaw;
  #finalBlocks = 0;
  #chunks: Buffer[] = [];
  #octets = 0;
  #done: ((error: Error | null, octets: Buffer) => void) | null = null;
  #isHeld = false;

  constructor(maxWindowBits: number | undefined, bounds: InflateBounds) {
    this.#bounds = bounds;
    this.#maxWindowBits = maxWindowBits;
    this.#stream = this.#open(Buffer.alloc(0));
  }

  /** Calls `done` once, whatever happens: ws waits for it, also to let go of a connection that is closed. */
  add(data: Buffer, fin: boolean, done: (error: Error | null, octets: Buffer) => void): void {
    this.#done = done;
    if (!this.#isHeld && !this.#bounds.hold(CONTEXT)) {
      this.#fail(TRY_AGAIN, 'The server has too much to do.');
      return;
    }
    this.#isHeld = true;
    const end = (): void => this.#end(fin, done);
    this.#inflate(data, fin ? () => this.#inflate(TAIL, end) : end);
  }

  end(): void {
    this.#stream.close();
  }

  #open(window: Buffer): InflateRaw {
    const bits = this.#maxWindowBits;
    const stream = createInflateRaw({
      ...(bits === undefined ? {} : { windowBits: bits }),
      ...(window.length === 0 ? {} : { dictionary: window }),
    });
    stream.on('data', (chunk: Buffer) => this.#inflated(chunk));
    stream.on('error', () => this.#fail(INVALID_DATA, 'The message does not inflate.'));
    return stream;
  }

  /** Calls `next` when all of it is inflated, unless that fails; never at once, which ws isn't made for. */
  #inflate(data: Buffer, next: () => void): void {
    const stream = this.#stream;
    const before = stream.bytesWritten;
    stream.write(data, () => {
      if (this.#done === null) return;
      const taken = stream.bytesWritten - before;
      // One that was closed takes nothing more, and nobody reads what is missing.
      if (taken === data.length || stream.destroyed) next();
      else if (this.#goOn()) this.#inflate(data.subarray(taken), next);
    });
  }

  /** Behind a final block, which has ended the stream. */
  #goOn(): boolean {
    this.#finalBlocks += 1;
    if (this.#finalBlocks > FINAL_BLOCKS) {
      this.#fail(POLICY, 'The message has too many final blocks.');
      return false;
    }
    this.#stream.close();
    this.#stream = this.#open(this.#recent.joined());
    return true;
  }

  #end(fin: boolean, done: (error: Error | null, octets: Buffer) => void): void {
    const octets = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#done = null;
    if (fin) this.#stream.close();
    done(null, octets);
  }

  #inflated(chunk: Buffer): void {
    if (this.#done === null) return;
    this.#octets += chunk.length;
    if (this.#octets > this.#bounds.maximum) {
      this.#fail(TOO_BIG, 'The message is far larger than maxSizeRequest.');
    } else if (!this.#bounds.hold(chunk.length)) {
      this.#fail(TRY_AGAIN, 'The server has too much to do.');
    } else {
      // It is a part of what the inflater has for its output: a few octets would keep all of that.
      const own = chunk.length < SPARSE ? Buffer.from(chunk) : chunk;
      this.#chunks.push(own);
      this.#recent.add(own);
    }
  }

  #fail(code: number, reason: string): void {
    const done = this.#done;
    this.#done = null;
    this.#chunks = [];
    this.#stream.close();
    // Of a message that failed between two fragments ws hears with the next one.
    if (done === null) return;
    this.#bounds.refuse(code, reason);
    done(new Error(reason), Buffer.alloc(0));
  }
}
