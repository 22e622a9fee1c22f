import type { Requirement } from './requirement.js';

/** /queryChanges, the examples, proxies (RFC 8620 5.6 to 5.8). */
export const section5QueryChanges: readonly Requirement[] = [
  {
    id: '5.6 same-query',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule:
      'The filter and sort are those of the /query that the state comes from, however they are ' +
      'written.',
    checks: [
      'query-changes-same-query',
      'query-changes-unknown-state',
      'query-changes-other-query',
    ],
  },
  {
    id: '5.6 since-required',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule: 'sinceQueryState is required.',
    checks: ['query-changes-invalid'],
  },
  {
    id: '5.6 account-id',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule: 'The response has the accountId of the call.',
    checks: ['query-changes-none'],
  },
  {
    id: '5.6 old-and-new-state',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule: 'oldQueryState is sinceQueryState, newQueryState what /query would now answer.',
    checks: ['query-changes-none'],
  },
  {
    id: '5.6 total-omitted',
    section: '5.6',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: '`total` is there exactly where calculateTotal is true.',
    checks: ['query-changes-destroyed', 'query-changes-total'],
    tests: ['test/methods/query-changes-random.test.ts'],
  },
  {
    id: '5.6 removed',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule: 'removed has each id that was in the results and no longer is.',
    checks: [
      'query-changes-destroyed',
      'query-changes-total',
      'query-changes-around-filter',
      'query-changes-around-filter-exact',
      'query-changes-moved',
    ],
  },
  {
    id: '5.6 removed-extra',
    section: '5.6',
    level: 'may',
    whom: 'server',
    keywords: 1,
    rule:
      "It may have ids that perhaps were, and now are not: those changed since that don't " +
      'match.',
    checks: [
      'query-changes-around-filter',
      'query-changes-around-filter-exact',
      'query-changes-moved',
    ],
  },
  {
    id: '5.6 removed-behind-up-to-id',
    section: '5.6',
    level: 'should',
    whom: 'server',
    keywords: 1,
    rule:
      'Where filter and sort read nothing that changes and upToId is in the results, what was ' +
      'removed behind it is left out.',
    checks: ['query-changes-up-to-id-cuts', 'query-changes-up-to-id-default-order'],
    tests: ['test/methods/query-changes-random.test.ts'],
    reason:
      'Where a destroyed object stood is known where the order is that of ids or creation; ' +
      'else it stays in `removed`, which 5.6 allows.',
  },
  {
    id: '5.6 mutable-included',
    section: '5.6',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule:
      'Where filter or sort read a mutable property, each result in which it may have changed ' +
      'is in removed (and in added again).',
    checks: [
      'query-changes-around-filter',
      'query-changes-around-filter-exact',
      'query-changes-moved',
    ],
    tests: [
      'test/methods/query-changes.test.ts > 5.6: where filter and sort read nothing that changes',
    ],
  },
  {
    id: '5.6 immutable-not-included',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule:
      'Where they read none an update leaves the results as they are; it puts an object in ' +
      'neither list (decision 16).',
    checks: ['query-changes-unread', 'query-changes-exact'],
    tests: [
      'test/methods/query-changes.test.ts > 5.6: where filter and sort read nothing that changes',
    ],
  },
  {
    id: '5.6 added',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule:
      'added has id and new index of each result that came since, and of each in removed that ' +
      'is a result.',
    checks: ['query-changes-created', 'query-changes-created-and-destroyed', 'query-changes-null'],
  },
  {
    id: '5.6 added-behind-up-to-id',
    section: '5.6',
    level: 'should',
    whom: 'server',
    keywords: 1,
    rule: 'As for removed, what was added behind upToId is left out.',
    checks: [
      'query-changes-up-to-id-cuts',
      'query-changes-up-to-id-default-order',
      'query-changes-up-to-id-filtered',
    ],
  },
  {
    id: '5.6 up-to-id-ignored',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule:
      "upToId is ignored where filter or sort read what changes, or where it isn't in the " +
      'results.',
    checks: ['query-changes-up-to-id-ignored', 'query-changes-up-to-id'],
  },
  {
    id: '5.6 added-sorted',
    section: '5.6',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: 'added is in order of index, the lowest first.',
    checks: ['query-changes-added-in-order'],
  },
  {
    id: '5.6 splice',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule:
      'Taking out removed, putting in added in turn, and cutting to the total makes the old ' +
      'list the new one, a sparse one too.',
    checks: ['query-changes-random-splices', 'query-changes-every-query'],
    tests: ['test/methods/query-changes-random.test.ts > by %s'],
  },
  {
    id: '5.6 too-many-changes',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule: 'More items in both lists together than maxChanges: tooManyChanges.',
    checks: ['query-changes-max-changes', 'query-changes-max-changes-zero'],
  },
  {
    id: '5.6 cannot-calculate',
    section: '5.6',
    level: 'must',
    whom: 'server',
    rule: 'A state that is too old, or none of this query: cannotCalculateChanges.',
    checks: ['query-changes-unknown-state', 'query-changes-other-query'],
    tests: ['test/conformance/limits.test.ts > decision 16: QUERY_CHANGES_MAX'],
  },
  {
    id: '5.6 client-invalidates',
    section: '5.6',
    level: 'must',
    whom: 'client',
    keywords: 1,
    rule: 'A client that gets it drops its cached query.',
    reason: 'Binds clients.',
  },
  {
    id: '5.6 unsupported-first',
    section: '5.6',
    level: 'may',
    whom: 'server',
    rule:
      'An unsupported filter or sort is told as in /query, before the state is looked at ' +
      '(decision 16).',
    checks: ['query-changes-unsupported-first'],
  },
  {
    id: '5.7 set-true',
    section: '5.7',
    level: 'must',
    whom: 'server',
    keywords: 1,
    rule: "In the example's String[Boolean] each value is true.",
    checks: ['described-sets-true', 'described-values-refused'],
  },
  {
    id: '5.7 whole-or-patch',
    section: '5.7',
    level: 'must',
    whom: 'server',
    rule: 'A whole object and the patch that makes the difference have the same effect.',
    checks: ['set-update-whole-object', 'set-update-nothing'],
    tests: ['test/protocol/patch.test.ts > a whole object is a patch that gives that object'],
  },
  {
    id: '5.7 sync-in-one-request',
    section: '5.7',
    level: 'must',
    whom: 'server',
    rule: 'A client follows the data and a query by /changes and /queryChanges in one request.',
    checks: ['query-sync-changes'],
  },
  {
    id: '5.8 created-ids-handed-over',
    section: '5.8',
    level: 'must',
    whom: 'server',
    rule:
      'A request that a proxy splits, with createdIds handed on, ends the same as the whole ' +
      'one.',
    checks: ['creation-ids-given', 'creation-ids-kept', 'creation-ids-split'],
  },
];
