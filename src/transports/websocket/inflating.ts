import { createInflateRaw, type InflateRaw } from 'node:zlib';

/** What the sender left out (RFC 7692 7.2.2). */
const TAIL = Buffer.from([0x00, 0x00, 0xff, 0xff]);
/** What an inflater takes with its window and its first chunk of output. */
const CONTEXT = 65_536;
/** RFC 6455 7.4.1. */
const INVALID_DATA = 1007;
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

/** One compressed message, from its first fragment to its last. Of what is too much no more is made than is refused. */
export class Inflating {
  readonly #bounds: InflateBounds;
  readonly #stream: InflateRaw;
  #chunks: Buffer[] = [];
  #octets = 0;
  #done: ((error: Error | null, octets: Buffer) => void) | null = null;
  #isHeld = false;

  constructor(maxWindowBits: number | undefined, bounds: InflateBounds) {
    this.#bounds = bounds;
    this.#stream = createInflateRaw(
      maxWindowBits === undefined ? {} : { windowBits: maxWindowBits },
    );
    this.#stream.on('data', (chunk: Buffer) => this.#inflated(chunk));
    this.#stream.on('error', () => this.#fail(INVALID_DATA, 'The message does not inflate.'));
  }

  /** Calls `done` once, whatever happens: ws waits for it, also to let go of a connection that is closed. */
  add(data: Buffer, fin: boolean, done: (error: Error | null, octets: Buffer) => void): void {
    this.#done = done;
    if (!this.#isHeld && !this.#bounds.hold(CONTEXT)) {
      this.#fail(TRY_AGAIN, 'The server has too much to do.');
      return;
    }
    this.#isHeld = true;
    this.#stream.write(data);
    if (fin) this.#stream.write(TAIL);
    this.#stream.flush(() => {
      if (this.#done === null) return;
      const octets = Buffer.concat(this.#chunks);
      this.#chunks = [];
      this.#done = null;
      if (fin) this.#stream.close();
      done(null, octets);
    });
  }

  end(): void {
    this.#stream.close();
  }

  #inflated(chunk: Buffer): void {
    if (this.#done === null) return;
    this.#octets += chunk.length;
    if (this.#octets > this.#bounds.maximum) {
      this.#fail(TOO_BIG, 'The message is far larger than maxSizeRequest.');
    } else if (!this.#bounds.hold(chunk.length)) {
      this.#fail(TRY_AGAIN, 'The server has too much to do.');
    } else {
      this.#chunks.push(chunk);
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
