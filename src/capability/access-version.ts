/**
 * Names in the table JmapMeta that both the tables of access and the store's statements use.
 */

/** Key of the counter that changes of users, accounts, access and tokens raise. */
export const ACCESS_VERSION = 'accessVersion';

/** With an account's id behind it, the key of its deletion note. */
export const DELETION = 'deletion:';
