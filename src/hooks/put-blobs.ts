import { Readable } from 'node:stream';
import type { BlobOctets } from '../capability/hooks.js';
import { NewBlobs } from '../methods/blob/call-blobs.js';
import type { CallContext } from '../methods/context.js';
import { HookHandleError } from '../methods/hook-errors.js';
import { quoted } from '../methods/issues.js';
import { UnknownOutcomeError } from '../protocol/errors.js';
import { DEFAULT_MEDIA_TYPE, isMediaType } from '../protocol/media-type.js';
import type { NewBlob, Transaction } from '../store/port.js';

/**
 * The blobs that the hooks of one call put. Their octets are there before their rows, which belong
 * to the transaction of the call. If that is undone, the octets go; if the process ends before, the
 * daily sweep takes them.
 */
export class PutBlobs {
  readonly #blobs: NewBlobs;
  readonly #context: CallContext;
  /** Blobs with a row in the transaction of this attempt. */
  #rows: NewBlob[] = [];
  /** By stream that is written: the end of that, which never rejects. */
  readonly #writing = new Map<Readable, Promise<unknown>>();

  constructor(context: CallContext) {
    this.#context = context;
    this.#blobs = new NewBlobs(context);
  }

  /** Writes octets, then a row. Rejects with BlobTooLargeError beyond maxSizeUpload. */
  async put(
    transaction: Transaction,
    octets: BlobOctets,
    type: string = DEFAULT_MEDIA_TYPE,
  ): Promise<NewBlob> {
    if (!isMediaType(type)) {
      throw new HookHandleError(
        `tx.putBlob takes a media type such as text/plain, not ${quoted(type)}.`,
      );
    }
    const source = readableOf(octets);
    const putting = this.#put(transaction, source, type);
    const ended = putting.then(
      () => undefined,
      () => undefined,
    );
    this.#writing.set(source, ended);
    return putting.finally(() => this.#writing.delete(source));
  }

  /** A transaction begins: the rows of an attempt before it did not come to be. */
  begin(): void {
    this.#rows = [];
  }

  /** The transaction is on disk. */
  committed(): void {
    this.#blobs.keep(this.#rows);
    this.#discard();
  }

  /** The transaction is undone, or nobody knows: then the octets stay for the sweep. */
  undone(error: unknown): void {
    if (!(error instanceof UnknownOutcomeError)) this.#discard();
  }

  async #put(transaction: Transaction, source: Readable, type: string): Promise<NewBlob> {
    const { blobs, limits } = this.#context.services;
    const blob = await this.#blobs.write(type, async ({ accountId, blobId }) => {
      const { size } = await blobs.write(accountId, blobId, source, limits.maxSizeUpload);
      return size;
    });
    await transaction.insertBlobs([blob]);
    this.#rows.push(blob);
    return blob;
  }

  /** Ends streams that a hook, given up, still writes, and removes octets without a row. */
  #discard(): void {
    for (const source of this.#writing.keys()) source.destroy(new HookHandleError(OVER));
    Promise.all(this.#writing.values())
      .then(() => this.#blobs.discardRowless())
      // The sweep finds them.
      .catch(() => undefined);
  }
}

const OVER = 'The call of this hook is over.';

function readableOf(octets: BlobOctets): Readable {
  if (typeof octets === 'string') return Readable.from([Buffer.from(octets)]);
  if (octets instanceof Uint8Array) return Readable.from([octets]);
  if (octets instanceof Readable) return octets;
  if (typeof octets === 'object' && octets !== null && Symbol.asyncIterator in octets)
    return Readable.from(octets, { objectMode: false });
  throw new HookHandleError('tx.putBlob takes a text, a Uint8Array or a stream of them.');
}
