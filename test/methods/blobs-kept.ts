import * as fc from 'fast-check';
import { expect } from 'vitest';
import { Random } from '../support/random.js';
import { described } from './described-type.js';
import { BLOB, CORE, type Json, type Logic, Rig, U1, U2 } from './rig.js';

/**
 * Random types whose values name blobs at random places, and random calls on their objects. The
 * octets that an object names are there, and octets that no object names go. The test finds these
 * names without the engine: an id of a blob stands only in places for them, so every text and every
 * key that is one counts.
 */

type Schema = Readonly<Record<string, Json>>;

const NAMES = ['a', 'b', 'c d', 'e/f', 'g~h'];
const text: Schema = { type: 'string', maxLength: 20 };
const blob: Schema = { type: 'string', blob: true };

const schemas = fc.letrec<{ node: Schema; inner: Schema }>((tie) => ({
  inner: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Schema>(blob, { type: ['string', 'null'], blob: true }, text),
    tie('node'),
  ),
  node: fc.oneof(
    fc.constant<Schema>({ setOf: 'blob' }),
    tie('inner').map((items): Schema => ({ type: 'array', items, maxItems: 10 })),
    fc
      .dictionary(fc.constantFrom(...NAMES), tie('inner'), { minKeys: 1, maxKeys: 3 })
      .map((properties): Schema => ({ type: 'object', properties })),
    fc
      .record({
        values: tie('inner'),
        named: fc.dictionary(fc.constantFrom(...NAMES), tie('inner'), { maxKeys: 2 }),
        areBlobs: fc.boolean(),
      })
      .map(({ values, named, areBlobs }): Schema => {
        const hasNamed = Object.keys(named).length > 0 && !areBlobs;
        return {
          type: 'object',
          ...(hasNamed ? { properties: named } : {}),
          ...(areBlobs ? { propertyNames: { blob: true } } : {}),
          additionalProperties: values,
        };
      }),
  ),
}));

/** A blob itself is always among them: Blob/lookup refuses types that have none. */
const properties = fc
  .array(schemas.node, { minLength: 1, maxLength: 3 })
  .map((drawn) => [...drawn, blob]);

const KINDS = [
  'upload',
  'create',
  'whole',
  'patch',
  'patch',
  'destroy',
  'copy',
  'collect',
] as const;
const steps = fc.array(fc.record({ kind: fc.constantFrom(...KINDS), seed: fc.nat() }), {
  minLength: 10,
  maxLength: 40,
  size: 'max',
});

/** Runs random calls on random types; `logic` may put the rig on another database. */
export async function keepBlobs(
  runs: number,
  prepare: (tables: string) => Promise<Logic> = async () => ({}),
): Promise<number> {
  let named = 0;
  await fc.assert(
    fc.asyncProperty(properties, steps, async (drawn, calls) => {
      const types = {
        Page: {
          properties: Object.fromEntries(
            drawn.map((schema, n) => [`p${n}`, propertyOf(schema)] as const),
          ),
        },
      };
      const page = described(types);
      const rig = new Rig({}, { ...(await prepare(page.tables)), more: page });
      try {
        const world = new World(rig, drawn);
        for (const { kind, seed } of calls) await world.step(kind, new Random(seed));
        named += await world.end();
      } finally {
        await rig.close();
      }
    }),
    { numRuns: runs, ...seeded() },
  );
  return named;
}

function seeded(): { readonly seed?: number } {
  const seed = process.env['TEST_SEED'];
  return seed === undefined ? {} : { seed: Number(seed) };
}

function propertyOf(schema: Schema): Schema {
  if (schema === blob) return { type: ['string', 'null'], blob: true };
  return { ...schema, default: schema['type'] === 'array' ? [] : {} };
}

const ACCOUNTS = ['a1', 'a2'] as const;
const HOUR = 3_600_000;

class World {
  readonly #rig: Rig;
  readonly #drawn: readonly Schema[];
  /** By account: what was uploaded or copied there and may be named. */
  readonly #blobs = new Map<string, Set<string>>(ACCOUNTS.map((id) => [id, new Set()]));
  readonly #objects = new Map<string, Map<string, Json>>(ACCOUNTS.map((id) => [id, new Map()]));
  /** How often a blob that an object names was read. */
  #named = 0;

  constructor(rig: Rig, drawn: readonly Schema[]) {
    this.#rig = rig;
    this.#drawn = drawn;
    rig.time = Date.parse('2026-03-01T00:00:00Z');
  }

