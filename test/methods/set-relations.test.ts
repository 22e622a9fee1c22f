import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GADGET_LIMIT } from './gadget.js';
import { type Json, Rig } from './rig.js';

let rig: Rig;

beforeEach(() => {
  rig = new Rig();
});
afterEach(() => rig.close());

const set = (args: object, type = 'Gadget'): Promise<Json> => rig.call(`${type}/set`, args);
const g = (more: object = {}) => ({ title: 'g', ...more });

async function read(id: string, type = 'Gadget'): Promise<Json> {
  return (await rig.call(`${type}/get`, { ids: [id] })).list[0];
}

async function make(...objects: object[]): Promise<string[]> {
  return rig.create('Gadget', objects.map(g));
}

/** Makes a tuple of a known length of what `make` gives. */
async function two(first: object = {}, second: object = {}): Promise<[string, string]> {
  return (await make(first, second)) as [string, string];
}

describe('references', () => {
  it('take creation ids of the same call, whichever comes first', async () => {
    const { created } = await set({
      create: {
        child: g({ parentId: '#top', links: { '#top': true }, others: ['#top'] }),
        top: g(),
      },
    });
    const top = created.top.id;
    expect(created.top.count).toBe(1);
    expect(created.child).toMatchObject({ parentId: top, links: { [top]: true }, others: [top] });
  });

  it('to a failed create, an unknown creation id or object are invalidProperties', async () => {
    const { notCreated, created } = await set({
      create: {
        a: g({ parentId: '#bad' }),
        bad: {},
        b: g({ ownerId: '#x' }),
        c: g({ others: ['r1'] }),
      },
    });
    expect(created).toBeNull();
    expect(notCreated.a).toMatchObject({ type: 'invalidProperties', properties: ['parentId'] });
    expect(notCreated.a.description).toContain('creation id under which nothing was created');
    expect(notCreated.b).toMatchObject({ type: 'invalidProperties', properties: ['ownerId'] });
    expect(notCreated.c).toMatchObject({ type: 'invalidProperties', properties: ['others'] });
  });

  it('to unknown objects are reported beside all other faults of the object', async () => {
    const [known, other] = await two();
    const bad = { title: 7, ownerId: 'nobody', parentId: known, others: [other, 'none'] };
    const { notCreated, notUpdated } = await set({
      create: { a: bad, gone: {}, b: { title: 7, parentId: '#gone', ownerId: '#good' }, good: g() },
      update: {
        [known]: { title: 7, 'links/nobody': true, [`links/${other}`]: true, others: ['#good'] },
        [other]: { title: 7, parentId: '#gone', ownerId: known, links: { none: true } },
      },
    });
    const all = { type: 'invalidProperties', properties: ['title', 'ownerId', 'others'] };
    expect(notCreated.a).toMatchObject(all);
    expect(notCreated.a.description).toContain('"ownerId" refers to "nobody", which is no Gadget');
    expect(notCreated.b.properties).toEqual(['title', 'parentId']);
    expect(notUpdated[known].properties).toEqual(['title', 'links']);
    expect(notUpdated[other].properties).toEqual(['title', 'parentId', 'links']);
  });

  it('in a circle of creation ids are invalidProperties on each', async () => {
    const { notCreated, created } = await set({
      create: { a: g({ ownerId: '#b' }), b: g({ ownerId: '#a' }), c: g() },
    });
    expect(Object.keys(notCreated).sort()).toEqual(['a', 'b']);
    expect(Object.keys(created)).toEqual(['c']);
  });

  it('may be patched by a creation id as a key', async () => {
    const [id] = await make({});
    const { created, notUpdated } = await set({
      create: { k: g() },
      update: { [id ?? '']: { 'links/#k': true } },
    });
    expect(notUpdated).toBeNull();
    expect((await read(id ?? '')).links).toEqual({ [created.k.id]: true });
  });

  it('acyclic: refuses itself and one below; a parent and its child may swap', async () => {
    const [top] = await make({});
    const [child] = await make({ parentId: top });
    for (const parentId of [top, child]) {
      const { notUpdated } = await set({ update: { [top ?? '']: { parentId } } });
      expect(notUpdated[top ?? '']).toMatchObject({ properties: ['parentId'] });
    }
    const update = { [top ?? '']: { parentId: child }, [child ?? '']: { parentId: null } };
    expect((await set({ update })).notUpdated).toBeNull();
    expect(await read(child ?? '')).toMatchObject({ count: 1, parentId: null });
    expect(await read(top ?? '')).toMatchObject({ count: 0 });
  });
});

