import { Readable } from 'node:stream';
import type { BlobUploadArguments, BlobUploadResponse } from '../../../generated/blob/methods.js';
import { BlobMissingError, BlobTooLargeError } from '../../blobs/blob-store.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { requireTime } from '../../runtime/deadlines.js';
import type { BlobRow, NewBlob } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { Answer, CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import { largerThan, maxSizeOf } from '../quota/unreferenced-blobs.js';
import { groupsOf } from '../set/circles.js';
import { requireObjects } from '../set/plan-set.js';
import { NewBlobs, orNull, visibleBlobs } from './call-blobs.js';
import { requireWriter } from './require-writer.js';
import { type DataSource, parseUpload, referencedBlobs, type Upload } from './upload-object.js';

/**
 * Answers Blob/upload (RFC 9404 4.1). Octets are on disk before the one transaction that makes the
 * rows; where that fails they are removed again.
 */
export async function blobUpload(args: BlobUploadArguments, context: CallContext): Promise<Answer> {
  const entries = Object.entries(args.create);
  requireObjects(entries.length, context.services.limits.maxObjectsInSet);
  await requireWriter(context);
  const run = new UploadRun(context, entries);
  try {
    await run.makeAll();
    const created = new Map<string, ReturnType<typeof report>>();
    const notCreated = new Map<string, SetError>();
    for (const [creationId] of entries) {
      const blob = run.createdBlobs.get(creationId);
      const error = run.refused.get(creationId);
      if (blob !== undefined) created.set(creationId, report(blob));
      if (error !== undefined) notCreated.set(creationId, error);
    }
    const response: BlobUploadResponse = {
      accountId: accountOf(context).id,
      created: orNull(created),
      notCreated: orNull(notCreated),
    };
    const ids = [...run.createdBlobs].map(([creationId, { id }]) => [creationId, id] as const);
    return await run.blobs.insert([...run.createdBlobs.values()], response, ids);
  } finally {
    await run.blobs.discardRowless();
  }
}

/** `id` is RFC 9404's name, `blobId` the upload endpoint's. */
function report({ id, type, size }: NewBlob) {
  return { id, blobId: id, type, size };
}

/** A part of a new blob: octets at hand, or a range of another blob's. */
type Piece =
  | { readonly octets: Buffer }
  | { readonly blobId: string; readonly start: number; readonly end: number };

const IN_CIRCLE = setError('invalidProperties', '"data" refers to creation ids in a cycle.', {
  properties: ['data'],
});

/** Makes the blobs of one call, each concatenated from its data sources as a stream. */
class UploadRun {
  readonly #context: CallContext;
  readonly #uploads = new Map<string, Upload>();
  /** The blobs that the user can see, of those that uploads refer to by id. */
  #sources: ReadonlyMap<string, BlobRow> = new Map();
  readonly blobs: NewBlobs;
  /** By creation id. */
  readonly createdBlobs = new Map<string, NewBlob>();
  readonly refused = new Map<string, SetError>();

  constructor(context: CallContext, entries: readonly (readonly [string, unknown])[]) {
    this.#context = context;
    this.blobs = new NewBlobs(context);
    for (const [creationId, value] of entries) {
      const parsed = parseUpload(value);
      if (parsed.kind === 'refused') this.refused.set(creationId, parsed.error);
      else this.#uploads.set(creationId, parsed.upload);
    }
  }

  async makeAll(): Promise<void> {
    const { createdIds } = this.#context.request;
    const texts = [...this.#uploads.values()].flatMap(referencedBlobs);
    const ids = new Set(
      texts.map((text) => resolveId(text, createdIds)).filter((id) => id !== null),
    );
    this.#sources = await visibleBlobs(accountOf(this.#context).id, ids, this.#context);
    // RFC 8620 5.3: each behind those of the same call that it refers to by "#".
    for (const { ids: group, isCircle } of groupsOf(this.#uploads.keys(), this.#needsOf)) {
      for (const creationId of group) {
        const upload = this.#uploads.get(creationId);
        if (upload === undefined) continue;
        const isBehind = this.#needsOf(creationId).some((id) => this.refused.get(id) === IN_CIRCLE);
        const error = isCircle || isBehind ? IN_CIRCLE : await this.#write(creationId, upload);
        if (error !== null) this.refused.set(creationId, error);
      }
    }
  }

  /** Uploads of this call. One that refers to its own creation id means an earlier call's. */
  readonly #needsOf = (creationId: string): readonly string[] => {
    const upload = this.#uploads.get(creationId);
    if (upload === undefined) return [];
    return referencedBlobs(upload)
      .filter((text) => text.startsWith('#'))
      .map((text) => text.slice(1))
      .filter((id) => id !== creationId && this.#uploads.has(id));
  };

  /** Returns the error of the blob, or null. */
  async #write(creationId: string, { type, data }: Upload): Promise<SetError | null> {
    const { services } = this.#context;
    const pieces: Piece[] = [];
    for (const [position, source] of data.entries()) {
      const piece = this.#piece(creationId, source);
      if (piece === null) return unusable(position, source);
      pieces.push(piece);
    }
    const { maxSizeUpload } = services.limits;
    const quota = services.registry.unreferencedBlobs;
    const maximum = maxSizeOf(quota, maxSizeUpload);
    if (pieces.reduce((sum, piece) => sum + octetsOf(piece), 0) > maximum)
      return largerThan(quota, maxSizeUpload);
    const octets = Readable.from(concatenated(this.#context, pieces), { objectMode: false });
    try {
      const blob = await this.blobs.write(type, async ({ accountId, blobId }) => {
        const { size } = await services.blobs.write(accountId, blobId, octets, maximum);
        return size;
      });
      this.createdBlobs.set(creationId, blob);
      return null;
    } catch (error) {
      if (error instanceof BlobTooLargeError) return largerThan(quota, maxSizeUpload);
      // Collected since its row was read: the same answer as for one that was never there.
      if (error instanceof BlobMissingError) return unusable(null, null);
      throw error;
    }
  }

  /** Returns null where the source is no blob that the user can see, or has not that range. */
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
    // The most recent creation under the id counts (RFC 8620 5.3); that of this very entry is not
    // made yet.
    const name = text.startsWith('#') ? text.slice(1) : null;
    const own = name === null || name === creationId ? undefined : this.createdBlobs.get(name);
    if (own !== undefined) return own;
    const id = resolveId(text, this.#context.request.createdIds);
    return id === null ? undefined : this.#sources.get(id);
  }
}

async function* concatenated(
  context: CallContext,
  pieces: readonly Piece[],
): AsyncGenerator<Buffer> {
  const { blobs } = context.services;
  const accountId = accountOf(context).id;
  for (const piece of pieces) {
    if (octetsOf(piece) === 0) continue;
    if ('octets' in piece) {
      yield piece.octets;
      continue;
    }
    for await (const chunk of await blobs.read(accountId, piece.blobId, piece)) {
      requireTime(context.deadline);
      yield chunk as Buffer;
    }
  }
}

function octetsOf(piece: Piece): number {
  return 'octets' in piece ? piece.octets.length : piece.end - piece.start;
}

/**
 * Returns one answer for a blob that isn't there, one that the user can't see, and a range beyond
 * its end.
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
