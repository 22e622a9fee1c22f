import { afterEach, describe, expect, it } from 'vitest';
import { groupsOf } from '../../src/methods/set/circles.js';
import { gadgetHooks } from './gadget.js';
import { type Json, Rig } from './rig.js';

// Calls whose objects hang together: who loses, and that judging them is no work that grows with
// the square.

let rig: Rig | undefined;
let computed = 0;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

/** A rig that counts how often an object is computed anew. */
function open(limits: object = {}): Rig {
  computed = 0;
  const compute = gadgetHooks.types?.['Gadget']?.compute ?? {};
  const size = (object: Json): unknown => {
    computed += 1;
    return compute['size']?.(object);
  };
  rig = new Rig(limits, { gadgetHooks: { types: { Gadget: { compute: { ...compute, size } } } } });
  return rig;
}

const g = (more: object = {}) => ({ title: 'g', ...more });
const many = (count: number, more: (index: number) => object = () => ({})): object[] =>
  Array.from({ length: count }, (_, index) => g(more(index)));

function byId(ids: readonly string[], patch: (index: number) => object): object {
  return Object.fromEntries(ids.map((id, index) => [id, patch(index)]));
}

describe('a chain of refusals', () => {
  const COUNT = 200;

  it.each([['in order'], ['against it']])('of unique values, %s, is judged once', async (order) => {
    const own = open();
    const ids = await own.create(
      'Gadget',
      many(COUNT, (index) => ({ code: `c${index}` })),
    );
    await own.create('Gadget', [g({ code: `c${COUNT}` })]);
    computed = 0;
    const entries = Object.entries(byId(ids, (index) => ({ code: `c${index + 1}` })));
    const update = Object.fromEntries(order === 'in order' ? entries : entries.reverse());
    const { updated, notUpdated } = await own.call('Gadget/set', { update });
    expect(updated).toBeNull();
    expect(Object.keys(notUpdated)).toHaveLength(COUNT);
    expect(notUpdated[ids[0] ?? '']).toMatchObject({ type: 'alreadyExists', existingId: ids[1] });
    expect(computed).toBeLessThan(COUNT * 3);
  });

  it('of unique values with its end in null goes through', async () => {
    const own = open();
    const ids = await own.create(
      'Gadget',
      many(COUNT, (index) => ({ code: `c${index}` })),
    );
    const last = ids.length - 1;
    const update = byId(ids, (index) => ({ code: index === last ? null : `c${index + 1}` }));
    expect((await own.call('Gadget/set', { update })).notUpdated).toBeNull();
    const around = byId(ids, (index) => ({ code: `c${(index + 7) % ids.length}` }));
    expect((await own.call('Gadget/set', { update: around })).notUpdated).toBeNull();
  });

  it('has no object lose its value, though another version gave it to two', async () => {
    const own = open();
    const ids = await own.create('Gadget', many(3));
    own.run(`UPDATE "Gadget" SET "code" = 'same' WHERE "id" <> '${ids[2]}'`);
    const update = byId(ids, (index) => (index === 2 ? { code: 'same' } : { title: 'new' }));
    const { updated, notUpdated } = await own.call('Gadget/set', { update });
    expect(Object.keys(updated)).toEqual(ids.slice(0, 2));
    expect(notUpdated[ids[2] ?? '']).toMatchObject({ type: 'alreadyExists' });
  });

  it('a refused create takes along those that refer to it, in any order', async () => {
    const own = open();
    await own.create('Gadget', [g({ code: 'taken' })]);
    const create = Object.fromEntries([
      ...many(COUNT, (index) => ({ ownerId: `#k${index + 1}` })).map((one, index) => [
        `k${index}`,
        one,
      ]),
      [`k${COUNT}`, g({ code: 'taken' })],
      ['free', g()],
    ]);
    const { created, notCreated } = await own.call('Gadget/set', { create });
    expect(Object.keys(created)).toEqual(['free']);
    expect(Object.keys(notCreated)).toHaveLength(COUNT + 1);
    expect(notCreated.k0).toMatchObject({ type: 'invalidProperties', properties: ['ownerId'] });
  });

  it('of a create and what its update refers to: nothing is there to be updated', async () => {
    const { notCreated, notUpdated } = await open().call('Gadget/set', {
      create: { k: g({ parentId: 'rnope' }) },
      update: { '#k': { ownerId: 'rnope', others: ['rnope'] } },
    });
    expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['parentId'] });
    expect(notUpdated).toMatchObject({ '#k': { type: 'notFound' } });
  });

  it('of circles refuses one object of each circle, and is judged once', async () => {
    const own = open();
    const ids = await own.create('Gadget', many(COUNT));
    computed = 0;
    // Pairs that are each other's parent.
    const update = byId(ids, (index) => ({ parentId: ids[index ^ 1] }));
    const { updated, notUpdated } = await own.call('Gadget/set', { update });
    expect(Object.keys(notUpdated)).toEqual(ids.filter((_, index) => index % 2 === 1));
    expect(Object.keys(updated)).toHaveLength(COUNT);
    expect(computed).toBeLessThan(COUNT * 4);
  });

  it('of restricting links keeps all that hangs on what stays', async () => {
    const own = open();
    const create = Object.fromEntries(
      many(COUNT, (index) => (index === 0 ? {} : { parentId: `#k${index - 1}` })).map(
        (one, index) => [`k${index}`, one],
      ),
    );
    const { created } = await own.call('Gadget/set', { create });
    const ids = Object.values<Json>(created).map(({ id }) => id);
    const [guest = ''] = await own.create('Gadget', [g({ parentId: ids.at(-1) })]);
    const { destroyed, notDestroyed } = await own.call('Gadget/set', { destroy: ids });
    expect(destroyed).toBeNull();
    expect(notDestroyed[ids.at(-1) ?? '']).toMatchObject({ objectIds: [guest] });
    expect(notDestroyed[ids[0] ?? '']).toMatchObject({ objectIds: [ids[1]] });
    const all = await own.call('Gadget/set', { destroy: [...ids, guest] });
    expect(all.destroyed).toHaveLength(COUNT + 1);
  });
});