describe('destroys', () => {
  it('restrict: objectIsLinked, unless the same call destroys what links', async () => {
    const [top] = await make({});
    const [child] = await make({ parentId: top });
    const { notDestroyed } = await set({ destroy: [top] });
    expect(notDestroyed[top ?? '']).toMatchObject({ type: 'objectIsLinked', objectIds: [child] });
    expect((await set({ destroy: [top, child] })).destroyed).toEqual([top, child]);
  });

  it('restrict: an object named by id and creation id is refused under both', async () => {
    const [top = ''] = await make({});
    await make({ parentId: top });
    for (const destroy of [['#k'], [top, '#k'], ['#k', top]]) {
      const [[, { destroyed, notDestroyed }]] = (await rig.calls(
        [['Gadget/set', { accountId: 'a1', destroy }]],
        { createdIds: { k: top } },
      )) as [[string, Json]];
      expect(destroyed).toBeNull();
      expect(Object.keys(notDestroyed)).toEqual(destroy);
      for (const key of destroy) expect(notDestroyed[key].type).toBe('objectIsLinked');
    }
  });

  it('restrict: one unchanged object keeps it, behind ten that the call changes', async () => {
    const [top = ''] = await make({});
    const children = await make(...Array.from({ length: 12 }, () => ({ parentId: top })));
    const [last = ''] = children.slice(-1);
    const others = children.slice(0, -1);
    const kept = { type: 'objectIsLinked', objectIds: [last] };
    const update = Object.fromEntries(others.map((id) => [id, { parentId: null }]));
    for (const args of [{ destroy: [top, ...others] }, { update, destroy: [top] }]) {
      const { notDestroyed } = await set(args);
      expect(notDestroyed?.[top]).toMatchObject(kept);
      expect((await read(last)).parentId).toBe(top);
    }
  });

  it('restrict: the first ten are named, whatever else the call asks of one', async () => {
    const [top = ''] = await make({});
    const children = await make(...Array.from({ length: 12 }, () => ({ parentId: top })));
    const create = { k: g({ ownerId: children[3] }) };
    const { notDestroyed } = await set({ create, destroy: [top] });
    expect(notDestroyed[top].objectIds).toEqual(children.slice(0, 10));
  });

  it('restrict: objects are named by age, those that keep a follower too', async () => {
    const [top = ''] = await make({});
    const [follower] = await make({ ownerId: top });
    const [early] = await make({ parentId: follower });
    const [late] = await make({ parentId: top });
    const { notDestroyed } = await set({ destroy: [top] });
    expect(notDestroyed[top].objectIds).toEqual([early, late]);
  });

  it('setNull changes what the same call was to destroy and restrict keeps', async () => {
    const [gone = ''] = await make({});
    const [kept = ''] = await make({ title: 'kept', links: { [gone]: true } });
    await make({ parentId: kept });
    const { destroyed, notDestroyed } = await set({ destroy: [kept, gone] });
    expect(destroyed).toEqual([gone]);
    expect(notDestroyed[kept].type).toBe('objectIsLinked');
    expect(await read(kept)).toMatchObject({ title: 'kept', links: {}, count: 1 });
  });

  it('cascade over types, with a record each, and keep all that a link keeps', async () => {
    const [root] = await make({});
    const [owned] = await make({ ownerId: root });
    await rig.create('Part', [{ gadgetId: owned }]);
    const [guest] = await make({ parentId: owned });
    const { notDestroyed } = await set({ destroy: [root] });
    expect(notDestroyed[root ?? '']).toMatchObject({ objectIds: [guest] });
    await set({ destroy: [guest] });
    const { destroyed } = await set({ destroy: [root] });
    expect(destroyed).toEqual([root, owned]);
    expect((await rig.call('Part/get', { ids: null })).list).toEqual([]);
    expect((await rig.call('Part/changes', { sinceState: '1' })).destroyed).toHaveLength(1);
  });

  it('of more than MAX_CASCADE objects are refused, and nothing of them goes', async () => {
    await rig.close();
    rig = new Rig({ maxCascade: 3 });
    const [few, many, alone] = await make({}, {}, {});
    await make({ ownerId: few }, { ownerId: few }, { ownerId: few });
    await make({ ownerId: many }, { ownerId: many }, { ownerId: many }, { ownerId: many });
    const { destroyed, notDestroyed } = await set({ destroy: [many, alone] });
    expect(destroyed).toEqual([alone]);
    expect(notDestroyed[many ?? '']).toMatchObject({ type: 'objectIsLinked' });
    expect(notDestroyed[many ?? ''].description).toContain('More than 3 objects');
    expect((await set({ destroy: [few] })).destroyed).toHaveLength(4);
    expect((await rig.call('Gadget/get', { ids: null })).list).toHaveLength(5);
  });

  it('of what the same call creates are two records', async () => {
    const [root] = await make({});
    const { created, destroyed, newState } = await set({
      create: { k: g({ ownerId: root }) },
      destroy: [root],
    });
    expect(destroyed).toEqual([root, created.k.id]);
    expect(newState).toBe('4');
    expect((await rig.call('Gadget/get', { ids: null })).list).toEqual([]);
  });

  it('setNull takes links out, with records and `updated`', async () => {
    const [a, b] = await two();
    const [user] = await make({ links: { [a]: true, [b]: true }, others: [a, b] });
    const { updated, newState } = await set({ destroy: [a] });
    expect(updated[user ?? '']).toMatchObject({ links: { [b]: true }, others: [b] });
    expect(newState).toBe('5');
    expect(await read(user ?? '')).toMatchObject({ links: { [b]: true }, others: [b] });
  });
});

