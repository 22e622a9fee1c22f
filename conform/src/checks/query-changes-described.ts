import { expect } from 'expect';
import type { ModelFilter, ModelProperty } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import type { Json, JsonMap } from '../client/json.js';
import { at } from '../expected.js';
import { isUnique, listGivable } from '../subject/described.js';
import { listOperands, toIdentity } from '../subject/operators.js';
import { populate } from '../subject/populated.js';
import { listSorts } from '../subject/profile.js';
import { cacheQuery, type Query, queryAll, queryChanges } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { countOctets } from '../subject/values.js';
import { expectSpliced } from './query-follow.js';

/** RFC 8620 5.6 for the filters and sorts that a type's descriptor declares. */

/** Returns queries with two conditions of each filter, with each sort, and with neither. */
function buildQueries(
  subject: Subject,
  items: Parameters<typeof listOperands>[1],
): readonly Query[] {
  const { filters } = subject.described;
  return [
    {},
    ...filters.flatMap((filter) =>
      listOperands(filter, items)
        .filter((value) => countOctets(value) < 2000)
        .slice(0, 2)
        .map((value) => ({ filter: { [filter.name]: value } })),
    ),
    ...listSorts(subject.described).map(({ name }) => ({ sort: [{ property: name }] })),
  ];
}

/** Returns properties to sort by that may be null and that an update changes, each with a value. */
function findNullable(subject: Subject): readonly { name: string; value: Json }[] {
  const { described } = subject;
  return listSorts(described).flatMap(({ name: sortName, property }) => {
    const { access, nullable: isNullable, name } = property;
    if (sortName !== name) return [];
    if (access !== 'mutable' || !isNullable || !listGivable(described).includes(property))
      return [];
    if (isUnique(described, property)) return [{ name, value: subject.drawDiffering(name) }];
    const value = subject.listGood(property).find((one) => one !== null && countOctets(one) > 2);
    return value === undefined ? [] : [{ name, value }];
  });
}

/** Returns a filter by `equals` or `in` on an immutable property, and two values of it. */
export function findImmutable(
  subject: Subject,
): { filter: ModelFilter; property: ModelProperty; one: Json; other: Json } | undefined {
  for (const filter of subject.described.filters) {
    const { operator, property } = filter;
    if (operator !== 'in' && operator !== 'equals') continue;
    if (property.access !== 'immutable' || !listGivable(subject.described).includes(property))
      continue;
    if (isUnique(subject.described, property)) continue;
    const [one, other] = subject.listGood(property).filter((value) => value !== null);
    if (
      one !== undefined &&
      other !== undefined &&
      toIdentity(property, one) !== toIdentity(property, other)
    )
      return { filter, property, one, other };
  }
  return undefined;
}

export const queryChangesDescribedChecks = typeChecks(
  '5.6',
  { methods: ['get', 'set', 'query', 'queryChanges'], room: 4 },
  [
    {
      id: 'query-changes-every-query',
      level: 'must',
      rule:
        'For each filter and each sort that the type has a cache that follows /queryChanges is ' +
        'what the query is: after a create, an update and a destroy.',
      needs: { room: 6 },
      async run(subject) {
        const { profile } = subject;
        await populate(subject, async (items) => {
          const caches = [];
          for (const args of buildQueries(subject, items))
            caches.push(await cacheQuery(subject, args));
          const patch: JsonMap = profile.text === '' ? {} : { [profile.text]: 'changed' };
          const { notUpdated, notDestroyed } = await subject.set({
            create: { k: subject.create('new') },
            update: { [at(items, -1).id]: patch },
            destroy: [at(items, -2).id],
          });
          expect([notUpdated, notDestroyed]).toEqual([null, null]);
          for (const cache of caches)
            await expectSpliced(subject, cache, await queryChanges(subject, cache));
        });
      },
    },
    {
      id: 'query-changes-unread',
      level: 'must',
      rule:
        'An update of what neither filter nor sort reads leaves the results as they are: what is ' +
        'removed of them is added again, where it was.',
      applies: ({ profile }) => (profile.text === '' ? 'The type has no text to change.' : null),
      async run(subject) {
        const { profile } = subject;
        const found = findImmutable(subject);
        const values: JsonMap = found === undefined ? {} : { [found.property.name]: found.one };
        const [id] = [await subject.putOne(values), await subject.putOne(values)];
        const queries: Query[] = [{}];
        if (found !== undefined && found.property.name !== profile.text) {
          const value = found.filter.operator === 'in' ? [found.one] : found.one;
          queries.push({ filter: { [found.filter.name]: value } });
        }
        for (const args of queries) {
          const before = await cacheQuery(subject, args);
          const { refused } = await subject.update(id, {
            [profile.text]: subject.drawDiffering(profile.text),
          });
          expect(refused).toBeNull();
          const ids = await expectSpliced(subject, before, await queryChanges(subject, before));
          expect(ids).toContain(id);
        }
      },
    },
    {
      id: 'query-changes-null',
      level: 'must',
      rule:
        'An object whose null becomes a value, or the other way around, is removed and added at ' +
        'its new index where that property is sorted by.',
      applies: (subject) =>
        findNullable(subject).length > 0
          ? null
          : 'The type sorts by nothing that may be null and be changed.',
      async run(subject) {
        for (const { name, value } of findNullable(subject)) {
          const args = { sort: [{ property: name }] };
          const id = await subject.putOne({ [name]: null });
          const other = await subject.putOne({ [name]: null });
          for (const now of [value, null]) {
            const before = await cacheQuery(subject, args);
            const { refused } = await subject.update(id, { [name]: now });
            expect({ name, now, refused }).toEqual({ name, now, refused: null });
            const answer = await queryChanges(subject, before);
            const index = (await queryAll(subject, args)).indexOf(id);
            expect({ name, removed: answer.removed, added: answer.added }).toEqual({
              name,
              removed: [id],
              added: [{ id, index }],
            });
          }
          await subject.set({ destroy: [id, other] });
        }
      },
    },
  ],
);
