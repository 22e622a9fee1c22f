import { expect } from 'expect';
import type { ModelProperty, ModelSort } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { at, sameMembers } from '../expected.js';
import { isUnique, listGivable } from '../subject/described.js';
import { compareKeys, hasOwnOrder, readValues, toKey } from '../subject/operators.js';
import { populate } from '../subject/populated.js';
import { listSorts } from '../subject/profile.js';
import { buildSorts, query, queryAll, queryOwn, tryQuery } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { needTextSort } from './applies.js';

/** RFC 8620 5.5: comparators. Collations are in query-collation.ts. */

/** Returns the properties that a type's descriptor sorts by. */
export const findSorts = (subject: Subject): readonly ModelSort[] => listSorts(subject.described);

/** Returns why nothing can be sorted; null where something can. */
export const needSort = (subject: Subject): string | null =>
  subject.profile.sorts.length === 0 ? 'The type declares no sort.' : null;

/** Returns the ids of all results of a sort, in its order. */
export const find = (subject: Subject, sort: Json): Promise<string[]> =>
  queryOwn(subject, sort === null ? {} : { sort });

/** Pages that a list is cut into, however long it is. */
const MOST_PAGES = 50;

/** Tells whether RFC 8620 5.5 orders a property by itself: a Boolean, a number or a date. */
function isOrdered(property: ModelProperty): boolean {
  const { kind } = property;
  return hasOwnOrder(property) || kind === 'boolean' || kind === 'integer' || kind === 'number';
}

/** Returns the sorted Booleans, numbers and dates: their order needs no collation. */
const findOrdered = (subject: Subject) =>
  findSorts(subject).filter(({ property }) => isOrdered(property));

/** Returns why the type sorts by no Boolean, number or date; null where it sorts by one. */
const needOrdered = (subject: Subject): string | null =>
  findOrdered(subject).length === 0 ? 'The type sorts by no Boolean, number or date.' : null;

/** Returns a property that the RFC orders, and two values of it, the lower one first. */
function findTwoValues(subject: Subject): { property: string; low: Json; high: Json } | null {
  const type = subject.described;
  for (const { name, property } of findOrdered(subject)) {
    if (name !== property.name || !listGivable(type).includes(property) || isUnique(type, property))
      continue;
    const good = subject
      .listGood(property)
      .filter((value) => value !== null)
      .sort((a, b) => compareKeys(toKey(property, a), toKey(property, b)));
    const [low = null] = good;
    const high = good.at(-1) ?? null;
    if (low !== high) return { property: property.name, low, high };
  }
  return null;
}