  async step(kind: (typeof KINDS)[number], random: Random): Promise<void> {
    const account = random.pick(ACCOUNTS);
    const objects = this.#of(account);
    const ids = [...objects.keys()];
    this.#rig.time = (this.#rig.time ?? 0) + random.integer(1, HOUR / 2);
    switch (kind) {
      case 'upload':
        await this.#upload(account, random);
        break;
      case 'collect':
        await this.#collect();
        break;
      case 'create':
        if (this.#known(account).length === 0) await this.#upload(account, random);
        await this.#set(account, { create: { k: this.#object(account, random) } });
        break;
      case 'copy':
        if (ids.length > 0) await this.#copy(account, random);
        break;
      case 'destroy':
        if (ids.length > 0) await this.#set(account, { destroy: [random.pick(ids)] });
        break;
      default: {
        if (ids.length === 0) return;
        const id = random.pick(ids);
        const patch =
          kind === 'whole'
            ? this.#object(account, random)
            : this.#patch(account, objects.get(id), random);
        await this.#set(account, { update: { [id]: patch } });
      }
    }
    await this.check();
  }

  /**
   * All that is named is there; all else goes, once its time is over. Returns how much was named.
   */
  async end(): Promise<number> {
    this.#rig.time = (this.#rig.time ?? 0) + 3 * HOUR;
    await this.#collect();
    await this.check();
    for (const account of ACCOUNTS) {
      const named = new Set([...this.#of(account).values()].flatMap((one) => this.#namedBy(one)));
      const rows = this.#rig.services.store.read(account, soon(), (snapshot) =>
        snapshot.blobs(this.#known(account)),
      );
      expect((await rows).map(({ id }) => id)).toEqual([...named].sort());
    }
    return this.#named;
  }

  async check(): Promise<void> {
    for (const account of ACCOUNTS) {
      const [[, { list }]] = (await this.#calls([
        ['Page/get', { accountId: account, ids: null }],
      ])) as [[string, Json]];
      const objects = this.#of(account);
      objects.clear();
      const holders = new Map<string, string[]>(this.#known(account).map((id) => [id, []]));
      for (const object of list) {
        objects.set(object.id, object);
        for (const id of this.#namedBy(object)) holders.get(id)?.push(object.id);
      }
      const ids = [...holders.keys()];
      if (ids.length === 0) continue;
      const [[, lookup]] = (await this.#calls([
        ['Blob/lookup', { accountId: account, typeNames: ['Page'], ids }],
      ])) as [[string, Json]];
      expect(lookup.list).toEqual(
        ids.map((id) => ({ id, matchedIds: { Page: [...(holders.get(id) ?? [])].sort() } })),
      );
      for (const [id, by] of holders) {
        if (by.length === 0) continue;
        this.#named += 1;
        expect(await this.#octets(account, id)).not.toBe('');
      }
    }
  }

  async #octets(account: string, id: string): Promise<string> {
    const octets = await this.#rig.services.blobs.read(account, id);
    const chunks: Buffer[] = [];
    for await (const chunk of octets) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }

  async #upload(account: string, random: Random): Promise<void> {
    const user = account === 'a1' && random.chance(0.3) ? U2 : U1;
    const id = await this.#rig.upload(`octets ${random.seed}`, user, account);
    this.#blobs.get(account)?.add(id);
  }

  /** As upkeep does it: rows that have been unreferenced for an hour, then their octets. */
  async #collect(): Promise<void> {
    const { store, blobs } = this.#rig.services;
    const gone = await store.collectBlobs((this.#rig.time ?? 0) - HOUR, 1000);
    for (const { accountId, id } of gone) await blobs.delete(accountId, id);
  }

  async #set(accountId: string, args: object): Promise<void> {
    const [[name, answer]] = (await this.#calls([['Page/set', { accountId, ...args }]])) as [
      [string, Json],
    ];
    expect(name).toBe('Page/set');
    const refused = [answer.notCreated, answer.notUpdated, answer.notDestroyed];
    const types = refused.flatMap((map) => Object.values(map ?? {}) as Json[]);
    // A blob may have gone, be another user's alone, or the patch may reach where nothing is.
    for (const { type } of types) expect(['invalidProperties', 'invalidPatch']).toContain(type);
  }

