import { formatUtcDate } from '../../protocol/dates.js';
import type { JsonValue } from '../../protocol/json.js';
import { ADMIN_ROLE, RefusedError, wrongValue } from '../admin-port.js';
import { createUser, legalName } from '../directory.js';
import { textsOf } from '../stored-texts.js';
import { disable, enable, legalRoles, readIdentities, signOut, writeRoles } from '../users.js';
import { type DirectoryKind, judged, readChosen } from './directory-kind.js';

/** Users as AdminUser objects. */
export const adminUsers: DirectoryKind = {
  async read(client, which) {
    const users = await readChosen(which, (part) => client.jmapUser.findMany(part));
    const ids = users.map(({ id }) => id);
    const identities = await readIdentities(client, ids);
    return users.map(({ id, name, disabled, signedOut, roles, created }) => ({
      ...{ id, name },
      disabled: disabled !== null,
      signedOut: signedOut === null ? null : formatUtcDate(Number(signedOut)),
      roles: textsOf(roles),
      identities: [...(identities.get(id) ?? [])],
      created: formatUtcDate(Number(created)),
    }));
  },

  async create({ change, ids }, { name, disabled, signedOut, roles }) {
    const legal = await judged('name', () => legalName('user', String(name)));
    const wanted = await judged('roles', () => legalRoles(textsOf(roles)));
    if (signedOut !== null) throw wrongValue('signedOut', 'must be null for a new user');
    const known = await change.transaction.jmapUser.findUnique({ where: { name: legal } });
    if (known !== null)
      throw new RefusedError('alreadyExists', 'There is a user of this name.', {
        ...{ existingId: known.id, properties: ['name'] },
      });
    const id = await createUser(change, ids, legal);
    if (wanted.length > 0) await writeRoles(change, id, wanted);
    if (disabled === true) await disable(change, id);
    return id;
  },

  async update({ change, actorId }, { before, after, changed }) {
    const { id } = before;
    if (id === actorId) refuseOwnEnd(before['roles'], after);
    const signsOut = changed.includes('signedOut');
    if (signsOut && after['signedOut'] === null)
      throw wrongValue('signedOut', 'can not be taken back');
    const roles = await judged('roles', () => legalRoles(textsOf(after['roles'])));
    if (changed.includes('roles')) await writeRoles(change, id, roles);
    if (signsOut) await signOut(change, id);
    if (changed.includes('disabled'))
      await (after['disabled'] === true ? disable(change, id) : enable(change, id));
  },

  async destroy() {
    throw new RefusedError('forbidden', 'Users are not destroyed: set "disabled" to true.');
  },
};

/** Nobody shuts themselves out: the server might be left without an administrator. */
function refuseOwnEnd(
  before: JsonValue | undefined,
  after: Readonly<Record<string, JsonValue>>,
): void {
  if (after['disabled'] === true)
    throw new RefusedError('forbidden', 'You can not disable yourself.');
  const had = textsOf(before).includes(ADMIN_ROLE);
  if (had && !textsOf(after['roles']).includes(ADMIN_ROLE))
    throw new RefusedError('forbidden', `You can not take your own role "${ADMIN_ROLE}" away.`);
}
