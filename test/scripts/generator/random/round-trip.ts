import fc from 'fast-check';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { canonical } from './canonical.js';
import { type RandomProject, type RandomType, targetOf } from './descriptors.js';
import { computedOf, furtherOf, hookFiles, madeOf } from './hook-files.js';
import { callMethods } from './own-methods.js';
import { holdReferences } from './references.js';
import { type Answer, type Served, serve } from './serve.js';
import { type Definitions, type Json, type Schema, valuesOf } from './values.js';

type Value = Record<string, Json>;

/**
 * Objects of every type of the project, created, read, filtered and sorted; own methods called. On
 * SQLite, or in the PostgreSQL database of `url`.
 */
export async function roundTrips(
  root: string,
  project: RandomProject,
  seed: number,
  url?: string,
): Promise<void> {
  const served = await serve(root, url);
  try {
    for (const descriptor of Object.values(project)) await callMethods(served, descriptor, seed);
    for (const descriptor of Object.values(project))
      for (const [name, type] of Object.entries(descriptor.types))
        await roundTrip(served, { name, type, definitions: descriptor.$defs ?? {} }, seed);
    const types = Object.values(project).flatMap((each) =>
      Object.entries(each.types).map(([name, type]) => {
        const described = { name, type, definitions: each.$defs ?? {} };
        return { name, type, objects: objectsOf(described) };
      }),
    );
    await holdReferences(served, types, seed);
  } finally {
    await served.close();
  }
}

interface Described {
  readonly name: string;
  readonly type: RandomType;
  readonly definitions: Definitions;
}

async function roundTrip(served: Served, described: Described, seed: number): Promise<void> {
  const { name, type } = described;
  const [given, other] = fc.sample(objectsOf(described), { seed, numRuns: 2 }) as [Value, Value];
  if (type['singleton'] === true) {
    const answer = await served.call(`${name}/set`, { update: { singleton: given } });
    expect(answer.notUpdated, `${name}: ${JSON.stringify(given)}`).toBeNull();
    await reads(served, described, 'singleton', given);
    return;
  }
  for (const object of [given, other]) {
    const answer: Answer = await served.call(`${name}/set`, { create: { k: object } });
    const refused = answer.notCreated?.k;
    if (refused?.type === 'alreadyExists' && type['unique'] !== undefined) continue;
    expect(refused, `${name}: ${JSON.stringify(object)}`).toBeUndefined();
    const id: string = answer.created.k.id;
    await reads(served, described, id, object);
    await queries(served, described, id);
    await updates(served, described, id, object === given ? other : given, object);
  }
}

/**
 * Gives an object the values of another one, but for what may not change; `/changes` and the read
 * tell of it.
 */
async function updates(
  served: Served,
  described: Described,
  id: string,
  next: Value,
  before: Value,
): Promise<void> {
  const { name, type } = described;
  const patch = Object.fromEntries(
    Object.entries(next).filter(([key]) => type.properties[key]?.['access'] !== 'immutable'),
  );
  const { state } = await served.call(`${name}/get`, { ids: [] });
  const answer: Answer = await served.call(`${name}/set`, { update: { [id]: patch } });
  const refused = answer.notUpdated?.[id];
  if (refused?.type === 'alreadyExists' && type['unique'] !== undefined) return;
  expect(refused, `${name}: ${JSON.stringify(patch)}: ${JSON.stringify(answer)}`).toBeUndefined();
  await reads(served, described, id, { ...before, ...patch });
  if (Object.keys(patch).length === 0) return;
  const { updated } = await served.call(`${name}/changes`, { sinceState: state });
  expect([[], [id]], name).toContainEqual(updated);
}

/** Given values come back as they are, and the defaults for the rest; hidden values do not. */
async function reads(
  served: Served,
  { name, type, definitions }: Described,
  id: string,
  given: Value,
): Promise<void> {
  const { list, made } = await served.call(`${name}/get`, { ids: [id] });
  expect(list, name).toHaveLength(1);
  const further = furtherOf(type);
  if (further !== undefined)
    expect(canonical(made), name).toBe(canonical(madeOf(further, definitions)));
  const [object] = list;
  for (const [property, schema] of Object.entries(type.properties)) {
    const what = `${name}.${property}`;
    if (schema['access'] === 'internal' || schema['access'] === 'secret') {
      expect(Object.hasOwn(object, property), what).toBe(false);
      continue;
    }
    // Values that follow other objects are looked at once all are there.
    if (Object.hasOwn((schema['computed'] as object | undefined) ?? {}, 'on')) continue;
    // A singleton that was never written has its defaults alone.
    const isUnwritten = object.updated === '1970-01-01T00:00:00Z';
    const computed = isUnwritten ? undefined : computedFor(type, object, property);
    const plain = Object.hasOwn(given, property) ? given[property] : (schema['default'] ?? null);
    const wanted = computed === undefined ? plain : computed.value;
    expect(canonical(object[property]), what).toBe(canonical(wanted));
  }
}