export const querySortChecks = typeChecks('5.5', { methods: ['get', 'set', 'query'], room: 3 }, [
  {
    id: 'query-sort-none-stable',
    level: 'must',
    rule:
      'Without a sort, with null and with an empty list the order is one and the same, call ' +
      'after call and over pages.',
    needs: { room: 5 },
    async run(subject) {
      await subject.make(subject.A1, 'z', 'a', 'm');
      await subject.make(subject.A1, 'b', 'y');
      const ids = await queryAll(subject);
      for (const sort of [null, [], undefined])
        expect(await queryAll(subject, sort === undefined ? {} : { sort })).toEqual(ids);
      const pages = [];
      const limit = Math.max(2, Math.ceil(ids.length / MOST_PAGES));
      for (let position = 0; position < ids.length; position += limit)
        pages.push(...(await query(subject, { sort: [], position, limit })).ids);
      expect(pages).toEqual(ids);
    },
  },
  {
    id: 'query-sort-equal-stable',
    level: 'must',
    rule:
      'Where all comparators are equal the order is stable between calls, over pages and in ' +
      'every window.',
    needs: { text: true, repeats: true, room: 5 },
    applies: needTextSort,
    async run(subject) {
      const made = await subject.make(subject.A1, 'e', 'e', 'e', 'e', 'e');
      const sort = [{ property: subject.profile.text }];
      const ids = await queryAll(subject, { sort });
      expect(ids).toEqual(expect.arrayContaining(made));
      expect(await queryAll(subject, { sort })).toEqual(ids);
      for (const [position, anchor] of ids.entries()) {
        if (subject.listForeign().has(anchor)) continue;
        expect((await query(subject, { sort, position, limit: 1 })).ids).toEqual([anchor]);
        expect((await query(subject, { sort, anchor, limit: 1 })).position).toBe(position);
      }
    },
  },
  {
    id: 'query-sort-malformed',
    level: 'must',
    rule:
      'A sort that is no list of comparators, a comparator without a property, and members of ' +
      'the wrong kind are invalidArguments.',
    needs: { room: 0 },
    async run(subject) {
      const property = at([...subject.profile.sorts, 'id'], 0);
      const wrong: readonly Json[] = [
        [{}],
        [{ isAscending: true }],
        [{ property: 1 }],
        [{ property: null }],
        [{ property, isAscending: 'no' }],
        [{ property, isAscending: 1 }],
        [{ property, collation: 1 }],
        [{ property }, { isAscending: false }],
        ['text'],
        [null],
        [[]],
        'text',
        { property },
        5,
        true,
      ];
      for (const sort of wrong)
        expect({ sort, answer: await tryQuery(subject, { sort }) }).toEqual({
          sort,
          answer: subject.matchError('invalidArguments', 'sort'),
        });
    },
  },
  {
    id: 'query-sort-unsupported',
    level: 'must',
    rule:
      'A property that the server doesn’t sort by is unsupportedSort, wherever in the sort it ' +
      'is.',
    needs: { room: 0 },
    async run(subject) {
      const declared = subject.profile.sorts.slice(0, 1).map((property) => ({ property }));
      for (const property of ['noSuchProperty', '__proto__', 'toString'])
        for (const sort of [[{ property }], [...declared, { property, isAscending: false }]])
          expect({ sort, answer: await tryQuery(subject, { sort }) }).toEqual({
            sort,
            answer: subject.matchError('unsupportedSort'),
          });
    },
  },
  {
    id: 'query-sort-direction',
    level: 'must',
    rule: 'isAscending is true where it is left out; false reverses the order of what differs.',
    applies: needSort,
    async run(subject) {
      await populate(subject, async (items) => {
        for (const { name, property } of findSorts(subject)) {
          const up = await find(subject, [{ property: name }]);
          expect(await find(subject, [{ property: name, isAscending: true }])).toEqual(up);
          const down = await find(subject, [{ property: name, isAscending: false }]);
          expect(down).toEqual(sameMembers(up));
          if (!isOrdered(property)) continue;
          // Equal ones may come in any order, the values of both lists are each other's reverse.
          const pickValues = (ids: readonly string[]): Json[] =>
            ids.map(readStored(items, property));
          expect(pickValues(down)).toEqual(pickValues(up).reverse());
        }
      });
    },
  },
  {
    id: 'query-sort-kinds',
    level: 'must',
    rule:
      'In ascending order false comes before true, lower numbers before higher ones, by value ' +
      'and not as text, and earlier dates before later ones.',
    applies: needOrdered,
    async run(subject) {
      await populate(subject, async (items) => {
        for (const { name, property } of findOrdered(subject))
          for (const isAscending of [true, false]) {
            const direction = isAscending ? {} : { isAscending };
            const ids = await find(subject, [{ property: name, ...direction }]);
            const values = ids.map(readStored(items, property)).filter((value) => value !== null);
            const wanted = [...values].sort(compareKeys);
            if (!isAscending) wanted.reverse();
            expect({ property: name, values }).toEqual({
              property: name,
              values: wanted,
            });
          }
      });
    },
  },
  {
    id: 'query-sort-collation-ignored',
    level: 'must',
    rule: 'On a property that is no string a collation is ignored, also one that nobody knows.',
    applies: needOrdered,
    async run(subject) {
      await populate(subject, async () => {
        for (const { name: property } of findOrdered(subject)) {
          const ids = await find(subject, [{ property }]);
          for (const collation of ['i;octet', 'i;ascii-casemap', 'i;unknown', '']) {
            const sort = [{ property, collation }];
            expect({ sort, ids: await find(subject, sort) }).toEqual({ sort, ids });
          }
        }
      });
    },
  },
  {
    id: 'query-sort-ties',
    level: 'must',
    rule:
      'Where two objects are equal by a comparator the next one decides, each in its own ' +
      'direction.',
    needs: { text: true, repeats: true, room: 4 },
    applies: (subject) =>
      needTextSort(subject) ??
      (findTwoValues(subject) === null
        ? 'The type sorts by no Boolean, number or date that a create gives.'
        : null),
    async run(subject) {
      const found = findTwoValues(subject);
      if (found === null) throw new Error('The check does not apply.');
      const { property, low, high } = found;
      const { text } = subject.profile;
      await subject.empty(subject.A1);
      const put = (word: string, value: Json) =>
        subject.putOne({ [text]: word, [property]: value });
      const bHigh = await put('b', high);
      const aLow = await put('a', low);
      const bLow = await put('b', low);
      const aHigh = await put('a', high);
      const sortBy = (first: JsonMap, second: JsonMap) => find(subject, [first, second]);
      const down = { isAscending: false };
      expect([
        await sortBy({ property: text }, { property }),
        await sortBy({ property: text }, { property, ...down }),
        await sortBy({ property: text, ...down }, { property }),
        await sortBy({ property }, { property: text }),
        await sortBy({ property }, { property: text, ...down }),
        await sortBy({ property, ...down }, { property: text }),
      ]).toEqual([
        [aLow, aHigh, bLow, bHigh],
        [aHigh, aLow, bHigh, bLow],
        [bLow, bHigh, aLow, aHigh],
        [aLow, bLow, aHigh, bHigh],
        [bLow, aLow, bHigh, aHigh],
        [aHigh, bHigh, aLow, bLow],
      ]);
    },
  },
  {
    id: 'query-sort-behind-moment',
    level: 'must',
    rule:
      'Objects whose first sorted property is equal, a moment of creation too, are ordered by ' +
      'the next comparator.',
    needs: { text: true },
    applies: (subject) =>
      subject.profile.textSort && subject.profile.sorts.includes('created')
        ? null
        : 'The type does not sort by both created and its text.',
    async run(subject) {
      await subject.clear(subject.A1);
      await subject.make(subject.A1, 'a', 'b', 'c');
      const { text } = subject.profile;
      const readCreated = (one: Item): number => Date.parse(String(one['created']));
      const compareTexts = (one: Item, other: Item): number =>
        String(one[text]) < String(other[text]) ? 1 : -1;
      const expected = (await subject.listOwn(subject.A1)).sort(
        (a, b) => readCreated(a) - readCreated(b) || compareTexts(a, b),
      );
      const sort = [{ property: 'created' }, { property: text, isAscending: false }];
      expect(await find(subject, sort)).toEqual(expected.map(({ id }) => id));
    },
  },
  {
    id: 'query-sort-permutation',
    level: 'must',
    rule:
      'A sort changes the order alone: the same ids come in every one, each once, with the same ' +
      'total.',
    applies: needSort,
    async run(subject) {
      await populate(subject, async (items) => {
        for (const sort of buildSorts(subject)) {
          const ids = await find(subject, sort);
          expect({ sort, ids }).toEqual({ sort, ids: sameMembers(items.map(({ id }) => id)) });
          const { total } = await query(subject, { sort, calculateTotal: true, limit: 1 });
          expect(total).toBe(subject.listForeign().size + items.length);
        }
      });
    },
  },
]);

/** Returns what objects are in order by. */
function readStored(items: readonly Item[], property: ModelProperty): (id: string) => Json {
  const byId = new Map(items.map((item) => [item.id, item]));
  return (id) => {
    const item = byId.get(id);
    const [value = null] = item === undefined ? [] : readValues(property, item);
    return toKey(property, value);
  };
}
