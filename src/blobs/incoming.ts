import type { Readable } from 'node:stream';
import { BlobTooLargeError } from './port.js';

/** The octets of a source on their way into a store. */
export class IncomingOctets implements AsyncIterable<Uint8Array> {
  readonly #source: Readable;
  readonly #maxSize: number;
  /** Those that have come. */
  size = 0;
  /** Why no more come: the source failed, or it is too large. The store itself is fine. */
  failure: unknown = null;

  constructor(source: Readable, maxSize: number) {
    this.#source = source;
    this.#maxSize = maxSize;
    // Whoever reads a failed source is told by its iterator; the event must not end the process before that.
    source.on('error', () => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      // The source stays open where it is too large: it may be a request whose connection carries the answer.
      for await (const chunk of this.#source.iterator({ destroyOnReturn: false })) {
        const octets: Uint8Array = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
        this.size += octets.byteLength;
        if (this.size > this.#maxSize) throw new BlobTooLargeError(this.#maxSize);
        yield octets;
      }
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}
