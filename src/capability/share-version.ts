/**
 * The key in JmapMeta of a counter. The store raises it when a principal gets its first grant in an
 * account, or loses its last one: then the principal reaches other accounts. It is not the access
 * version. A change of access holds that one's row and may wait for an account, and whoever writes
 * a grant holds the account.
 */
export const SHARE_VERSION = 'shareVersion';
