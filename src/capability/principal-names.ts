/** The names by which all parts of the server know principals (RFC 9670). */

/** The capability of the types Principal and ShareNotification. */
export const PRINCIPALS = 'urn:ietf:params:jmap:principals';

/** In an account: the principal that owns it. The session itself doesn't have it (1.5.2). */
export const PRINCIPALS_OWNER = 'urn:ietf:params:jmap:principals:owner';

/**
 * Returns the id of the account in which a user finds principals and notes of shares. Each user has
 * one of its own: what it shows depends on who reads it, and one account is one shard.
 */
export function principalAccountId(userId: string): string {
  return `p-${userId}`;
}

/** The ids of these accounts: they begin with `p-`. */
export const PRINCIPAL_ACCOUNTS = Object.freeze({ gte: 'p-', lt: 'p.' });

/** Returns the user who finds principals in an account. */
export function userOfPrincipalAccount(accountId: string): string {
  return accountId.slice(principalAccountId('').length);
}

/** The owner of accounts that belong to no user. No user has this id. */
export const NO_OWNER = '';

/** The kind of the tasks that are notes of changed rights. */
export const SHARE_NOTICE = 'shareNotice';

/** In a shared type: whether the user wants to see the object beside its own (RFC 9670 4). */
export const IS_SUBSCRIBED = 'isSubscribed';

/** Ids of groups begin with it, and no id of a user does. */
export const GROUP_PREFIX = 'g';

/** Returns whether an id may be that of a group. It is the id of no user, then. */
export function isGroupId(id: string): boolean {
  return id.startsWith(GROUP_PREFIX);
}
