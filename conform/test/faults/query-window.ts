import type { Json } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  changeResponses,
  forgiving,
  ignoring,
  list,
  member,
  NO_RESULTS,
  renamed,
  sent,
  without,
} from './makers.js';

/** Changes an argument where it is there. */
const argument = (name: string, change: (value: Json) => Json) =>
  sent('query', (args) =>
    args[name] === undefined ? args : { ...args, [name]: change(args[name]) },
  );

export const queryWindowFaults: readonly Fault[] = [
  {
    name: '/query has no canCalculateChanges',
    checks: ['query-window-response', 'query-window-server-limit'],
    ...without('query', 'canCalculateChanges'),
  },
  {
    name: '/query refuses nulls',
    checks: ['query-window-null-arguments'],
    ...argument('anchor', (anchor) => anchor ?? 'none'),
  },
  {
    name: '/query ignores the limit',
    checks: ['query-window-position', 'query-window-limit-zero', 'query-window-limit-told'],
    ...ignoring('query', 'limit'),
  },
  {
    name: '/query tells a wrong position',
    checks: ['query-window-position', 'query-window-negative-position'],
    ...member('query', 'position', (position) => Number(position) + 1),
  },
  {
    name: '/query takes negative positions from the start',
    checks: ['query-window-negative-position', 'query-window-pages'],
    ...argument('position', (position) => Math.abs(Number(position))),
  },
  {
    name: '/query counts one too far from the end',
    checks: ['query-window-negative-position'],
    ...argument('position', (position) => (Number(position) < 0 ? Number(position) - 1 : position)),
  },
  {
    name: '/query wraps positions that lead in front of the list',
    checks: ['query-window-position-clamped'],
    ...argument('position', (position) => (Number(position) < -6 ? -1 : position)),
  },
  {
    name: '/query refuses positions behind the end',
    checks: ['query-window-behind-end'],
    ...argument('position', (position) => (Number(position) > 5 ? 'behind' : position)),
  },
  {
    name: '/query gives the last page behind the end',
    checks: ['query-window-behind-end', 'query-window-position-as-asked'],
    ...argument('position', (position) => (Number(position) > 5 ? 5 : position)),
  },
  {
    name: '/query takes a negative limit for none',
    checks: ['query-window-limit-negative'],
    ...argument('limit', (limit) => (Number(limit) < 0 ? null : limit)),
  },
  {
    name: '/query always tells the limit',
    checks: ['query-window-limit-told', 'query-window-limit-zero', 'query-window-server-limit'],
    ...changeResponses('query', (args) => ({ ...args, limit: args['limit'] ?? 5000 })),
  },
  {
    name: '/query counts one too many',
    checks: ['query-window-total', 'query-window-pages-filtered'],
    ...member('query', 'total', (total) => Number(total) + 1),
  },
  {
    name: '/query counts without being asked',
    checks: ['query-window-total', 'query-window-response'],
    ...changeResponses('query', (args) => ({ total: 6, ...args })),
  },
  {
    name: '/query ignores anchorOffset',
    checks: ['query-window-anchor', 'query-window-anchor-everywhere', 'query-window-pages'],
    ...ignoring('query', 'anchorOffset'),
  },
  {
    name: '/query ignores the anchor',
    checks: [
      'query-window-anchor',
      'query-window-anchor-not-found',
      'query-window-anchor-elsewhere',
      'query-window-anchor-creation-id',
      'query-window-anchor-everywhere',
    ],
    ...ignoring('query', 'anchor'),
  },
  {
    name: '/query wraps anchorOffset around the start of the list',
    checks: ['query-window-anchor-clamped'],
    ...sent('query', (args) => {
      const { anchorOffset = 0, anchor = null } = args;
      return anchor !== null && Number(anchorOffset) < -2 ? { ...args, anchorOffset: 3 } : args;
    }),
  },
  {
    name: '/query adds anchorOffset to the position',
    checks: ['query-window-anchor-offset-alone'],
    ...sent('query', (args) =>
      (args['anchor'] ?? null) === null && args['anchorOffset'] !== undefined
        ? { ...args, position: Number(args['position'] ?? 0) + Number(args['anchorOffset']) }
        : args,
    ),
  },
  {
    name: '/query takes an unknown anchor for no results',
    checks: ['query-window-anchor-not-found', 'query-window-anchor-elsewhere'],
    ...forgiving('anchorNotFound', 'query', NO_RESULTS),
  },
  {
    name: '/query takes an unknown anchor for a wrong argument',
    checks: ['query-window-anchor-not-found'],
    ...renamed('anchorNotFound', 'invalidArguments'),
  },
  {
    name: '/query leaves out the last id of a page',
    checks: ['query-window-pages', 'query-window-position', 'query-window-pages-filtered'],
    ...list('query', 'ids', (ids) => (ids.length > 3 ? ids.slice(0, -1) : ids)),
  },
  {
    name: '/query takes what is no number for 0',
    checks: ['query-window-invalid'],
    ...argument('position', (position) => (Number.isSafeInteger(position) ? position : 0)),
  },
  {
    name: '/query takes anything for a Boolean',
    checks: ['query-window-invalid'],
    ...argument('calculateTotal', Boolean),
  },
];

/** Another state in each answer. */
let answered = 0;

export const queryStateFaults: readonly Fault[] = [
  {
    name: 'queryState is another each time',
    checks: ['query-state-same'],
    ...member('query', 'queryState', (state) => {
      answered += 1;
      return `${String(state)}.${answered}`;
    }),
  },
  {
    name: 'queryState never changes',
    checks: ['query-state-moves', 'query-state-enters-filter'],
    ...member('query', 'queryState', () => 'same'),
  },
  {
    name: 'changes of no query can be calculated, says the server',
    checks: ['query-can-calculate-changes', 'query-can-calculate-all'],
    ...member('query', 'canCalculateChanges', () => false),
  },
  {
    name: 'canCalculateChanges promises what /queryChanges refuses',
    checks: ['query-can-calculate-changes'],
    ...sent('queryChanges', (args) =>
      (args['sort'] ?? null) === null ? args : { ...args, sinceQueryState: 'too old' },
    ),
  },
];
