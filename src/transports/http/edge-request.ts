import { IncomingMessage } from 'node:http';
import { readableEnded } from './node-internals.js';

/** Is told how a body comes: by one of the two, once. */
export interface BodyTaker {
  /** It came in one piece, and here it is. */
  whole(data: Buffer): void;
  /** It comes in pieces, late, or not at all, as the request's stream tells: nothing of it was taken. */
  inPieces(): void;
}

/**
 * A request whose body may be read past its stream (`takeBody`). Most bodies are one piece; to make
 * a stream, read it to its end and close it costs a small request a tenth of its time.
 */
export class EdgeRequest extends IncomingMessage {
  /** Octets of the body have come, or its end. */
  #hasBegun = false;
  #isTaken = false;
  #taker: BodyTaker | null = null;
  #length = 0;
  #whole: Buffer | null = null;

  /**
   * Hands over the body, of which so many octets are declared, in the moment it is whole. False where some of it is in
   * the stream already. Until `taker` is told it may be asked to be (`comesInPieces`).
   */
  takeBody(length: number, taker: BodyTaker): boolean {
    if (this.#hasBegun) return false;
    this.#taker = taker;
    this.#length = length;
    return true;
  }

  /** The body has not come in time. */
  comesInPieces(): void {
    const taker = this.#taker;
    this.#taker = null;
    const whole = this.#whole;
    this.#whole = null;
    if (whole !== null) super.push(whole);
    taker?.inPieces();
  }

  /** The whole body was taken: its stream has ended without having begun. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** What the parser puts in: octets, then null. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    this.#hasBegun = true;
    const taker = this.#taker;
    if (taker === null) return super.push(chunk, encoding);
    if (chunk === null) {
      this.#taker = null;
      this.#isTaken = true;
      const data = this.#whole ?? NOTHING;
      this.#whole = null;
      // Otherwise Node would throw the rest of the body away behind the answer.
      (this as { _consuming?: boolean })._consuming = true;
      taker.whole(data);
      return true;
    }
    if (chunk.length === this.#length) {
      this.#whole = chunk;
      return true;
    }
    this.comesInPieces();
    return super.push(chunk, encoding);
  }

  /** The client has left. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.comesInPieces();
    super._destroy(error, callback);
  }
}

const NOTHING: Buffer = Buffer.alloc(0);

// Node lets go of a request whose stream has ended.
if (readableEnded !== null) {
  const ended = readableEnded;
  Object.defineProperty(EdgeRequest.prototype, 'readableEnded', {
    configurable: true,
    get(this: EdgeRequest): boolean {
      return this.isTaken || Boolean(ended.call(this));
    },
  });
}
