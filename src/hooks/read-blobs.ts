import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { HookBlob } from '../capability/hooks.js';
import { HookHandleError } from '../methods/hook-errors.js';
import type { BlobRow } from '../store/port.js';

/** Octets `start` to `end`, without the last. */
interface OctetRange {
  readonly start: number;
  readonly end: number;
}

/** Opens the octets of a blob of the account. */
export type BlobOpener = (blobId: string, range?: OctetRange) => Promise<Readable>;

/** The blobs that one hook reads: their streams end with the hook. */
export class ReadBlobs {
  readonly #open: BlobOpener;
  readonly #streams = new Set<Readable>();
  #over = false;

  constructor(open: BlobOpener) {
    this.#open = open;
  }

  /** Returns a blob for a hook. */
  offer({ id, type, size }: BlobRow): HookBlob {
    const stream = (range?: OctetRange): Promise<Readable> => this.#stream(id, range);
    const bytes = async (): Promise<Uint8Array> => buffer(await stream());
    return Object.freeze({ id, type, size, stream, bytes });
  }

  /** Closes what a hook has left open. */
  end(): void {
    this.#over = true;
    for (const stream of this.#streams) stream.destroy();
  }

  async #stream(id: string, range?: OctetRange): Promise<Readable> {
    if (this.#over) throw new HookHandleError(LATE);
    const stream = await this.#open(id, range);
    // Nobody may listen any more: it must not end the process.
    stream.on('error', () => undefined);
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    if (!this.#over) return stream;
    stream.destroy();
    throw new HookHandleError(LATE);
  }
}

const LATE = 'The hook that reads this blob is over.';
