import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { forgiving, ignoring, list, NO_RESULTS, onResponses, renamed, sent } from './makers.js';

/** Changes each condition of a filter, wherever it is. */
function conditions(change: (condition: JsonMap) => JsonMap): (filter: Json) => Json {
  const changed = (filter: Json): Json => {
    const { operator, conditions: some } = asMap(filter);
    if (filter === null || typeof filter !== 'object' || Array.isArray(filter)) return filter;
    if (typeof operator !== 'string') return change(filter);
    return Array.isArray(some) ? { ...filter, conditions: some.map(changed) } : filter;
  };
  return changed;
}

/** Changes the filter of each /query. */
const filtered = (change: (filter: Json) => Json) =>
  sent('query', (args) =>
    args['filter'] === undefined ? args : { ...args, filter: change(args['filter']) },
  );

/** Replaces operators, wherever in the filter they are. */
const operators = (change: (operator: Json) => Json) =>
  filtered((filter) =>
    JSON.parse(JSON.stringify(filter), (key, value: Json) =>
      key === 'operator' ? change(value) : value,
    ),
  );

/** Values of conditions are changed. */
const values = (change: (value: Json) => Json) =>
  filtered(
    conditions((condition) =>
      Object.fromEntries(Object.entries(condition).map(([name, value]) => [name, change(value)])),
    ),
  );

const halved = list('query', 'ids', (ids) => ids.slice(0, -1));

export const queryFilterFaults: readonly Fault[] = [
  {
    name: '/query leaves out a match',
    checks: [
      'query-filter-none',
      'query-filter-empty-condition',
      'query-filter-empty-operators',
      'query-filter-operators',
      'query-filter-not-one',
      'query-filter-own-account',
      'query-filter-agrees',
      'query-condition-operators',
      'query-condition-bounds',
      'query-condition-case',
      'query-condition-wildcards',
    ],
    ...halved,
  },
  {
    name: 'a condition without properties matches nothing',
    checks: ['query-filter-empty-condition', 'query-filter-empty-operators'],
    ...filtered(
      conditions((condition) =>
        Object.keys(condition).length === 0
          ? ({ operator: 'OR', conditions: [] } as never)
          : condition,
      ),
    ),
  },
  {
    name: 'OR without conditions matches all',
    checks: ['query-filter-empty-operators'],
    ...filtered((filter) =>
      JSON.stringify(filter) === '{"operator":"OR","conditions":[]}' ? {} : filter,
    ),
  },
  {
    name: 'operators are taken in any case',
    checks: ['query-filter-malformed'],
    ...operators((operator) => (typeof operator === 'string' ? operator.toUpperCase() : operator)),
  },
  {
    name: 'an operator without conditions has none',
    checks: ['query-filter-malformed'],
    ...filtered((filter) => {
      const map = asMap(filter);
      return 'operator' in map && map['conditions'] === undefined
        ? { ...map, conditions: [] }
        : filter;
    }),
  },
  {
    name: 'unknown conditions are left out of account',
    checks: ['query-filter-undeclared', 'query-filter-undeclared-type'],
    ...filtered(conditions(({ noSuchCondition: _, nope: __, ...condition }) => condition)),
  },
  {
    name: 'unknown conditions match nothing',
    checks: ['query-filter-undeclared', 'query-filter-undeclared-type', 'query-filter-too-large'],
    ...forgiving('unsupportedFilter', 'query', NO_RESULTS),
  },
  {
    name: 'unknown conditions are wrong arguments',
    checks: ['query-filter-undeclared-type', 'query-filter-too-large'],
    ...renamed('unsupportedFilter', 'invalidArguments'),
  },
  {
    name: 'a server breaks by large filters',
    checks: ['query-filter-beyond-bounds', 'query-filter-too-large'],
    ...renamed('unsupportedFilter', 'serverFail'),
  },
  {
    name: 'OR is AND',
    checks: ['query-filter-operators'],
    ...operators((operator) => (operator === 'OR' ? 'AND' : operator)),
  },
  {
    name: 'NOT asks that not all conditions match',
    checks: ['query-filter-operators'],
    ...filtered((filter) => {
      const { operator, conditions: some } = asMap(filter);
      if (operator !== 'NOT' || !Array.isArray(some) || some.length < 2) return filter;
      return { operator: 'NOT', conditions: [{ operator: 'AND', conditions: some }] };
    }),
  },
  {
    name: 'NOT within NOT is left out of account',
    checks: ['query-filter-not-one'],
    ...filtered(
      (filter) =>
        JSON.parse(
          JSON.stringify(filter).replaceAll(
            '"operator":"NOT","conditions":[{"operator":"NOT"',
            '"operator":"NOT","conditions":[{"operator":"AND"',
          ),
        ) as Json,
    ),
  },
  {
    name: 'values of another kind are converted',
    checks: ['query-filter-wrong-kind', 'query-condition-invalid'],
    ...values((value) =>
      typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
    ),
  },
  {
    name: 'wrong values match nothing',
    checks: ['query-filter-wrong-kind', 'query-condition-invalid', 'query-filter-malformed'],
    ...forgiving('invalidArguments', 'query', NO_RESULTS),
  },
  {
    name: 'a query finds an object of another account',
    checks: ['query-filter-own-account'],
    ...list('query', 'ids', (ids) => [...ids, 'r0another']),
  },
  {
    name: 'total is of something else',
    checks: ['query-filter-agrees'],
    ...onResponses(([name, args, id]) =>
      name.endsWith('/query') && args['total'] !== undefined
        ? [name, { ...args, total: Number(args['total']) + 1 }, id]
        : [name, args, id],
    ),
  },
  {
    name: '/query ignores the filter',
    checks: [
      'query-condition-operators',
      'query-condition-members',
      'query-condition-no-constraint',
      'query-condition-bounds',
      'query-condition-case',
      'query-condition-wildcards',
      'query-filter-malformed',
      'query-filter-undeclared',
      'query-condition-in',
      'query-condition-keys',
      'described-links-in-filter',
    ],
    ...ignoring('query', 'filter'),
  },
  {
    name: 'of several members of a condition one counts',
    checks: ['query-condition-members'],
    ...filtered(
      conditions((condition) => Object.fromEntries(Object.entries(condition).slice(0, 1))),
    ),
  },
  {
    name: 'a condition that is null matches nothing',
    checks: ['query-condition-no-constraint'],
    ...filtered(
      conditions((condition) =>
        Object.values(condition).some((value) => value === null || value === '')
          ? ({ operator: 'OR', conditions: [] } as never)
          : condition,
      ),
    ),
  },
  {
    name: 'before takes its bound in',
    checks: ['query-condition-bounds'],
    ...values((value) =>
      typeof value === 'string' && /^\d{4}-.*T.*Z$/.test(value)
        ? new Date(Date.parse(value) + 1).toISOString().replace('.000Z', 'Z').replace(/0+Z$/, 'Z')
        : value,
    ),
  },
  {
    name: 'texts are compared by ASCII letters alone',
    checks: ['query-condition-case'],
    ...values((value) => (typeof value === 'string' ? value.replaceAll('ß', 'x') : value)),
  },
  {
    name: 'an asterisk stands for anything',
    checks: ['query-condition-wildcards'],
    ...values((value) => (value === '*' ? '' : value)),
  },
];
