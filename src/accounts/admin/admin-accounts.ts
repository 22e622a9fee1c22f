import { NO_OWNER } from '../../capability/principal-names.js';
import { inChunks } from '../../database/in-chunks.js';
import { formatUtcDate } from '../../protocol/dates.js';
import { deletionKey, type TransactionClient } from '../change.js';
import { beginDeletion } from '../delete-account.js';
import { capabilityList, insertAccount, legalName, rename } from '../directory.js';
import { type DirectoryKind, judged, userOf } from './directory-kind.js';

/** Accounts as AdminAccount objects. One that is being deleted is none. */
export const adminAccounts: DirectoryKind = {
  async read(client, which) {
    const rows = 'first' in which ? readFirst(client, which) : readSome(client, which);
    return (await rows).map(({ id, name, ownerId, capabilities, created }) => ({
      ...{ id, name, owner: ownerId },
      capabilities: capabilityList(capabilities),
      created: formatUtcDate(Number(created)),
    }));
  },

  async create({ change, ids, tasks }, { name, owner, capabilities }) {
    const { name: user } = await userOf(change, 'owner', owner);
    const legal = await judged('name', () => legalName('account', String(name)));
    const urns = capabilityList(capabilities);
    const account = { name: legal, user, capabilities: urns, tasks };
    return judged('capabilities', () => insertAccount(change, ids, account));
  },

  async update({ change }, { after: { id, name } }) {
    await judged('name', () => rename(change, id, String(name)));
  },

  destroy: ({ change }, { id }) => beginDeletion(change, id),
};

type Row = Awaited<ReturnType<TransactionClient['jmapAccount']['findMany']>>[number];

/** Reads accounts by their ids. */
async function readSome(
  client: TransactionClient,
  ids: readonly string[],
): Promise<readonly Row[]> {
  const rows = await inChunks(ids, (chunk) =>
    client.jmapAccount.findMany({ where: { id: { in: chunk }, ownerId: { not: NO_OWNER } } }),
  );
  return withoutDeleted(client, rows);
}

/** Reads so many accounts, in order of id. */
async function readFirst(
  client: TransactionClient,
  { first }: { readonly first: number },
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let after = ''; found.length < first; ) {
    const rows = await client.jmapAccount.findMany({
      ...{
        where: { id: { gt: after }, ownerId: { not: NO_OWNER } },
        orderBy: { id: 'asc' as const },
      },
      take: first - found.length,
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
    found.push(...(await withoutDeleted(client, rows)));
  }
  return found;
}

/** Leaves out accounts with a note of their deletion. */
async function withoutDeleted(
  client: TransactionClient,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const keys = rows.map(({ id }) => deletionKey(id));
  const notes = await inChunks(keys, (chunk) =>
    client.jmapMeta.findMany({ where: { key: { in: chunk } }, select: { key: true } }),
  );
  const deleted = new Set(notes.map(({ key }) => key));
  return rows.filter(({ id }) => !deleted.has(deletionKey(id)));
}
