import { Readable } from 'node:stream';
import { BlobMissingError, BlobTooLargeError } from '../../blobs/port.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { requireTime } from '../../runtime/deadlines.js';
import type { BlobRow, NewBlob } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { quoted } from '../issues.js';
import type { DataSource, Upload } from './upload-object.js';

/** A part of the new blob: octets at hand, or a range of another blob's. */
type Piece =
  | { readonly octets: Buffer }
  | { readonly blobId: string; readonly start: number; readonly end: number };

/**
 * Writes the octets of one Blob/upload's blobs, each concatenated from its data sources as a
 * stream.
 */
export class BlobWriter {
  readonly #context: CallContext;
  readonly #sources: ReadonlyMap<string, BlobRow>;
  readonly #written = new Map<string, NewBlob>();
  #kept = false;

  /** `sources`: the blobs that the user can see, of those that uploads refer to by id. */
  constructor(context: CallContext, sources: ReadonlyMap<string, BlobRow>) {
    this.#context = context;
    this.#sources = sources;
  }

  /** What has been written, by creation id. */
  get written(): ReadonlyMap<string, NewBlob> {
    return this.#written;
  }

  /** Writes one blob; what is wrong with it, or null. */
  async write(creationId: string, upload: Upload): Promise<SetError | null> {
    const { services, request, deadline } = this.#context;
    const pieces: Piece[] = [];
    for (const [position, source] of upload.data.entries()) {
      const piece = this.#piece(creationId, source);
      if (piece === null) return unusable(position, source);
      pieces.push(piece);
    }
    const maximum = services.limits.maxSizeUpload;
    if (pieces.reduce((sum, piece) => sum + octetsOf(piece), 0) > maximum) return tooLarge(maximum);
    const accountId = accountOf(this.#context).id;
    const { id } = services.ids.next('b');
    const octets = Readable.from(concatenated(this.#context, pieces), { objectMode: false });
    try {
      const { size } = await services.blobs.write(accountId, id, octets, maximum);
      const { userId } = request.principal;
      this.#written.set(creationId, { id, type: upload.type, size, uploaderId: userId });
      requireTime(deadline);
      return null;
    } catch (error) {
      if (error instanceof BlobTooLargeError) return tooLarge(maximum);
      // Collected since its row was read: the same answer as for one that was never there.
      if (error instanceof BlobMissingError) return unusable(null, null);
      throw error;
    }
  }

  /** Says that the blobs have got their rows. */
  keep(): void {
    this.#kept = true;
  }

  /** Removes the octets again, unless they are kept. */
  async discard(): Promise<void> {
    if (this.#kept) return;
    const accountId = accountOf(this.#context).id;
    for (const { id } of this.#written.values()) {
      await this.#context.services.blobs.delete(accountId, id);
    }
  }

  /** Null where the source is no blob that the user can see, or has not that range. */
  #piece(creationId: string, source: DataSource): Piece | null {
    if (source.kind === 'octets') return { octets: source.octets };
    const blob = this.#blob(creationId, source.blobId);
    if (blob === undefined) return null;
    const end = source.length === null ? blob.size : source.offset + source.length;
    if (source.offset > blob.size || end > blob.size) return null;
    return { blobId: blob.id, start: source.offset, end };
  }

  #blob(
    creationId: string,
    text: string,
  ): { readonly id: string; readonly size: number } | undefined {
    if (!text.startsWith('#')) return this.#sources.get(text);
    const name = text.slice(1);
    // The most recent creation under the id counts (RFC 8620 5.3); that of this very entry is not
    // made yet.
    const own = name === creationId ? undefined : this.#written.get(name);
    if (own !== undefined) return own;
    const earlier = this.#context.request.createdIds.get(name);
    return earlier === undefined ? undefined : this.#sources.get(earlier);
  }
}

async function* concatenated(
  context: CallContext,
  pieces: readonly Piece[],
): AsyncGenerator<Buffer> {
  const accountId = accountOf(context).id;
  for (const piece of pieces) {
    if (octetsOf(piece) === 0) continue;
    if ('octets' in piece) {
      yield piece.octets;
      continue;
    }
    const { blobId, start, end } = piece;
    for await (const chunk of await context.services.blobs.read(accountId, blobId, {
      start,
      end,
    })) {
      requireTime(context.deadline);
      yield chunk as Buffer;
    }
  }
}

function octetsOf(piece: Piece): number {
  return 'octets' in piece ? piece.octets.length : piece.end - piece.start;
}

function tooLarge(maximum: number): SetError {
  return setError('tooLarge', `The blob would have more than ${maximum} octets.`);
}

/**
 * One answer for a blob that isn't there, one that the user can't see, and a range beyond its end.
 */
function unusable(position: number | null, source: DataSource | null): SetError {
  const where = position === null ? '"data"' : `"data/${position}"`;
  const what = source?.kind === 'blob' ? quoted(source.blobId) : 'a blob';
  return setError(
    'invalidProperties',
    `${where} takes octets of ${what} that you can't read or that it doesn't have.`,
    { properties: ['data'] },
  );
}
