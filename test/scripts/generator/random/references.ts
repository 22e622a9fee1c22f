import fc from 'fast-check';
import { expect } from 'vitest';
import { type RandomType, targetOf } from './descriptors.js';
import { followedOf } from './hook-files.js';
import { type Answer, BLOB_ID, type Served } from './serve.js';
import type { Json, Schema } from './values.js';

export interface Referring {
  readonly name: string;
  readonly type: RandomType;
  /** Objects that refer to nothing. */
  readonly objects: fc.Arbitrary<Record<string, Json>>;
}

type Stored = Record<string, Answer>;

/**
 * Objects that refer to others and to a blob: found by it, counted, and consistent after destroys.
 */
export async function holdReferences(
  served: Served,
  types: readonly Referring[],
  seed: number,
): Promise<void> {
  for (const each of types) await refer(served, each, seed);
  await consistent(served, types);
  for (const { name, type } of types) {
    if (type['singleton'] === true) continue;
    const [first] = await all(served, name);
    if (first === undefined) continue;
    const id: string = first['id'];
    const { destroyed, notDestroyed } = await served.call(`${name}/set`, { destroy: [id] });
    const what = `${name}: ${JSON.stringify(notDestroyed)}`;
    // With it go those of its own type that refer to it with onDestroy: cascade.
    if (notDestroyed === null) expect(destroyed, what).toContain(id);
    // An object that others refer to with onDestroy: restrict stays.
    else expect(Object.keys(notDestroyed), what).toEqual([id]);
    await consistent(served, types);
  }
}

async function refer(
  served: Served,
  { name, type, objects }: Referring,
  seed: number,
): Promise<void> {
  const held: Record<string, Json> = {};
  for (const [property, schema] of Object.entries(type.properties)) {
    if (schema['blob'] === true) held[property] = BLOB_ID;
    const target = targetOf(schema);
    const [found] = target === undefined ? [] : await all(served, target);
    if (found !== undefined) held[property] = holding(schema, found['id']);
  }
  if (Object.keys(held).length === 0 || type['singleton'] === true) return;
  const [plain] = fc.sample(objects, { seed: seed + 1, numRuns: 1 });
  const answer: Answer = await served.call(`${name}/set`, { create: { k: { ...plain, ...held } } });
  const refused = answer.notCreated?.k;
  if (refused?.type === 'alreadyExists' && type['unique'] !== undefined) return;
  expect(refused, `${name}: ${JSON.stringify(held)}`).toBeUndefined();
  const { id } = answer.created.k;
  const { list } = await served.call(`${name}/get`, { ids: [id] });
  expect(list[0], name).toMatchObject(held);
  for (const [condition, value] of conditions(type, held)) {
    const found = await served.call(`${name}/query`, { filter: { [condition]: value } });
    expect(found.ids, `${name} ${condition}: ${JSON.stringify(found)}`).toContain(id);
  }
}

function holding(schema: Schema, id: string): Json {
  if (schema['setOf'] !== undefined) return { [id]: true };
  return schema.type === 'array' ? [id] : id;
}

/** The conditions on what is held, and values that it meets. */
function conditions(type: RandomType, held: Record<string, Json>): [string, Json][] {
  const filter = (type['filter'] ?? {}) as Record<
    string,
    string | { is: string; property?: string }
  >;
  return Object.entries(filter).flatMap(([condition, said]): [string, Json][] => {
    const { is, property = condition } = typeof said === 'string' ? { is: said } : said;
    const value = held[property];
    if (value === undefined) return [];
    if (is === 'hasKey') return [[condition, Object.keys(value as object)[0] ?? '']];
    if (is === 'hasItem') return [[condition, (value as Json[])[0] ?? '']];
    if (is === 'in') return [[condition, [value]]];
    return [[condition, is === 'isNull' ? false : value]];
  });
}

/**
 * Expects that nobody refers to an object that is not there, and that each count is the number of
 * objects that refer.
 */
async function consistent(served: Served, types: readonly Referring[]): Promise<void> {
  const stored = new Map<string, readonly Stored[]>();
  for (const { name } of types) stored.set(name, await all(served, name));
  for (const { name, type } of types) {
    const own = stored.get(name) ?? [];
    for (const [property, schema] of Object.entries(type.properties)) {
      const there = stored.get(targetOf(schema) ?? '')?.map((each) => each['id']);
      if (there !== undefined)
        for (const each of own)
          expect(there, name).toEqual(expect.arrayContaining([...ids(each[property])]));
      const followed = followedOf(schema);
      if (followed !== undefined) {
        const there = (stored.get(followed) ?? []).map((each) => each['id']).sort();
        const wanted = schema.type === 'integer' ? there.length : there;
        for (const each of own) expect(each[property], `${name}.${property}`).toEqual(wanted);
      }
      const computed = schema['computed'] as { count?: string; by: string } | undefined;
      if (computed?.count === undefined) continue;
      for (const each of own) {
        const referring = (stored.get(computed.count ?? '') ?? []).filter((one) =>
          ids(one[computed.by]).includes(each['id']),
        );
        expect(each[property], `${name}.${property}`).toBe(referring.length);
      }
    }
  }
}

function ids(value: Answer): readonly string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? [value] : Object.keys(value);
}

async function all(served: Served, name: string): Promise<readonly Stored[]> {
  return (await served.call(`${name}/get`, { ids: null })).list;
}