describe('RFC 8620 5.3: unique values are judged on the final state', () => {
  it('may be swapped, and of those that collide the later loses', async () => {
    const [a, b] = await two({ code: 'A' }, { code: 'B' });
    const swap = await set({ update: { [a]: { code: 'B' }, [b]: { code: 'A' } } });
    expect(swap.notUpdated).toBeNull();
    const { created, notCreated } = await set({
      create: { x: g({ code: 'C' }), y: g({ code: 'C' }), z: g({ code: 'A' }) },
    });
    expect(notCreated.y).toMatchObject({ type: 'alreadyExists', existingId: created.x.id });
    expect(notCreated.z).toMatchObject({ type: 'alreadyExists', existingId: b });
  });

  it('that a loser keeps are not free; those that a destroy gives up are; null is', async () => {
    const [a, b] = await two({ code: 'A' }, { code: 'B' });
    const { notUpdated, notCreated } = await set({
      create: { c: g({ code: 'A' }) },
      update: { [a]: { code: 'B' } },
    });
    // An update that collides is alreadyExists too.
    expect(notUpdated[a]).toMatchObject({ type: 'alreadyExists', existingId: b });
    expect(notCreated.c.existingId).toBe(a);
    const free = await set({ create: { c: g({ code: 'B' }), d: g(), e: g() }, destroy: [b] });
    expect(free.notCreated).toBeNull();
  });

  it('are not reported by the id of an object that is destroyed after all', async () => {
    const [owner = '', taken] = await make({}, { code: 'taken' });
    const [held = ''] = await make({ code: 'held', ownerId: owner });
    const { destroyed, notCreated, notUpdated } = await set({
      create: { k: g({ code: 'held' }) },
      update: { [held]: { code: 'taken', ownerId: null } },
      destroy: [owner],
    });
    expect(destroyed).toEqual([owner, held]);
    expect(notUpdated[held]).toMatchObject({ type: 'alreadyExists', existingId: taken });
    expect(notCreated.k).toMatchObject({ type: 'invalidProperties', properties: ['code'] });
    expect((await set({ create: { k: g({ code: 'held' }) } })).notCreated).toBeNull();
  });

  it('may be made of several properties', async () => {
    await make({ shelf: 's', slot: 1 });
    const { notCreated } = await set({
      create: {
        x: g({ shelf: 's', slot: 1 }),
        y: g({ shelf: 's', slot: 2 }),
        z: g({ shelf: 's' }),
      },
    });
    expect(Object.keys(notCreated)).toEqual(['x']);
  });
});

