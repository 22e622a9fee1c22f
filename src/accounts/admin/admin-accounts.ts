import { formatUtcDate } from '../../protocol/dates.js';
import { DELETION } from '../change.js';
import { beginDeletion } from '../delete-account.js';
import { capabilityList, insertAccount, legalName, rename } from '../directory.js';
import { chosen, type DirectoryKind, judged, userOf } from './directory-kind.js';

/** Accounts as AdminAccount objects. One that is being deleted is none. */
export const adminAccounts: DirectoryKind = {
  async read(client, which) {
    const notes = await client.jmapMeta.findMany({
      where: { key: { startsWith: DELETION } },
      select: { key: true },
    });
    const deleted = notes.map(({ key }) => key.slice(DELETION.length));
    const { where, ...order } = chosen(which);
    const rows = await client.jmapAccount.findMany({
      ...order,
      where: deleted.length === 0 ? where : { ...where, NOT: { id: { in: deleted } } },
    });
    return rows.map(({ id, name, ownerId, capabilities, created }) => ({
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
