import { describe, expect, it } from 'vitest';
import type { ModelFilter, ModelProperty, ModelType } from '../../../scripts/generator/model.js';
import { casemapKey, fold } from '../../../src/text/index.js';
import { at, entry, err, setError } from '../../support/expected.js';
import type { Item, Json, JsonMap } from '../../support/json.js';
import { givable, valuesOf } from '../descriptor.js';
import type { Suite } from '../suite.js';

/** What a type's descriptor says of it: bounds, and filters and sorts against plain JavaScript. */
export function describedCases(suite: Suite, type: ModelType): void {
  const { profile } = suite;
  const { name } = profile;
  const properties = givable(type);
  const isUnique = (property: ModelProperty) =>
    type.uniques.some((unique) => unique.properties.some((one) => one.name === property.name));

  const set = (args: object) => suite.client.set(name, { accountId: suite.A1, ...args });
  const create = async (more: JsonMap) =>
    set({ create: { k: { ...profile.create('t'), ...more } } });
  const all = () => suite.all(suite.A1);

  /** Objects in which the values of each property take turns, so that each occurs. */
  const populate = async (): Promise<Item[]> => {
    await suite.clear(suite.A1);
    const count = Math.max(...properties.map((one) => valuesOf(one).good.length));
    const create = Object.fromEntries(
      Array.from({ length: count + 3 }, (_, index) => {
        const values = properties.map((property, turn): [string, Json][] => {
          const { good } = valuesOf(property);
          const value = good[isUnique(property) ? index : (index + turn) % good.length];
          return value === undefined ? [] : [[property.name, value]];
        });
        return [`k${index}`, { ...profile.create('t'), ...Object.fromEntries(values.flat()) }];
      }),
    );
    const { notCreated } = await set({ create });
    expect(notCreated).toBeNull();
    return all();
  };

  const find = async (args: object): Promise<string[]> =>
    (await suite.client.query(name, { accountId: suite.A1, ...args })).ids;

  describe(`${name}: as its descriptor says`, () => {
    it.each(properties.map((property) => [property.name, property] as const))(
      '%s: values at its bounds are stored, one past them is refused',
      async (property, described) => {
        await suite.clear(suite.A1);
        const { good, bad } = valuesOf(described);
        for (const value of good) {
          const { created } = await create({ [property]: value });
          const { id } = entry(created, 'k');
          const { list } = await suite.client.get(name, { accountId: suite.A1, ids: [id] });
          expect(at(list, 0)[property]).toEqual(value);
          if (isUnique(described)) await set({ destroy: [id] });
        }
        const id = await suite.one(suite.A1);
        for (const value of bad) {
          const refused = expect.objectContaining({
            type: 'invalidProperties',
            properties: [expect.stringMatching(new RegExp(`^${property}(/|$)`))],
          });
          const { notCreated } = await create({ [property]: value });
          expect({ value, notCreated }).toEqual({ value, notCreated: { k: refused } });
          // A null restores the default of what need not be given.
          if (value === null && !described.required) continue;
          const { notUpdated } = await set({ update: { [id]: { [property]: value } } });
          expect({ value, notUpdated }).toEqual({ value, notUpdated: { [id]: refused } });
        }
      },
    );

    it('what is required must be given, the rest has its default', async () => {
      const required = properties.filter((property) => property.required);
      const { notCreated, created } = await set({ create: { k: {} } });
      if (required.length === 0) expect(Object.keys(created ?? {})).toEqual(['k']);
      else
        expect(notCreated).toEqual({
          k: setError(
            'invalidProperties',
            required.map((property) => property.name),
          ),
        });
    });

    it('each filter finds what plain JavaScript finds', async () => {
      const items = await populate();
      const tested = type.filters.filter(({ operator }) => operator !== 'text');
      for (const filter of tested) {
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
      expect(
        await suite.client.call(`${name}/query`, { accountId: suite.A1, filter: { noSuch: 1 } }),
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
      const others = type.properties.filter((property) => !sorts.includes(property));
      for (const property of others.map((other) => other.name)) {
        expect(
          await suite.client.call(`${name}/query`, { accountId: suite.A1, sort: [{ property }] }),
        ).toEqual(err('unsupportedSort'));
      }
    });

    it('5.6: for each filter and sort a cache follows what happens', async () => {
      const items = await populate();
      const filters = type.filters.map((filter) => ({
        filter: { [filter.name]: operands(filter, items).at(0) ?? null },
      }));
      const sorts = type.sorts.map(({ property }) => ({ sort: [{ property: property.name }] }));
      const caches = await Promise.all(
        [{}, ...filters, ...sorts].map(async (args) => ({
          args,
          before: await suite.client.query(name, { accountId: suite.A1, ...args }),
        })),
      );
      await set({
        create: { k: profile.create('new') },
        update: { [at(items, 0).id]: { [profile.text]: 'changed' } },
        destroy: [at(items, 1).id],
      });
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
    });

    it('5.4: a copy has all that its original has', async () => {
      const items = (await populate()).slice(0, 5);
      await suite.clear(suite.A2);
      const { created } = await suite.client.copy(name, {
        fromAccountId: suite.A1,
        accountId: suite.A2,
        create: Object.fromEntries(items.map(({ id }) => [id, { id }])),
      });
      const copies = await suite.all(suite.A2);
      for (const item of items) {
        const { id } = entry(created, item.id);
        const copy = copies.find((one) => one.id === id);
        for (const property of properties) {
          expect(copy?.[property.name]).toEqual(item[property.name]);
        }
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
      return [some.slice(0, 1), some, []];
    case 'hasKey':
      return ['a', 'b', 'nowhere', ''];
    case 'hasItem':
      return ['a', 'nowhere', ''];
    case 'contains':
    case 'startsWith':
    case 'text':
      return ['A', 'ss', 'SS', 'É', '%', 'nowhere', ...some.slice(0, 4)];
    default:
      // A condition takes what its property's schema takes, so values that are there will do.
      return property.nullable && operator === 'equals' ? [...some, null] : some;
  }
}

const plain = ({ kind }: ModelProperty, value: Json): Json =>
  kind === 'date' && typeof value === 'string' ? Date.parse(value) : value;

function matches(item: Item, { operator, property }: ModelFilter, value: Json): boolean {
  const stored = plain(property, item[property.name] ?? null);
  const wanted = plain(property, value);
  if (operator === 'isNull') return (stored === null) === wanted;
  if (operator === 'equals') return stored === wanted;
  if (operator === 'in') return Array.isArray(value) && value.includes(stored);
  if (operator === 'hasKey') return Object.hasOwn(stored as JsonMap, String(value));
  if (operator === 'hasItem') return Array.isArray(stored) && stored.includes(value);
  if ((operator === 'contains' || operator === 'startsWith') && value === '') return true;
  if (stored === null || wanted === null) return false;
  if (operator === 'contains') return fold(String(stored)).includes(fold(String(wanted)));
  if (operator === 'startsWith') return fold(String(stored)).startsWith(fold(String(wanted)));
  if (operator === 'before') return stored < wanted;
  return operator === 'atMost' ? stored <= wanted : stored >= wanted;
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