/**
 * Returns the computed value of an object that was read; its hidden properties have their defaults.
 */
function computedFor(
  type: RandomType,
  object: Answer,
  property: string,
): { readonly value: unknown } | undefined {
  return computedOf(property, type.properties, (source) => {
    if (Object.hasOwn(object, source)) return object[source];
    return (
      (computedFor(type, object, source) ?? { value: type.properties[source]?.['default'] })
        .value ?? null
    );
  });
}

/** Each condition that an object meets finds it; each sort has it. */
async function queries(served: Served, { name, type }: Described, id: string): Promise<void> {
  if (type['filter'] === undefined) return;
  const [object] = (await served.call(`${name}/get`, { ids: [id] })).list;
  for (const [condition, said] of Object.entries((type['filter'] ?? {}) as Record<string, Said>)) {
    const is = typeof said === 'string' ? said : said.is;
    const property = typeof said === 'string' ? condition : (said.property ?? condition);
    const met = meeting(is, object[property], type.properties[property]?.['format']);
    if (met === undefined) continue;
    const answer = await served.call(`${name}/query`, { filter: { [condition]: met } });
    const what = `${name} ${condition} ${is} ${JSON.stringify(met)}: ${JSON.stringify(answer)}`;
    expect(answer.ids?.includes(id), what).toBe(true);
  }
  for (const sort of (type['sort'] ?? []) as readonly (string | { property: string })[]) {
    const property = typeof sort === 'string' ? sort : sort.property;
    const answer = await served.call(`${name}/query`, { sort: [{ property }] });
    expect(answer.ids?.includes(id), `${name} by ${property}: ${JSON.stringify(answer)}`).toBe(
      true,
    );
  }
}

type Said = string | { readonly is: string; readonly property?: string };

/**
 * A condition's value that an object with the property's value meets; undefined where none does.
 */
function meeting(is: string, value: Answer, format: unknown): Json | undefined {
  if (is === 'isNull') return value === null;
  if (value === null) return is === 'equals' ? null : undefined;
  switch (is) {
    case 'in':
      return [value];
    case 'before':
      return later(String(format), String(value));
    case 'hasKey':
      return Object.keys(value)[0];
    case 'hasItem':
      return value[0] ?? undefined;
    default:
      return value;
  }
}

/** The last text of each format that `before` can say. */
const LAST: Readonly<Record<string, string>> = {
  date: '9999-12-31T23:59:59Z',
  'utc-date': '9999-12-31T23:59:59Z',
  'local-date-time': '9999-12-31T23:59:59',
  'local-date': '9999-12-31',
  decimal: '9'.repeat(40),
  duration: 'P9999999999W',
  'signed-duration': 'P9999999999W',
};

/** The last value that a condition can say; none is later than a date whose zone puts it behind. */
function later(format: string, value: string): Json | undefined {
  const last = LAST[format];
  if (last === undefined) throw new Error(`What is the last ${format}?`);
  const isBehind = format.includes('date') && Date.parse(value) >= Date.parse(last);
  return isBehind || value === last ? undefined : last;
}

/**
 * Draws the objects that a client gives: every property that has to be there, and some of the
 * others.
 */
function objectsOf({ type, definitions }: Described): fc.Arbitrary<Value> {
  const members = Object.entries(type.properties).flatMap(([name, schema]) => {
    const { access = 'mutable' } = schema;
    if (access === 'serverSet' || access === 'internal') return [];
    const value = referenced(schema) ?? valuesOf(schema, definitions);
    const entry = value.map((each) => [[name, each]] as const);
    return [type.required?.includes(name) ? entry : fc.oneof(entry, fc.constant([] as const))];
  });
  return fc.tuple(...members).map((all) => Object.fromEntries(all.flat()) as Value);
}

/** There is nothing to refer to: null, or nothing. */
function referenced(schema: Schema): fc.Arbitrary<Json> | undefined {
  if (schema['blob'] === true) return fc.constant(null);
  if (targetOf(schema) === undefined) return undefined;
  if (schema['setOf'] !== undefined) return fc.constant({});
  return fc.constant(schema.type === 'array' ? [] : null);
}

/** A project's descriptors as files, JSON and YAML in turns, and their hook files. */
export function filesOf(project: RandomProject): Record<string, string> {
  const descriptors = Object.entries(project).map(([base, descriptor], index) =>
    index % 2 === 0
      ? [`${base}.json`, JSON.stringify(descriptor, null, 1)]
      : // Not folded: the library would fold between the two halves of a letter.
        [`${base}.yaml`, stringify(descriptor, { lineWidth: 0 })],
  );
  return { ...Object.fromEntries(descriptors), ...hookFiles(project) };
}