  async #copy(from: string, random: Random): Promise<void> {
    const to = from === 'a1' ? 'a2' : 'a1';
    const id = random.pick([...this.#of(from).keys()]);
    const overrides = random.chance(0.3) ? this.#object(to, random) : {};
    const args = { fromAccountId: from, accountId: to, create: { k: { id, ...overrides } } };
    const [[name, answer]] = (await this.#calls([['Page/copy', args]])) as [[string, Json]];
    expect(name).toBe('Page/copy');
    const [copy] = (
      (await this.#calls([
        ['Page/get', { accountId: to, ids: [answer.created?.k?.id ?? 'none'] }],
      ])) as [[string, Json]]
    )[0][1].list;
    for (const one of textsOf(copy ?? {})) if (BLOB_ID.test(one)) this.#blobs.get(to)?.add(one);
  }

  #calls(calls: readonly (readonly [string, object])[]): Promise<Json[]> {
    return this.#rig.calls(calls, {
      using: [CORE, BLOB, 'https://example.com/jmap/described'],
    });
  }

  #of(account: string): Map<string, Json> {
    return this.#objects.get(account) ?? new Map();
  }

  #known(account: string): readonly string[] {
    return [...(this.#blobs.get(account) ?? [])];
  }

  #namedBy({ id: _id, ...object }: Json): readonly string[] {
    return [...new Set(textsOf(object).filter((one) => BLOB_ID.test(one)))];
  }

  #object(account: string, random: Random): Json {
    const chosen = this.#drawn.map((schema, n) => [`p${n}`, schema] as const);
    return Object.fromEntries(
      chosen
        .filter(() => random.chance(0.7))
        .map(([name, schema]) => [name, this.#value(account, schema, random)]),
    );
  }

  #value(account: string, schema: Schema, random: Random): Json {
    const { type, items, properties: named = {}, additionalProperties, propertyNames } = schema;
    const id = (): string => {
      const known = this.#known(account);
      return known.length === 0 || random.chance(0.03) ? 'bnothing' : random.pick(known);
    };
    const value = (inner: Schema): Json => this.#value(account, inner, random);
    if (schema['setOf'] !== undefined)
      return Object.fromEntries(many(random).map(() => [id(), true]));
    if (schema['blob'] === true) return id();
    if (type === 'string') return random.pick(['', 'text', 'b c']);
    if (type === 'array') return many(random).map(() => value(items));
    if (Array.isArray(type)) return null;
    const members = Object.entries<Schema>(named).filter(() => random.chance(0.7));
    const further = additionalProperties === undefined ? [] : many(random);
    const key = () => (propertyNames === undefined ? random.pick(['x', 'y/z', '~']) : id());
    return {
      ...Object.fromEntries(further.map(() => [key(), value(additionalProperties)])),
      ...Object.fromEntries(members.map(([name, inner]) => [name, value(inner)])),
    };
  }

  /** Sets, changes or takes out something within the values that an object has. */
  #patch(account: string, object: Json, random: Random): Json {
    const n = random.integer(0, this.#drawn.length - 1);
    let schema = this.#drawn[n] ?? blob;
    let value = object[`p${n}`];
    const path = [`p${n}`];
    while (random.chance(0.85)) {
      const {
        setOf,
        properties: named = {},
        propertyNames,
        additionalProperties: further,
      } = schema;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) break;
      const areBlobs = setOf !== undefined || propertyNames !== undefined;
      const words = further === undefined ? [] : ['x', 'y/z', '~'];
      const fresh = [...Object.keys(named), ...(areBlobs ? this.#known(account) : words)];
      const keys = [...Object.keys(value), ...fresh];
      if (keys.length === 0) break;
      const key = random.pick(keys);
      path.push(key);
      value = value[key];
      schema = setOf === undefined ? (named[key] ?? further) : TRUE;
    }
    const pointer = path.map((one) => one.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const isRemoval = random.chance(0.3);
    const put = schema === TRUE ? true : this.#value(account, schema, random);
    return { [pointer]: isRemoval ? null : put };
  }
}

const TRUE: Schema = Object.freeze({});
/** Matches ids of blobs, and no other text that is drawn. */
const BLOB_ID = /^b[0-9a-z]{20,}$/;

const soon = () => ({ deadline: performance.now() + 60_000 });

function many(random: Random): readonly number[] {
  return Array.from({ length: random.integer(0, 3) }, (_, n) => n);
}

/** Every text and every key in a value. */
function textsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  return [...keys, ...Object.values(value).flatMap(textsOf)];
}
