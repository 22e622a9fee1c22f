/**
 * Scopes say who sees an object: an object has some, a user has some, and the user sees the object
 * where they have one in common.
 */

/** The owner of the account has it, and users who may write in all of it. */
export const OWNER = 'o';
/** All users who reach the account have it. */
export const EVERYONE = '*';

export function roleScope(role: string): string {
  return `r:${role}`;
}

/** Returns the scope of a user, or of a group. */
export function principalScope(principalId: string): string {
  return `p:${principalId}`;
}

/** Returns the scope of those who have a right at an object, by a share. `type`: its table. */
export function shareScope(type: string, id: string, right: string): string {
  return `${type}:${id}/${right}`;
}
