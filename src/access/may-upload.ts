import type { AccountAccess, Principal } from '../accounts/principal.js';
import type { AccessSubject } from '../capability/access-rules.js';
import type { DataTypeDefinition } from '../capability/definition.js';
import { rightOfScope } from '../capability/scopes.js';
import type { AccessReads } from '../store/port.js';

/** Reads what a user has by shares in an account. */
export type ReadHeld = AccessReads['sharesHeld'];

/**
 * Resolves to whether a user may have files in an account that is within reach, if it is not
 * read-only. Where objects are shared with the user, the user needs a right to write something:
 * files that no object refers to may be bound by no quota.
 */
export async function mayUpload(
  account: AccountAccess,
  { userId, roles }: Pick<Principal, 'userId' | 'roles'>,
  types: ReadonlyMap<string, DataTypeDefinition>,
  readHeld: ReadHeld,
): Promise<boolean> {
  if (account.isShared !== true) return true;
  const rights = new Set((await readHeld(userId)).scopes.map(rightOfScope));
  const writers = [...types.values()].flatMap(({ access = [] }) =>
    access.flatMap(({ who, create, update }) => (create || update ? [who] : [])),
  );
  return writers.some((who) => mayBe(who, roles, rights));
}

/** Returns whether a user with these rights at some objects may be one of the users. */
function mayBe(who: AccessSubject, roles: readonly string[], rights: ReadonlySet<string>): boolean {
  if (who.kind === 'owner') return false;
  if (who.kind === 'role') return roles.includes(who.role);
  if (who.kind === 'share' || who.kind === 'parent')
    return who.right === undefined ? rights.size > 0 : rights.has(who.right);
  return true;
}
