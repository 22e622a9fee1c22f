import type { Readable } from 'node:stream';
import { BlobTooLargeError } from './blob-store.js';

/** The octets of a source on their way into a store. */
export class IncomingOctets implements AsyncIterable<Uint8Array> {
  readonly #source: Readable;
  readonly #maxSize: number;
  /** Octets that have come so far. */
  size = 0;
  /** Why no more come: the source failed, or it is too large. The store itself is fine. */
  failure: unknown = null;

  constructor(source: Readable, maxSize: number) {
    this.#source = source;
    this.#maxSize = maxSize;
    // The iterator tells its reader of a failure; the event must not end the process before that.
    source.on('error', () => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      // A source that is too large stays open: it may be a request that awaits its answer.
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
