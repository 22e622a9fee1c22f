import type { BlobCopyArguments, BlobCopyResponse } from '../../../generated/core/methods.types.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { accountOf, sourceAccount } from '../accounts.js';
import type { CallContext } from '../context.js';
import { resolveId } from '../creation-ids.js';
import { quoted } from '../issues.js';
import { requireObjects } from '../set/plan.js';
import { orNull } from '../set/report.js';
import { BlobTransfer } from './transfer.js';

/** Blob/copy (RFC 8620 6.3, D23). */
export async function blobCopy(
  args: BlobCopyArguments,
  context: CallContext,
): Promise<BlobCopyResponse> {
  const { store, limits } = context.services;
  const account = accountOf(context);
  const from = sourceAccount(args.fromAccountId, context, 'accountNotSupportedByMethod');
  const asked = new Set(args.blobIds);
  requireObjects(asked.size, limits.maxObjectsInSet);
  const ids = new Map(
    [...asked].map((text) => [text, resolveId(text, context.request.createdIds)]),
  );
  const known = [...new Set(ids.values())].filter((id) => id !== null);
  const { userId } = context.request.principal;
  const visible = await store.read(from.id, context, (snapshot) => snapshot.blobs(known, userId));
  const transfer = new BlobTransfer(from, context);
  try {
    const copies = await transfer.copy(visible);
    const copied = new Map<string, string>();
    const notCopied = new Map<string, SetError>();
    for (const [text, id] of ids) {
      const copy = id === null ? undefined : copies.get(id);
      if (id === null || copy === undefined) {
        notCopied.set(text, setError('notFound', `There is no blob ${quoted(text)}.`));
      } else copied.set(id, copy.id);
    }
    const response = {
      fromAccountId: from.id,
      accountId: account.id,
      copied: orNull(copied),
      notCopied: orNull(notCopied),
    };
    if (copies.size > 0) {
      const blobs = [...copies.values()];
      await store.write(account.id, context, async (transaction) => {
        await transaction.insertBlobs(blobs);
        await context.admit(response);
      });
      transfer.keep(blobs);
    }
    return response;
  } finally {
    await transfer.discardRest();
  }
}
