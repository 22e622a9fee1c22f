import type {
  BlobUploadArguments,
  BlobUploadResponse,
} from '../../../generated/blob/methods.types.js';
import type { SetError } from '../../protocol/errors.js';
import type { BlobRow, NewBlob } from '../../store/port.js';
import { accountOf } from '../accounts.js';
import type { CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { requireObjects } from '../set/plan.js';
import { orNull } from '../set/report.js';
import { BlobWriter } from './blob-writer.js';
import { parseUpload, referencedBlobs, type Upload } from './upload-object.js';
import { orderUploads } from './upload-order.js';

/**
 * Blob/upload (RFC 9404 4.1, D21). Octets are on disk before the one transaction that makes the
 * rows; where that fails they are removed again.
 */
export async function blobUpload(
  args: BlobUploadArguments,
  context: CallContext,
): Promise<BlobUploadResponse> {
  const { store, limits } = context.services;
  const account = accountOf(context);
  const entries = Object.entries(args.create);
  requireObjects(entries.length, limits.maxObjectsInSet);
  const notCreated = new Map<string, SetError>();
  const uploads = new Map<string, Upload>();
  for (const [creationId, value] of entries) {
    const parsed = parseUpload(value);
    if (parsed.kind === 'refused') notCreated.set(creationId, parsed.error);
    else uploads.set(creationId, parsed.upload);
  }
  const writer = new BlobWriter(context, await readSources(uploads, context));
  try {
    const { order, cyclic } = orderUploads(uploads);
    for (const [creationId, error] of cyclic) notCreated.set(creationId, error);
    for (const creationId of order) {
      const upload = uploads.get(creationId);
      const error = upload === undefined ? null : await writer.write(creationId, upload);
      if (error !== null) notCreated.set(creationId, error);
    }
    const blobs = writer.written;
    const response = {
      accountId: account.id,
      created: orNull(inOrder(entries, (creationId) => report(blobs.get(creationId)))),
      notCreated: orNull(inOrder(entries, (creationId) => notCreated.get(creationId))),
    };
    if (blobs.size > 0) {
      await store.write(account.id, context, async (transaction) => {
        await transaction.insertBlobs([...blobs.values()]);
        const ids = [...blobs].map(([creationId, blob]) => [creationId, blob.id] as const);
        await context.admit(response, new Map(ids));
      });
      writer.keep();
    }
    return response;
  } finally {
    await writer.discard();
  }
}

/** Rows of the blobs that the uploads take octets of and that the user can see, at once for all. */
async function readSources(
  uploads: ReadonlyMap<string, Upload>,
  context: CallContext,
): Promise<ReadonlyMap<string, BlobRow>> {
  const ids = new Set<string>();
  for (const upload of uploads.values()) {
    for (const text of referencedBlobs(upload)) {
      const id = resolveId(text, context.request.createdIds);
      if (id !== null) ids.add(id);
    }
  }
  if (ids.size === 0) return new Map();
  const { store } = context.services;
  const { userId } = context.request.principal;
  const rows = await store.read(accountOf(context).id, context, (snapshot) =>
    snapshot.blobs([...ids], userId),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** D21: `id` is RFC 9404's name, `blobId` that of service.md and of the upload endpoint. */
function report(blob: NewBlob | undefined) {
  if (blob === undefined) return undefined;
  return { id: blob.id, blobId: blob.id, type: blob.type, size: blob.size };
}

function inOrder<T>(
  entries: readonly (readonly [string, unknown])[],
  valueFor: (creationId: string) => T | undefined,
): ReadonlyMap<string, T> {
  const map = new Map<string, T>();
  for (const [creationId] of entries) {
    const value = valueFor(creationId);
    if (value !== undefined) map.set(creationId, value);
  }
  return map;
}
