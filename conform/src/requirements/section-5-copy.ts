import type { Requirement } from './requirement.js';

/** /copy (RFC 8620 5.4). */
export const section5Copy: readonly Requirement[] = [
  {
    id: '5.4 if-from-in-state',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: "ifFromInState that isn't the source's state: stateMismatch; null is no check.",
    checks: ['copy-state-mismatch', 'copy-state-matches'],
    tests: ['test/methods/copy.test.ts > 401: current states are fine, and a read-only source too'],
  },
  {
    id: '5.4 if-in-state',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: "ifInState that isn't the target's state: stateMismatch; null is no check.",
    checks: ['copy-state-mismatch', 'copy-state-matches'],
  },
  {
    id: '5.4 different-accounts',
    section: '5.4',
    level: 'must',
    whom: 'client',
    keywords: 1,
    rule: 'Source and target are different accounts: one account for both is invalidArguments.',
    checks: ['copy-same-account-refused', 'copy-same-account'],
  },
  {
    id: '5.4 id-needed',
    section: '5.4',
    level: 'must',
    whom: 'client',
    keywords: 1,
    rule:
      'Each object to be made has the id of its original: one without is invalidProperties, ' +
      "one that isn't in the source notFound.",
    checks: ['copy-id-required', 'copy-not-found', 'copy-each-alone'],
  },
  {
    id: '5.4 original-values',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'The copy has the values of the original.',
    checks: [
      'copy-response',
      'copy-response-exact',
      'copy-values',
      'copy-original-stays',
      'copy-every-value',
    ],
  },
  {
    id: '5.4 overrides',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: "Properties that are given are used in place of the original's.",
    checks: ['copy-overrides', 'copy-invalid-properties'],
    tests: [
      'test/methods/copy.test.ts > overrides are used instead and judged like those of a create',
    ],
  },
  {
    id: '5.4 create-required',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: "`create` and fromAccountId are required and can't be null.",
    checks: ['copy-arguments-required'],
  },
  {
    id: '5.4 destroy-original',
    section: '5.4',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      'With onSuccessDestroyOriginal one implicit Foo/set destroys the originals of what was ' +
      "copied; its response follows that of /copy, before the next call's, with the same call " +
      'id.',
    checks: ['copy-destroy-original', 'copy-destroy-response-exact'],
    tests: [
      'test/methods/copy.test.ts > 126, 403: destroys what was copied by a second response under',
    ],
  },
  {
    id: '5.4 destroy-default-false',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'Without it the originals stay.',
    checks: ['copy-response', 'copy-response-exact', 'copy-values', 'copy-original-stays'],
  },
  {
    id: '5.4 nothing-copied',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'Where nothing was copied nothing is destroyed; there is no implicit call (decision 17).',
    checks: ['copy-destroy-failed', 'copy-destroy-nothing-copied'],
  },
  {
    id: '5.4 destroy-from-if-in-state',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule:
      'destroyFromIfInState is the ifInState of the implicit call: if stale, that one alone ' +
      'fails.',
    checks: ['copy-destroy-from-state-stale', 'copy-destroy-from-state-matches'],
  },
  {
    id: '5.4 not-atomic',
    section: '5.4',
    level: 'may',
    whom: 'server',
    rule:
      "The copy stays where its original can't be destroyed (linked, or in an account that can " +
      'only be read).',
    checks: ['copy-destroy-read-only-source'],
    tests: ['test/methods/copy.test.ts > 400: from a source that can only be read, the second is'],
  },
  {
    id: '5.4 record-atomic',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'Each record is copied or refused by itself.',
    checks: ['copy-not-found', 'copy-each-alone'],
  },
  {
    id: '5.4 response',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: "The response has fromAccountId, accountId, and the target's oldState and newState.",
    checks: ['copy-response', 'copy-response-exact', 'copy-values', 'copy-original-stays'],
  },
  {
    id: '5.4 created',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule:
      'created[k] has what the server set (its new id at least) and what differs from what ' +
      'client and original say; null where nothing was copied.',
    checks: ['copy-response', 'copy-response-exact', 'copy-values', 'copy-original-stays'],
    tests: ['test/methods/copy.test.ts > come along under new ids, which are reported'],
  },
  {
    id: '5.4 not-created',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'notCreated has a SetError for each that failed, or is null.',
    checks: ['copy-id-required'],
  },
  {
    id: '5.4 set-errors',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'The SetErrors are those of creates and updates.',
    checks: ['copy-invalid-properties', 'copy-not-found', 'described-links-copied'],
    tests: [
      'test/methods/set-relations.test.ts > all that is wrong with a copy is told at once (5.3',
    ],
  },
  {
    id: '5.4 already-exists',
    section: '5.4',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'Where duplicates are forbidden: alreadyExists with existingId.',
    checks: [
      'described-unique-copied',
      'described-unique-shared',
      'described-unique-needed-copied',
    ],
    tests: [
      'test/methods/set-relations.test.ts > may be swapped, and of those that collide the later',
    ],
  },
  {
    id: '5.4 creation-ids',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule:
      'What /copy makes is known by its creation id to later calls, and it is a creation in ' +
      '/changes of the target.',
    checks: [
      'copy-created-ids',
      'copy-creation-id-in-later-call',
      'copy-creation-id-in-get',
      'copy-in-changes',
      'copy-in-query-changes',
    ],
  },
  {
    id: '5.4 from-account-not-found',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'A fromAccountId out of reach: fromAccountNotFound.',
    checks: ['copy-account-unknown', 'copy-account-foreign'],
  },
  {
    id: '5.4 from-account-not-supported',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'A source without the type: fromAccountNotSupportedByMethod.',
    checks: ['copy-account-without-type'],
  },
  {
    id: '5.4 read-only-source',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'A source that can only be read is no error of /copy.',
    checks: ['copy-read-only-source', 'copy-read-only-target', 'copy-destroy-read-only-source'],
  },
  {
    id: '5.4 request-too-large',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'More than maxObjectsInSet copies: requestTooLarge.',
    checks: ['copy-most'],
  },
  {
    id: '5.4 blobs-come-along',
    section: '5.4',
    level: 'must',
    whom: 'server',
    rule: 'Blobs of the original are blobs of the target, under ids that are reported.',
    checks: ['described-blobs-copied'],
  },
];
