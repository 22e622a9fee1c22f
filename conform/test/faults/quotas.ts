import type { Json } from '../../src/client/json.js';
import { asMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { accepted, events, ignoring, items, list, onRequest, session } from './makers.js';

const QUOTA = 'urn:ietf:params:jmap:quota';

/** Faults of a server with quotas (RFC 9425). */
export const quotaFaults: readonly Fault[] = [
  {
    name: 'the capability of quotas has a member',
    checks: ['quota-capability'],
    ...session((one) => ({
      ...one,
      capabilities: { ...asMap(one['capabilities']), [QUOTA]: { maxQuotas: 1 } },
    })),
  },
  {
    name: 'a quota has no hardLimit',
    checks: ['quota-properties'],
    ...items(({ hardLimit: _, ...one }) => one),
  },
  {
    name: 'a quota is of a team',
    checks: ['quota-scope'],
    ...items((one) => ({ ...one, scope: 'team' })),
  },
  {
    name: 'a quota counts bytes',
    checks: ['quota-resource-type'],
    ...items((one) => ({ ...one, resourceType: 'bytes' })),
  },
  {
    name: 'the warning of a quota comes at its limit',
    checks: ['quota-levels'],
    ...items((one) => ({ ...one, warnLimit: one['hardLimit'] ?? null })),
  },
  {
    name: 'quotas of types are shown whatever `using` says',
    checks: ['quota-types-in-using'],
    ...onRequest((one) => ({
      ...one,
      using: [...new Set([...(one['using'] as Json[]), 'urn:example:shared'])],
    })),
  },
  {
    name: 'an unknown quota is not told',
    checks: [
      'quota-get-ids',
      'principal-get',
      'view-hidden-not-found',
      'share-notification-destroy',
    ],
    ...list('get', 'notFound', () => []),
  },
  {
    name: '/changes names what did not change',
    checks: [
      'quota-changes-none',
      'principal-changes-none',
      'view-hidden-untold',
      'view-names-seen',
    ],
    ...list('changes', 'updated', (ids) => [...ids, 'r0x']),
  },
  {
    name: 'a query leaves out the first id',
    checks: ['quota-query-all', 'principal-query-all', 'view-query-visible'],
    ...list('query', 'ids', (ids) => ids.slice(1)),
  },
  {
    name: 'a query has no conditions',
    checks: [
      ...['quota-query-name', 'quota-query-exact', 'quota-query-type', 'quota-query-together'],
      ...['principal-query-account-ids', 'principal-query-texts', 'principal-query-exact'],
      'share-notification-query',
    ],
    ...ignoring('query', 'filter'),
  },
  {
    name: 'a query has no order',
    checks: ['quota-sort-used', 'quota-sort-name', 'share-notification-sort'],
    ...ignoring('query', 'sort'),
  },
  {
    name: '/queryChanges removes what was not there',
    checks: ['quota-query-changes-none', 'principal-query-changes-none'],
    ...list('queryChanges', 'removed', (ids) => [...ids, 'r0x']),
  },
  {
    name: '/queryChanges adds nothing',
    checks: ['quota-query-follows', 'share-notification-query-changes', 'view-query-changes'],
    ...list('queryChanges', 'added', () => []),
  },
  {
    name: 'nothing is ever used',
    checks: ['quota-used-counts'],
    ...items((one) => ('used' in one ? { ...one, used: 0 } : one)),
  },
  {
    name: 'more is created than a quota allows',
    checks: ['quota-hard-limit'],
    ...accepted('overQuota'),
  },
  {
    name: '/changes leaves out what was updated',
    checks: ['quota-changes-used', 'view-visible-changes'],
    ...list('changes', 'updated', () => []),
  },
  {
    name: 'a /get by reference gives all properties',
    checks: ['quota-changes-and-get'],
    ...ignoring('get', '#properties'),
  },
  {
    name: 'changes of quotas are not pushed',
    checks: ['quota-push'],
    ...events('state', (event) => event.replaceAll('"Quota"', '"Other"')),
  },
];