describe('counts, limits, access, singletons and copies', () => {
  it('a count follows objects of another type, with a record', async () => {
    const [id] = await make({});
    const [part] = await rig.create('Part', [{ gadgetId: id }]);
    expect(await read(id ?? '')).toMatchObject({ parts: 1 });
    await set({ destroy: [part] }, 'Part');
    expect(await read(id ?? '')).toMatchObject({ parts: 0 });
    expect((await rig.call('Gadget/changes', { sinceState: '1' })).updated).toEqual([id]);
  });

  it('RFC 8620 5.3: alreadyExists never names a create that is over quota itself', async () => {
    const [old] = await make(...Array.from({ length: GADGET_LIMIT }, () => ({})));
    const { created, notCreated, notUpdated } = await set({
      create: { a: g({ shelf: 's', slot: 1 }), b: g({ shelf: 's', slot: 1 }) },
      update: { [old ?? '']: { shelf: 's', slot: 1 } },
    });
    expect(created).toBeNull();
    expect(notCreated).toMatchObject({ a: { type: 'overQuota' }, b: { type: 'overQuota' } });
    expect(notUpdated[old ?? '']).toMatchObject({
      type: 'invalidProperties',
      properties: ['shelf', 'slot'],
    });
  });

  it('an object is judged before those that refer to it, in any order', async () => {
    await make(...Array.from({ length: GADGET_LIMIT - 1 }, () => ({})));
    const { created, notCreated } = await set({
      create: { child: g({ parentId: '#parent' }), parent: g() },
    });
    expect(Object.keys(created)).toEqual(['parent']);
    expect(notCreated).toMatchObject({ child: { type: 'overQuota' } });
  });

  it('overQuota and tooLarge refuse objects over the limit, and nothing else', async () => {
    await make(...Array.from({ length: GADGET_LIMIT - 1 }, () => ({})));
    const { created, notCreated } = await set({
      create: { big: g({ title: 'x'.repeat(500) }), a: g(), b: g() },
    });
    expect(Object.keys(created)).toEqual(['a']);
    expect(notCreated).toMatchObject({ big: { type: 'tooLarge' }, b: { type: 'overQuota' } });
  });

  it('no answer has internal or secret properties; a secret is stored as a hash', async () => {
    const { created, notCreated } = await set({
      create: { a: g({ pin: '1234' }), b: g({ cost: 1 }) },
    });
    expect(created.a).not.toHaveProperty('pin');
    expect(created.a).not.toHaveProperty('cost');
    expect(notCreated.b.properties).toEqual(['cost']);
    const { id } = created.a;
    expect(Object.keys(await read(id))).not.toContain('pin');
    const type = rig.services.registry.dataTypes.get('Gadget');
    if (type === undefined) throw new Error('The rig has gadgets.');
    const deadline = performance.now() + 60_000;
    const [row] = await rig.services.store.read('a1', { deadline }, (snapshot) =>
      snapshot.get(type, [id], type.properties, 10_000),
    );
    expect(row).toMatchObject({ pin: expect.stringMatching(/^scrypt\$.{22}\$.{43}$/), cost: 7 });
    const { updated } = await set({ update: { [id]: { pin: '5678' } } });
    expect(Object.keys(updated[id])).toEqual(['updated']);
    for (const properties of [['pin'], ['cost']]) {
      expect((await rig.call('Gadget/get', { ids: [id], properties })).error).toBe(
        'invalidArguments',
      );
    }
  });

  it('a singleton is there before it is written, and stays alone', async () => {
    const first = await read('singleton', 'Setting');
    expect(first).toMatchObject({ theme: 'light', created: '1970-01-01T00:00:00Z' });
    const update = { singleton: { theme: 'dark' } };
    const one = await set({ create: { k: {} }, update, destroy: ['singleton'] }, 'Setting');
    expect(one.notCreated.k.type).toBe('singleton');
    expect(one.notDestroyed.singleton.type).toBe('singleton');
    expect(one.newState).toBe('1');
    expect((await rig.call('Setting/changes', { sinceState: '0' })).updated).toEqual(['singleton']);
    await set({ update: { singleton: { theme: 'blue' } } }, 'Setting');
    const { list } = await rig.call('Setting/get', { ids: null });
    expect(list).toMatchObject([{ id: 'singleton', theme: 'blue' }]);
  });

  it('a copied reference is invalidProperties unless overridden', async () => {
    const [top] = await make({});
    const [child] = await make({ parentId: top });
    const { created, notCreated } = await rig.call('Gadget/copy', {
      fromAccountId: 'a1',
      accountId: 'a2',
      create: { a: { id: child }, b: { id: child, parentId: null }, c: { id: top } },
    });
    expect(notCreated.a).toMatchObject({ type: 'invalidProperties', properties: ['parentId'] });
    expect(Object.keys(created)).toEqual(['b', 'c']);
  });

  it('RFC 8620 5.4: all faults of a copy are reported at once', async () => {
    const [top] = await make({});
    const [child] = await make({ parentId: top });
    const [there] = Object.values<Json>(
      (await rig.call('Gadget/set', { accountId: 'a2', create: { k: g() } })).created,
    );
    const { created, notCreated } = await rig.call('Gadget/copy', {
      fromAccountId: 'a1',
      accountId: 'a2',
      create: {
        a: { id: child, title: 7, nope: 1, ownerId: 'nobody', others: [there.id, child] },
        b: { id: child, ownerId: top },
        c: { slot: 'x', links: { [top ?? '']: true }, ownerId: there.id },
        d: { id: top, title: 7, ownerId: '#a' },
        e: { id: top, ownerId: '#a' },
        f: { id: top, ownerId: '#g' },
        g: { id: top },
      },
    });
    const told = Object.entries<Json>(notCreated).map(([key, error]) => {
      expect(error.type).toBe('invalidProperties');
      return [key, error.properties.toSorted()];
    });
    expect(Object.fromEntries(told)).toEqual({
      a: ['nope', 'others', 'ownerId', 'parentId', 'title'],
      b: ['ownerId', 'parentId'],
      c: ['id', 'links', 'slot'],
      d: ['ownerId', 'title'],
      e: ['ownerId'],
    });
    expect(notCreated.a.description).toContain('"parentId" refers to objects of the source');
    expect(notCreated.a.description).toContain('"ownerId" refers to "nobody", which is no Gadget');
    for (const { description } of [notCreated.d, notCreated.e])
      expect(description).toContain('a creation id under which nothing was created');
    expect(created.f).toBeDefined();
  });

  it('costs the same number of statements for 1 object and for 100', async () => {
    const run = async (count: number): Promise<number> => {
      const keys = Array.from({ length: count }, (_, index) => `${count}-${index}`);
      const object = (key: string) => g({ parentId: top, ownerId: top, code: key });
      const entries = keys.map((key) => [`k${key}`, object(key)]);
      const before = rig.statements.length;
      const { created } = await set({ create: Object.fromEntries(entries) });
      const ids = Object.values<Json>(created).map(({ id }) => id);
      const { notDestroyed } = await set({ destroy: ids });
      expect(notDestroyed).toBeNull();
      return rig.statements.length - before;
    };
    const [top] = await make({});
    const one = await run(1);
    expect(await run(100)).toBe(one);
  });
});
