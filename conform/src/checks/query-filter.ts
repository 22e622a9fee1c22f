import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { sameMembers, satisfying } from '../expected.js';
import { matchAnyError } from '../subject/limits.js';
import { populate } from '../subject/populated.js';
import { query, queryAll, queryOwn, tryQuery } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { buildFilters } from '../subject/trees.js';
import { countOctets } from '../subject/values.js';
import { needFilter } from './applies.js';

/** RFC 8620 5.5: filters. The rules of operators hold whatever a type's conditions mean. */

/** An error for what the type doesn't declare: a filter that isn't supported, or no legal one. */
const refusal = [
  'error',
  satisfying('unsupportedFilter or invalidArguments', (value) =>
    ['unsupportedFilter', 'invalidArguments'].includes(String((value as JsonMap)['type'])),
  ),
];

/** Returns the ids of objects in their order. */
const listIds = (items: readonly Item[]): string[] => items.map(({ id }) => id);

/** Returns some conditions, and the ids that each finds by itself. Long conditions are left out. */
async function findLeaves(
  subject: Subject,
  items: readonly Item[],
  most: number,
): Promise<readonly { readonly condition: JsonMap; readonly ids: ReadonlySet<string> }[]> {
  const found = [];
  for (const condition of buildFilters(subject, items, most)) {
    if (countOctets(condition) > 300) continue;
    found.push({ condition, ids: new Set(await queryOwn(subject, { filter: condition })) });
  }
  return found;
}

/** Malformed whatever the type's conditions are. */
const MALFORMED: readonly Json[] = [
  { operator: 'AND' },
  { operator: 'AND', conditions: {} },
  { operator: 'AND', conditions: null },
  { operator: 'AND', conditions: [null] },
  { operator: 'AND', conditions: [[]] },
  { operator: 'AND', conditions: ['x'] },
  { operator: 'and', conditions: [] },
  { operator: 'XOR', conditions: [] },
  { operator: null, conditions: [] },
  { operator: 1, conditions: [] },
  { operator: 'OR', conditions: [{ operator: 'NOT' }] },
  { operator: 'NOT', conditions: [{ operator: 'nor', conditions: [] }] },
  'AND',
  5,
  true,
  [],
];

