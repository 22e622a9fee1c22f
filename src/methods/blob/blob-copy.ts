import type { BlobCopyArguments, BlobCopyResponse } from '../../../generated/core/methods.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { accountOf, sourceAccount } from '../accounts.js';
import type { Answer, CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import { requireObjects } from '../set/plan-set.js';
import { NewBlobs, orNull, visibleBlobs } from './call-blobs.js';

/** Answers Blob/copy (RFC 8620 6.3). */
export async function blobCopy(args: BlobCopyArguments, context: CallContext): Promise<Answer> {
  const from = sourceAccount(args.fromAccountId, context, 'accountNotSupportedByMethod');
  const texts = new Set(args.blobIds);
  requireObjects(texts.size, context.services.limits.maxObjectsInSet);
  const ids = new Map(
    [...texts].map((text) => [text, resolveId(text, context.request.createdIds)]),
  );
  const known = new Set([...ids.values()].filter((id) => id !== null));
  const visible = await visibleBlobs(from.id, known, context);
  const blobs = new NewBlobs(context);
  try {
    const copies = await blobs.copyFrom(from.id, visible.values());
    const copied = new Map<string, string>();
    const notCopied = new Map<string, SetError>();
    for (const [text, id] of ids) {
      const copy = id === null ? undefined : copies.get(id);
      if (id === null || copy === undefined) {
        notCopied.set(text, setError('notFound', `There is no blob ${quoted(text)}.`));
      } else copied.set(id, copy.id);
    }
    const response: BlobCopyResponse = {
      fromAccountId: from.id,
      accountId: accountOf(context).id,
      copied: orNull(copied),
      notCopied: orNull(notCopied),
    };
    return await blobs.insert([...copies.values()], response);
  } finally {
    await blobs.discardRowless();
  }
}