describe('acyclic', () => {
  it('sees what a refused update leaves in its place', async () => {
    const own = open();
    const [x = '', z = '', y = ''] = await own.create('Gadget', many(3));
    await own.call('Gadget/set', { update: { [x]: { parentId: z } } });
    await own.create('Gadget', [g({ code: 'taken' })]);
    // k's parent is x once the update of it is refused: k, x, z, k would be a circle.
    const { created, updated, notUpdated } = await own.call('Gadget/set', {
      create: { k: g({ parentId: x }) },
      update: { '#k': { parentId: y, code: 'taken' }, [z]: { parentId: '#k' } },
    });
    expect(notUpdated['#k']).toMatchObject({ type: 'alreadyExists' });
    expect(Object.keys(created)).toEqual(['k']);
    expect(notUpdated[z]).toMatchObject({ type: 'invalidProperties', properties: ['parentId'] });
    expect(Object.keys(updated)).not.toContain(z);
  });

  it('circles are found among many nodes, however deep', () => {
    const next = (id: string): readonly string[] =>
      id === 'n5000' ? [] : [`n${+id.slice(1) + 1}`];
    const circles = (starts: string[], edgesOf: (id: string) => readonly string[]) =>
      groupsOf(starts, edgesOf).flatMap(({ ids, isCircle }) => (isCircle ? [ids] : []));
    expect(circles(['n0'], next)).toEqual([]);
    const edges: Record<string, readonly string[]> = {
      a: ['b', 'd'],
      b: ['c'],
      c: ['a'],
      d: ['d'],
    };
    const found = circles(Object.keys(edges), (id) => edges[id] ?? []);
    expect(found.map((group) => [...group].sort().join(''))).toEqual(['d', 'abc']);
  });
});

describe('MAX_CASCADE', () => {
  it('counts objects that go or change, not links', async () => {
    const own = open({ maxCascade: 3 });
    const ids = await own.create('Gadget', many(4));
    const links = Object.fromEntries(ids.map((id) => [id, true]));
    const users = await own.create(
      'Gadget',
      many(3, () => ({ links, others: ids })),
    );
    const few = await own.call('Gadget/set', { destroy: ids });
    expect(few.destroyed).toEqual(ids);
    expect(Object.keys(few.updated).sort()).toEqual([...users].sort());
  });

  it('holds for objects that only change, too', async () => {
    const own = open({ maxCascade: 3 });
    const [id = ''] = await own.create('Gadget', many(1));
    const users = await own.create(
      'Gadget',
      many(4, () => ({ others: [id] })),
    );
    const { destroyed, notDestroyed } = await own.call('Gadget/set', { destroy: [id] });
    expect(destroyed).toBeNull();
    expect(notDestroyed[id]).toMatchObject({ type: 'objectIsLinked' });
    expect(notDestroyed[id].objectIds.sort()).toEqual(users);
  });
});