export const queryFilterChecks = typeChecks('5.5', { methods: ['get', 'set', 'query'], room: 3 }, [
  {
    id: 'query-filter-none',
    level: 'must',
    rule: 'Without a filter, or with null, all objects of the account are results.',
    async run(subject) {
      await subject.empty(subject.A1);
      const ids = await subject.make(subject.A1, 'a', 'b', 'c');
      const all = sameMembers(subject.addForeign(ids));
      expect(await queryAll(subject)).toEqual(all);
      expect(await queryAll(subject, { filter: null })).toEqual(all);
    },
  },
  {
    id: 'query-filter-empty-condition',
    level: 'should',
    rule:
      'A condition without properties asks for nothing: all objects are results, and none with ' +
      'NOT.',
    async run(subject) {
      await subject.empty(subject.A1);
      const ids = await subject.make(subject.A1, 'a', 'b', 'c');
      const all = sameMembers(subject.addForeign(ids));
      expect(await queryAll(subject, { filter: {} })).toEqual(all);
      const filter = { operator: 'NOT', conditions: [{}] };
      expect((await query(subject, { filter })).ids).toEqual([]);
    },
  },
  {
    id: 'query-filter-malformed',
    level: 'must',
    rule:
      'A filter that is neither a condition nor one of AND, OR and NOT with a list of such is ' +
      'invalidArguments.',
    needs: { room: 0 },
    async run(subject) {
      for (const filter of MALFORMED) {
        const answer = await tryQuery(subject, { filter });
        expect({ filter, answer }).toEqual({
          filter,
          answer: subject.matchError('invalidArguments', 'filter'),
        });
      }
    },
  },
  {
    id: 'query-filter-undeclared',
    level: 'must',
    rule: 'A condition that the type doesn’t have is refused, never left out of account.',
    needs: { room: 0 },
    async run(subject) {
      const condition = { noSuchCondition: 1 };
      for (const filter of [
        condition,
        { noSuchCondition: null },
        { operator: 'AND', conditions: [condition] },
        { operator: 'NOT', conditions: [{ operator: 'OR', conditions: [condition] }] },
      ])
        expect({ filter, answer: await tryQuery(subject, { filter }) }).toEqual({
          filter,
          answer: refusal,
        });
    },
  },
  {
    id: 'query-filter-beyond-bounds',
    section: '8.5',
    level: 'should',
    rule:
      'A filter that asks for too much work is refused as unsupportedFilter (or its request by a ' +
      'limit), or it is answered. A server doesn’t break by it.',
    needs: { room: 0 },
    /**
     * Accepts a refusal, a limit or an answer. The query at the end shows that the server still
     * works (RFC 8620 8.5).
     */
    async run(subject) {
      for (const filter of buildHuge()) {
        const [name, answer] = await tryQuery(subject, { filter });
        // Some servers allow no operator without conditions, which the RFC leaves open.
        const refused = matchAnyError(subject, 'unsupportedFilter', 'invalidArguments');
        if (name === 'error') expect([name, answer]).toEqual(refused);
        else expect(answer).toMatchObject({ accountId: subject.A1 });
      }
      expect(await query(subject)).toMatchObject({ accountId: subject.A1 });
    },
  },
  {
    id: 'query-filter-operators',
    level: 'must',
    rule:
      'AND finds what all its conditions find, OR what any of them does, NOT all that none of ' +
      'them does, among them what has null where a condition looks.',
    applies: needFilter,
    /**
     * Learns what each condition finds by itself, then expects of AND, OR and NOT what sets say. No
     * meaning of a condition is needed.
     */
    async run(subject) {
      await populate(subject, async (items) => {
        const all = listIds(items);
        const some = await findLeaves(subject, items, 2);
        for (const [index, { condition, ids }] of some.entries()) {
          const other = some[(index + 1) % some.length] ?? { condition, ids };
          const conditions = [condition, other.condition];
          const isInBoth = (id: string): boolean => ids.has(id) && other.ids.has(id);
          const isInAny = (id: string): boolean => ids.has(id) || other.ids.has(id);
          for (const [operator, matches] of [
            ['AND', isInBoth],
            ['OR', isInAny],
            ['NOT', (id: string): boolean => !isInAny(id)],
          ] as const) {
            const filter = { operator, conditions };
            expect({ filter, ids: await queryOwn(subject, { filter }) }).toEqual({
              filter,
              ids: sameMembers(all.filter(matches)),
            });
          }
        }
      });
    },
  },
  {
    id: 'query-filter-not-one',
    level: 'must',
    rule:
      'NOT of one condition finds exactly what the condition doesn’t, twice NOT what it does, ' +
      'and so on to some depth.',
    applies: needFilter,
    /**
     * Nests NOT three times, and twenty times around one condition: an even number must change
     * nothing.
     */
    async run(subject) {
      await populate(subject, async (items) => {
        const all = listIds(items);
        for (const { condition, ids } of await findLeaves(subject, items, 4)) {
          let filter: JsonMap = condition;
          for (const depth of [1, 2, 3]) {
            filter = { operator: 'NOT', conditions: [filter] };
            const wanted = all.filter((id) => ids.has(id) === (depth === 2));
            expect({ filter, ids: await queryOwn(subject, { filter }) }).toEqual({
              filter,
              ids: sameMembers(wanted),
            });
          }
        }
        const [first] = await findLeaves(subject, items, 1);
        if (first === undefined) return;
        let deep = first.condition;
        for (let depth = 0; depth < 20; depth += 1) deep = { operator: 'NOT', conditions: [deep] };
        expect(await queryOwn(subject, { filter: deep })).toEqual(sameMembers([...first.ids]));
      });
    },
  },
  {
    id: 'query-filter-wrong-kind',
    level: 'must',
    rule:
      'A condition’s value of another kind of JSON than it takes is invalidArguments, wherever ' +
      'in the filter it is.',
    needs: { room: 0 },
    applies: needFilter,
    async run(subject) {
      for (const { name, schema } of subject.described.filters)
        for (const value of buildOtherKinds(schema))
          for (const filter of [
            { [name]: value },
            { operator: 'NOT', conditions: [{ [name]: value }] },
          ]) {
            const answer = await tryQuery(subject, { filter });
            expect({ filter, answer }).toEqual({
              filter,
              answer: subject.matchError('invalidArguments', name),
            });
          }
    },
  },
  {
    id: 'query-filter-own-account',
    level: 'must',
    rule: 'A query finds objects of its own account alone, whatever the filter is.',
    /**
     * Makes equal objects in two accounts. A condition joined by OR with its own NOT finds
     * everything, but only in the account of the call.
     */
    async run(subject) {
      await subject.empty(subject.A1);
      await subject.empty(subject.A2);
      const mine = await subject.make(subject.A1, 'shared text');
      const theirs = await subject.make(subject.A2, 'shared text', 'shared text');
      expect(await queryOwn(subject)).toEqual(sameMembers(mine));
      const { type, A2: accountId } = subject;
      const { ids } = await subject.client.query(type, { accountId });
      expect(subject.pickOwn(ids, accountId)).toEqual(sameMembers(theirs));
      for (const condition of buildFilters(subject, await subject.listOwn(accountId), 2)) {
        const not = { operator: 'NOT', conditions: [condition] };
        const either = { operator: 'OR', conditions: [condition, not] };
        expect(await queryOwn(subject, { filter: either })).toEqual(sameMembers(mine));
      }
    },
  },
  {
    id: 'query-filter-agrees',
    level: 'must',
    rule: 'The ids and the total of a query of everything are those of /get, in one request.',
    /**
     * Reads both in one request, so that no other client can write between them. The server may set
     * a limit to the query.
     */
    async run(subject) {
      await subject.clear(subject.A1);
      await subject.make(subject.A1, 'a', 'b', 'c');
      const { type, A1: accountId } = subject;
      await subject.client.get(type, { accountId, ids: null });
      const { methodResponses } = await subject.client.api([
        [`${type}/query`, { accountId, calculateTotal: true }, 'q'],
        [`${type}/get`, { accountId, ids: null }, 'g'],
      ]);
      const [found, got] = methodResponses.map(([, args]) => args);
      const listed = listIds((got?.['list'] ?? []) as Item[]);
      const { ids = [], limit = listed.length, total } = found ?? {};
      // The server may give fewer at once.
      if (Number(limit) >= listed.length) expect(ids).toEqual(sameMembers(listed));
      expect(listed).toEqual(expect.arrayContaining(ids as string[]));
      expect(total).toBe(listed.length);
    },
  },
]);

/** Returns a filter of 10,000 nodes, and one that is 1,000 levels deep. */
export function buildHuge(): readonly JsonMap[] {
  const none: JsonMap = { operator: 'OR', conditions: [] };
  const wide = { operator: 'AND', conditions: Array.from({ length: 10_000 }, () => none) };
  let deep = none;
  for (let level = 0; level < 1000; level += 1) deep = { operator: 'NOT', conditions: [deep] };
  return [wide, deep];
}

/** Returns a value of each JSON type that a condition's schema doesn't name. */
function buildOtherKinds({
  type,
}: {
  readonly type?: string | readonly string[] | undefined;
}): Json[] {
  const kinds = type === undefined ? [] : typeof type === 'string' ? [type] : type;
  if (kinds.length === 0) return [];
  const values: readonly (readonly [string, Json])[] = [
    ['string', 'x'],
    ['number', 5],
    ['boolean', true],
    ['array', []],
    ['object', {}],
  ];
  const isOf = (kind: string): boolean =>
    kinds.includes(kind) || (kind === 'number' && kinds.includes('integer'));
  return values.flatMap(([kind, value]) => (isOf(kind) ? [] : [value]));
}
