import type { BlobStore } from '../../blobs/blob-store.js';
import type { UnreferencedQuota } from '../../capability/quota-definition.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { NewBlob, Transaction } from '../../store/port.js';

/** The parts that remove the octets of blobs. */
export interface BlobRemoval {
  readonly blobs: Pick<BlobStore, 'delete'>;
  /** Returns whether a backup runs: no octets may go then. Absent where none can run. */
  readonly blobsHeld?: (() => Promise<boolean>) | undefined;
}

/**
 * Makes the rows of a user's blobs, and room for them: the user's oldest blobs that no object
 * refers to lose their rows (RFC 8620 6.1). Resolves to the ids of those, whose octets may go once
 * the transaction is on disk. It holds the account, so no /set comes between.
 */
export async function insertWithin(
  quota: UnreferencedQuota | null,
  transaction: Pick<Transaction, 'insertBlobs' | 'evictBlobs'>,
  blobs: readonly NewBlob[],
): Promise<readonly string[]> {
  await transaction.insertBlobs(blobs);
  const [first] = blobs;
  if (quota === null || first === undefined) return [];
  const newest = blobs.map(({ id }) => id);
  return transaction.evictBlobs(first.uploaderId, quota.limit, newest);
}

/** Removes octets whose rows are gone. The daily sweep takes those that stay. */
export async function releaseOctets(
  { blobs, blobsHeld }: BlobRemoval,
  accountId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  try {
    if ((await blobsHeld?.()) === true) return;
    for (const id of ids) await blobs.delete(accountId, id);
  } catch {
    // The call has succeeded: its rows are on disk.
  }
}

/** Returns the octets that a new blob may have. */
export function maxSizeOf(quota: UnreferencedQuota | null, maxSizeUpload: number): number {
  return Math.min(maxSizeUpload, quota?.limit ?? maxSizeUpload);
}

/** Returns why a new blob is refused that is larger than `maxSizeOf` allows. */
export function largerThan(quota: UnreferencedQuota | null, maxSizeUpload: number): SetError {
  if (quota === null || quota.limit >= maxSizeUpload)
    return setError('tooLarge', `The blob would have more than ${maxSizeUpload} octets.`);
  return setError('overQuota', whyOverQuota(quota));
}

/** Names the quota and its limit. */
export function whyOverQuota({ name, limit }: UnreferencedQuota): string {
  return `The quota "${name}" allows ${limit} octets of unreferenced blobs: the blob has more.`;
}
