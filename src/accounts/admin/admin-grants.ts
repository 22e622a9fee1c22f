import type { JsonValue } from '../../protocol/json.js';
import { type DirectoryObject, grantId, RefusedError } from '../admin-port.js';
import type { Change } from '../change.js';
import { livingAccount, removeAccess, writeAccess } from '../directory.js';
import { type DirectoryKind, judged, userOf } from './directory-kind.js';

/** Users' access to accounts as AdminGrant objects. */
export const adminGrants: DirectoryKind = {
  async read(client, which) {
    const isList = !('first' in which);
    const rows = await client.jmapAccess.findMany({
      orderBy: [{ accountId: 'asc' }, { userId: 'asc' }],
      where: isList ? whereIn(which) : {},
      ...(isList ? {} : { take: which.first }),
    });
    const ids = isList ? new Set(which) : null;
    return rows
      .map(({ accountId, userId, readOnly }) => ({
        ...{ id: grantId(accountId, userId), account: accountId, user: userId, readOnly },
      }))
      .filter(({ id }) => ids?.has(id) ?? true);
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
  const account = await judged('account', () =>
    livingAccount(change.transaction, String(grant['account'])),
  );
  const { id: userId, name: user } = await userOf(change, 'user', grant['user']);
  return { accountId: account.id, userId, user };
}

/** An id is both ids with a dash between them; there may be dashes in either. */
function whereIn(ids: readonly string[]) {
  const accounts = new Set<string>();
  const users = new Set<string>();
  for (const id of ids) {
    for (let dash = id.indexOf('-'); dash !== -1; dash = id.indexOf('-', dash + 1)) {
      accounts.add(id.slice(0, dash));
      users.add(id.slice(dash + 1));
    }
  }
  return { accountId: { in: [...accounts] }, userId: { in: [...users] } };
}
