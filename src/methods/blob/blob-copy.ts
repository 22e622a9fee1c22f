import type { BlobCopyArguments, BlobCopyResponse } from '../../../generated/core/methods.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { accountOf, sourceAccount } from '../accounts.js';
import type { Answer, CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import { whyOverQuota } from '../quota/unreferenced-blobs.js';
import { requireObjects } from '../set/plan-set.js';
import { NewBlobs, orNull, visibleBlobs } from './call-blobs.js';
import { requireWriter } from './require-writer.js';

/** Answers Blob/copy (RFC 8620 6.3). */
export async function blobCopy(args: BlobCopyArguments, context: CallContext): Promise<Answer> {
  const from = sourceAccount(args.fromAccountId, context, 'accountNotSupportedByMethod');
  const texts = new Set(args.blobIds);
  requireObjects(texts.size, context.services.limits.maxObjectsInSet);
  await requireWriter(context);
  const ids = new Map(
    [...texts].map((text) => [text, resolveId(text, context.request.createdIds)]),
  );
  const known = new Set([...ids.values()].filter((id) => id !== null));
  const visible = await visibleBlobs(from.id, known, context);
  const quota = context.services.registry.unreferencedBlobs;
  const fitting = [...visible.values()].filter(({ size }) => quota === null || size <= quota.limit);
  const blobs = new NewBlobs(context);
  try {
    const copies = await blobs.copyFrom(from.id, fitting);
    const copied = new Map<string, string>();
    const notCopied = new Map<string, SetError>();
    for (const [text, id] of ids) {
      const row = id === null ? undefined : visible.get(id);
      const copy = row && copies.get(row.id);
      if (row !== undefined && quota !== null && row.size > quota.limit) {
        notCopied.set(text, setError('overQuota', whyOverQuota(quota)));
      } else if (row === undefined || copy === undefined) {
        notCopied.set(text, setError('notFound', `There is no blob ${quoted(text)}.`));
      } else copied.set(row.id, copy.id);
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
