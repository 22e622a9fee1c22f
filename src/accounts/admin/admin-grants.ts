import { inChunks } from '../../database/in-chunks.js';
import { isId } from '../../protocol/ids.js';
import type { JsonValue } from '../../protocol/json.js';
import { type DirectoryObject, grantId, RefusedError, wrongValue } from '../admin-port.js';
import type { Change } from '../change.js';
import { livingAccount, removeAccess, writeAccess } from '../directory.js';
import { type DirectoryKind, judged, userOf } from './directory-kind.js';

/** Users' access to accounts as AdminGrant objects. */
export const adminGrants: DirectoryKind = {
  async read(client, which) {
    const rows =
      'first' in which
        ? await client.jmapAccess.findMany({
            orderBy: [{ accountId: 'asc' }, { userId: 'asc' }],
            take: which.first,
          })
        : await inChunks(which, (chunk) =>
            client.jmapAccess.findMany({ where: { OR: chunk.flatMap(pairOf) } }),
          );
    return rows.map(({ accountId, userId, readOnly }) => ({
      ...{ id: grantId(accountId, userId), account: accountId, user: userId, readOnly },
    }));
  },

  async create({ change }, { account, user, readOnly }) {
    const access = await accessOf(change, { account, user });
    const { accountId, userId } = access;
    const id = grantId(accountId, userId);
    const where = { accountId_userId: { accountId, userId } };
    if ((await change.transaction.jmapAccess.findUnique({ where })) !== null)
      throw new RefusedError('alreadyExists', 'The user has access to the account: update it.', {
        ...{ existingId: id, properties: ['account', 'user'] },
      });
    await writeAccess(change, { ...access, readOnly: readOnly === true });
    return id;
  },

  async update({ change }, { after }) {
    const access = await accessOf(change, after);
    await writeAccess(change, { ...access, readOnly: after['readOnly'] === true });
  },

  async destroy({ change }, object) {
    await removeAccess(change, await accessOf(change, object));
  },
};

type Grant = Readonly<Record<'account' | 'user', JsonValue | undefined>> | DirectoryObject;

async function accessOf(change: Change, grant: Grant) {
  const id = String(grant['account']);
  if (!isId(id)) throw wrongValue('account', 'is the id of no account');
  const account = await judged('account', () => livingAccount(change.transaction, id));
  const { id: userId, name: user } = await userOf(change, 'user', grant['user']);
  return { accountId: account.id, userId, user };
}

/**
 * Returns the ids in the id of a grant: it has a dash between them, and there is none in either
 * (protocol/ids.ts).
 */
function pairOf(id: string): readonly Record<'accountId' | 'userId', string>[] {
  const [accountId, userId, ...more] = id.split('-');
  if (accountId === undefined || userId === undefined || more.length > 0) return [];
  return [{ accountId, userId }];
}
