/**
 * Tables of which a backup has no row. A client may destroy a push subscription after the backup.
 * Its URL and keys must be gone for good then (RFC 8620 7.2): a restore must not bring it back.
 */
export const LEFT_OUT: readonly string[] = Object.freeze([
  'JmapPushSubscription',
  'JmapPushCreation',
]);
