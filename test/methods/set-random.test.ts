import { afterAll, beforeAll, expect, it } from 'vitest';
import { gadgetHooks } from './gadget.js';
import { type Json, Rig } from './rig.js';

// Random calls keep the rules: links lead somewhere, counts and computed values are exact, codes
// are unique, and no parents form a circle. The change records of each type tell all of it.

let rig: Rig;
beforeAll(() => {
  rig = new Rig({}, { gadgetHooks });
});
afterAll(() => rig.close());

let seed = 20_260_101;

/** The same numbers in every run. */
function random(below: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
  return Math.floor((seed / 0x8000_0000) * below);
}

const some = (ids: readonly string[]): string => ids[random(ids.length)] ?? 'none';
const few = (ids: readonly string[]): string[] =>
  Array.from({ length: ids.length === 0 ? 0 : random(3) }, () => some(ids));
const orNull = (ids: readonly string[], chance: number): string | null =>
  ids.length > 0 && random(chance) === 0 ? some(ids) : null;

function gadget(ids: readonly string[]): Record<string, Json> {
  return {
    title: random(3) === 0 ? `s:${random(20)}` : 'g',
    code: random(2) === 0 ? `c${random(30)}` : null,
    parentId: orNull(ids, 2),
    ownerId: orNull(ids, 9),
    links: Object.fromEntries(few(ids).map((id) => [id, true])),
    others: few(ids),
  };
}

function part(of: Json): Json {
  return Object.fromEntries(Object.entries(of).filter(() => random(3) === 0));
}

const all = async (type: string): Promise<Json[]> =>
  (await rig.call(`${type}/get`, { ids: null })).list;

function requireExact(gadgets: readonly Json[], parts: readonly Json[]): void {
  const byId = new Map(gadgets.map((one) => [one.id, one]));
  const unique = (name: string): void => {
    const values = gadgets.map((one) => one[name]).filter((value) => value !== null);
    expect(new Set(values).size).toBe(values.length);
  };
  unique('code');
  unique('slug');
  for (const one of gadgets) {
    const links = Object.keys(one.links);
    const referred = [one.parentId, one.ownerId, ...links, ...one.others];
    expect(referred.filter((id) => id !== null && !byId.has(id))).toEqual([]);
    const count = gadgets.filter(({ parentId }) => parentId === one.id).length;
    expect(one).toMatchObject({
      count,
      parts: parts.filter(({ gadgetId }) => gadgetId === one.id).length,
      size: links.length + count,
      slug: one.title.startsWith('s:') ? one.title.slice(2) : null,
    });
    let steps = 0;
    for (let at = one; at.parentId !== null; at = byId.get(at.parentId)) {
      steps += 1;
      expect(steps).toBeLessThan(gadgets.length);
    }
  }
  expect(parts.filter(({ gadgetId }) => gadgetId !== null && !byId.has(gadgetId))).toEqual([]);
}

/** Brings what a client knows of a type up to date by /changes and /get. */
async function sync(type: string, known: Map<string, Json>, since: string): Promise<string> {
  const changes = await rig.call(`${type}/changes`, { sinceState: since });
  for (const id of changes.destroyed) known.delete(id);
  const ids = [...changes.created, ...changes.updated];
  for (const object of (await rig.call(`${type}/get`, { ids })).list) known.set(object.id, object);
  return changes.newState;
}

it('30 random calls over two types leave everything exact', async () => {
  const known = { Gadget: new Map<string, Json>(), Part: new Map<string, Json>() };
  const states = { Gadget: '0', Part: '0' };
  for (let round = 0; round < 30; round += 1) {
    const ids = [...known.Gadget.keys()];
    const create = Object.fromEntries(
      Array.from({ length: 1 + random(6) }, (_, index) => [
        `k${index}`,
        gadget(index === 0 ? ids : [...ids, '#k0']),
      ]),
    );
    const update = Object.fromEntries(few(ids).map((id) => [id, part(gadget([...ids, '#k0']))]));
    const destroy = [...few(ids), ...(random(5) === 0 ? ['#k1'] : [])];
    const answer = await rig.call('Gadget/set', { create, update, destroy });
    expect(answer.error).toBeUndefined();
    const refused = { ...answer.notCreated, ...answer.notUpdated };
    const types = Object.values<Json>(refused).map(({ type }) => type);
    const legal = ['alreadyExists', 'invalidProperties', 'willDestroy', 'notFound'];
    expect(types.filter((type) => !legal.includes(type))).toEqual([]);
    const parts = { create: { p: { gadgetId: orNull(ids, 2) } } };
    await rig.call('Part/set', parts);
    const [gadgets, rest] = [await all('Gadget'), await all('Part')];
    requireExact(gadgets, rest);
    for (const type of ['Gadget', 'Part'] as const) {
      states[type] = await sync(type, known[type], states[type]);
      const now = type === 'Gadget' ? gadgets : rest;
      expect([...known[type].values()].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(now);
    }
  }
  expect(known.Gadget.size).toBeGreaterThan(20);
  expect(known.Part.size).toBeGreaterThan(5);
});
