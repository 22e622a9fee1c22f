import { expect } from 'vitest';
import {
  givable,
  isUnique,
  visible,
  wrapped,
  writable,
} from '../../../scripts/conform/subject/described.js';
import { size, valuesOf } from '../../../scripts/conform/subject/values.js';
import type { ModelFilter, ModelProperty } from '../../../scripts/generator/model.js';
import { casemapKey, fold } from '../../../src/text/index.js';
import type { QueryAnswer } from '../../support/client.js';
import { at, err } from '../../support/expected.js';
import type { Item, Json, JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Filters and sorts of a descriptor against plain JavaScript, in /query and in /queryChanges. */
export function describedQueryCases(suite: Suite): void {
  const { profile, described: type, describe } = suite;
  const { name } = profile;
  const properties = givable(type);
  const links = writable(type).filter(
    (one) => one.reference !== undefined && !profile.given.includes(one) && !isUnique(type, one),
  );
  const it = suite.needsRoom(100, 'query');

  /** Objects in which the values of each property take turns, so that each occurs. */
  const populate = async (): Promise<Item[]> => {
    await suite.clear(suite.A1);
    const good = new Map(
      properties.map((one) => [one.name, valuesOf(one).good.filter((v) => size(v) < 2000)]),
    );
    const targets = new Map<string, string[]>();
    for (const { reference } of links) {
      if (reference === undefined || targets.has(reference.type)) continue;
      const target = suite.of(reference.type);
      await target.prepare([suite.A1]);
      targets.set(reference.type, await target.make(suite.A1, 'target', 'another'));
    }
    const count = Math.max(...[...good.values()].map(({ length }) => length), 3);
    const create = Object.fromEntries(
      Array.from({ length: count + 3 }, (_, index) => {
        const values = properties.map((property, turn): [string, Json][] => {
          const own = good.get(property.name) ?? [];
          // What no two objects share has each of its values once.
          const value = own[isUnique(type, property) ? index : (index + turn) % own.length];
          return value === undefined ? [] : [[property.name, value]];
        });
        const linked = links.map(({ name: link, reference }): [string, Json][] => {
          if (reference === undefined || index % 3 === 0) return [];
          const id = targets.get(reference.type)?.[index % 2] ?? '';
          return [[link, wrapped(reference.form, id)]];
        });
        const object = Object.fromEntries([...values.flat(), ...linked.flat()]);
        return [`k${index}`, { ...suite.create('t'), ...object }];
      }),
    );
    const { notCreated } = await suite.set({ create });
    expect(notCreated).toBeNull();
    return suite.all(suite.A1);
  };

  const find = async (args: object): Promise<string[]> =>
    (await suite.client.query(name, { accountId: suite.A1, ...args })).ids;

  if (!suite.has('query')) return;

  describe(`${name}: filters and sorts, as its descriptor says`, () => {
    it('each filter finds what plain JavaScript finds', async () => {
      const items = await populate();
      for (const filter of type.filters) {
        for (const value of operands(filter, items)) {
          const wanted = items.filter((item) => matches(item, filter, value)).map(({ id }) => id);
          const condition = { [filter.name]: value };
          expect({ condition, ids: (await find({ filter: condition })).sort() }).toEqual({
            condition,
            ids: wanted.sort(),
          });
          const not = { operator: 'NOT', conditions: [condition] };
          expect(await find({ filter: not })).toHaveLength(items.length - wanted.length);
        }
      }
      for (const other of ['noSuch', ...suite.hidden])
        expect(
          await suite.client.call(`${name}/query`, { accountId: suite.A1, filter: { [other]: 1 } }),
        ).toEqual(err('unsupportedFilter'));
    });

    it('each sort orders as plain JavaScript does; no other is there', async () => {
      const items = await populate();
      const sorts = type.sorts.map(({ property }) => property);
      for (const property of sorts) {
        const ids = [...items].sort((a, b) => compare(a, b, property)).map(({ id }) => id);
        const sort = (isAscending: boolean) => [{ property: property.name, isAscending }];
        expect({ property: property.name, ids: await find({ sort: sort(true) }) }).toEqual({
          property: property.name,
          ids,
        });
        expect(await find({ sort: sort(false) })).toEqual([...ids].reverse());
      }
      const others = visible(type).filter((property) => !sorts.includes(property));
      for (const property of [...others.map((other) => other.name), ...suite.hidden]) {
        expect(
          await suite.client.call(`${name}/query`, { accountId: suite.A1, sort: [{ property }] }),
        ).toEqual(err('unsupportedSort'));
      }
    });

    suite.needsRoom(100, 'queryChanges')(
      '5.6: for each filter and sort a cache follows what happens',
      async () => {
        const items = await populate();
        const filters = type.filters.flatMap((filter) => {
          const values = operands(filter, items);
          return values.slice(0, 2).map((value) => ({ filter: { [filter.name]: value } }));
        });
        const sorts = type.sorts.map(({ property }) => ({ sort: [{ property: property.name }] }));
        const caches: { args: object; before: QueryAnswer }[] = [];
        for (const args of [{}, ...filters, ...sorts])
          caches.push({
            args,
            before: await suite.client.query(name, { accountId: suite.A1, ...args }),
          });
        const { notUpdated, notDestroyed } = await suite.set({
          create: { k: suite.create('new') },
          update: { [at(items, -1).id]: profile.text === '' ? {} : { [profile.text]: 'changed' } },
          destroy: [at(items, -2).id],
        });
        expect([notUpdated, notDestroyed]).toEqual([null, null]);
        for (const { args, before } of caches) {
          const changes = await suite.client.queryChanges(name, {
            accountId: suite.A1,
            sinceQueryState: before.queryState,
            ...args,
          });
          const ids = before.ids.filter((id) => !changes.removed.includes(id));
          for (const { id, index } of changes.added) ids.splice(index, 0, id);
          expect({ args, ids }).toEqual({ args, ids: await find(args) });
        }
      },
    );

    suite.needsRoom(
      100,
      'copy',
      'query',
    )('5.4: a copy has all that its original has', async () => {
      const items = (await populate()).slice(0, 5);
      await suite.clear(suite.A2);
      const none = Object.fromEntries(
        links.map(({ name: link, default: value }) => [link, (value ?? null) as Json]),
      );
      const { created, notCreated } = await suite.client.copy(name, {
        fromAccountId: suite.A1,
        accountId: suite.A2,
        create: Object.fromEntries(
          items.map(({ id }) => [id, { id, ...none, ...suite.moved() } satisfies JsonMap]),
        ),
      });
      expect(notCreated).toBeNull();
      const copies = await suite.all(suite.A2);
      for (const item of items) {
        const copy = copies.find(({ id }) => id === created?.[item.id]?.id);
        for (const property of properties)
          expect(copy?.[property.name]).toEqual(item[property.name]);
      }
    });
  });
}

/** Values that a condition is tried with: those that are there, and one that is nowhere. */
function operands({ operator, property }: ModelFilter, items: readonly Item[]): readonly Json[] {
  const values = items.map((item) => item[property.name] ?? null);
  const some = [...new Set(values.filter((value) => value !== null))];
  switch (operator) {
    case 'isNull':
      return [true, false];
    case 'in':
      return [some.slice(0, 1), some.slice(0, 8), []];
    case 'hasKey':
      return ['a', 'b', 'nowhere', '', ...new Set(some.flatMap((one) => Object.keys(one)))].slice(
        0,
        9,
      );
    case 'hasItem':
      return ['nowhere', '', ...new Set(some.flat())].filter(isOf(some)).slice(0, 9);
    case 'contains':
    case 'startsWith':
    case 'text':
      return ['A', 'ss', 'SS', 'É', '%', 'nowhere', 'a B', ...some.slice(0, 4)];
    default:
      // A condition takes what its property's schema takes, so values that are there will do.
      return [...some.slice(0, 12), ...(property.nullable && operator === 'equals' ? [null] : [])];
  }
}

/** Items of another kind than those that are there are no value of the condition. */
function isOf(lists: readonly Json[]): (item: Json) => boolean {
  const kind = typeof (lists.flat()[0] ?? '');
  return (item) => typeof item === kind;
}

const plain = ({ kind, format }: ModelProperty, value: Json): Json =>
  (kind === 'date' || format === 'date') && typeof value === 'string' ? Date.parse(value) : value;

function matches(item: Item, filter: ModelFilter, value: Json): boolean {
  const { operator, property } = filter;
  const stored = plain(property, item[property.name] ?? null);
  const wanted = plain(property, value);
  if (operator === 'text') return hasWords(item, filter, String(value));
  if (operator === 'isNull') return (stored === null) === wanted;
  if (operator === 'equals') return stored === wanted;
  if (operator === 'in')
    return Array.isArray(value) && value.some((one) => plain(property, one) === stored);
  if (operator === 'hasKey')
    return stored !== null && Object.hasOwn(stored as JsonMap, String(value));
  if (operator === 'hasItem') return Array.isArray(stored) && stored.includes(value);
  if ((operator === 'contains' || operator === 'startsWith') && value === '') return true;
  if (stored === null || wanted === null) return false;
  if (operator === 'contains') return fold(String(stored)).includes(fold(String(wanted)));
  if (operator === 'startsWith') return fold(String(stored)).startsWith(fold(String(wanted)));
  if (operator === 'before') return stored < wanted;
  return operator === 'atMost' ? stored <= wanted : stored >= wanted;
}

/** All words, each in any of the properties. */
function hasWords(item: Item, { property, properties = [property] }: ModelFilter, text: string) {
  const texts = properties.map((one) => fold(String(item[one.name] ?? '')));
  const words = fold(text)
    .split(/\s+/u)
    .filter((word) => word !== '');
  return words.every((word) => texts.some((one) => one.includes(word)));
}

/** Nulls first, then by value or `i;unicode-casemap`, then by id (decision 15). */
function compare(a: Item, b: Item, property: ModelProperty): number {
  const key = (item: Item): number | string | null => {
    const value = plain(property, item[property.name] ?? null);
    if (property.role === 'created') return item.id;
    return typeof value === 'string' ? casemapKey(value) : value === null ? null : Number(value);
  };
  const order = compareKeys(key(a), key(b));
  return order === 0 ? compareKeys(a.id, b.id) : order;
}

function compareKeys(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return a - Number(b);
}
