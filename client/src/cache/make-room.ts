import type { BlobChange, OpenStore, Change as RowChange } from '../persist/port.js';
import type { Dispensable, StoreWriter } from '../store/store-writer.js';
import type { AccountCache } from './account-cache.js';

/**
 * Removes objects that nobody needs from a full store, or files that the server has. Their changes
 * come in front of the commit that needs the room: removals need none.
 */
export async function makeRoom(
  what: Dispensable,
  store: OpenStore,
  writer: StoreWriter,
  accounts: Iterable<AccountCache>,
): Promise<void> {
  const all = [...accounts];
  const rows = all.flatMap<RowChange | BlobChange>(what === 'objects' ? evict : findFiles);
  if (rows.length === 0) return;
  const turn = all.find((account) => account.store.turn !== null)?.store.turn;
  const epoch = writer.epoch ?? turn?.epoch;
  await store.commit(rows, { ...(epoch !== undefined && { epoch }), durable: true });
}

/** Has an account forget objects. Returns the changes of their rows. */
function evict(account: AccountCache): readonly RowChange[] {
  const change = account.lists.prune(0);
  const rows = change === null ? [] : account.store.rows.write(change);
  return rows.filter(({ value }) => value === undefined);
}

/** Returns the changes that remove files which no upload and no pending write needs. */
function findFiles({ store, uploads }: AccountCache): readonly BlobChange[] {
  const named = new Set(store.replica.log.flatMap(({ blobs = [] }) => blobs));
  return uploads.rows.flatMap(({ key, value }) => {
    const { sentAt } = value as { readonly sentAt?: number };
    const isNeeded = sentAt === undefined || named.has(key.split(' ').at(-1) ?? '');
    return isNeeded ? [] : [{ table: 'blobs', key }];
  });
}
