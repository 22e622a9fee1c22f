/**
 * Where one check fails, those behind it could only say the same again, and are not run. An id that
 * ends in `*` stands for all that begin so.
 */
const BEHIND: Readonly<Record<string, readonly string[]>> = Object.freeze({
  echo: ['echo-*', 'references-*'],
  'references-resolve': ['references-*'],
  'references-not-there': [
    ...['references-star-fails', 'references-star-of-objects', 'references-index'],
    ...['references-escapes', 'references-own-members', 'references-slash'],
    ...['references-not-answered-yet', 'references-name', 'references-error-response'],
    ...['references-first-response', 'references-one-fails', 'references-rejected-whole'],
  ],
  'changes-kinds': ['changes-merged', 'changes-merged-pages', 'changes-random-pages'],
  'set-create-unknown-property': [
    ...['set-create-all-invalid-listed', 'set-create-prototype-names'],
  ],
  'query-changes-created': ['query-changes-busy-writer'],
  'singleton-there': ['singleton-*'],
  'blob-upload-response': ['blob-upload-raw', 'blob-upload-empty', 'blob-upload-chunked'],
  'blob-method-upload-created': ['blob-method-upload-*', 'blob-method-get-*'],
  'events-open': ['events-*', 'described-counts-told'],
  'events-state': [
    ...['events-stay-open', 'events-types', 'events-nothing-changed', 'events-accounts'],
    ...['events-copy', 'described-counts-told', 'events-missed*', 'events-format'],
    'events-unknown-id-goes-on',
  ],
  'ws-push-state': ['ws-push-*'],
  'quota-properties': ['quota-query-*', 'quota-sort-*'],
  'share-given': ['share-patched', 'share-my-rights', 'share-right-lacks'],
  'push-get': ['push-*'],
  'push-create': ['push-update-*', 'push-expires*'],
  'push-verification': [
    ...['push-form', 'push-vapid', 'push-encrypted', 'push-encrypted-state', 'push-unverified'],
    ...['push-state', 'push-types', 'push-expired', 'push-destroyed'],
  ],
  'ws-request': [
    'ws-request-ids',
    'ws-no-id',
    'ws-created-ids',
    'ws-concurrent',
    'ws-many-requests',
  ],
});

/** Tells whether a pattern with a star at its end names a check. */
const matchesPattern = (pattern: string, id: string): boolean =>
  pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : pattern === id;

/** Returns the checks whose failure says what a check would. */
export const findSettlers = (id: string): readonly string[] =>
  Object.entries(BEHIND).flatMap(([check, behind]) =>
    check !== id && behind.some((pattern) => matchesPattern(pattern, id)) ? [check] : [],
  );

/** All ids and patterns, for who holds them against the checks. */
export const SETTLED: readonly (readonly [check: string, behind: readonly string[]])[] =
  Object.freeze(Object.entries(BEHIND));
