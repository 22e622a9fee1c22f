import { scryptSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TypeHooks } from '../../src/capability/hooks.js';
import type { RequestScope } from '../../src/methods/context.js';
import { HashSlots } from '../../src/methods/set/hash-slots.js';
import { planSet } from '../../src/methods/set/plan-set.js';
import { sealSecrets } from '../../src/methods/set/secrets.js';
import { indexOf } from '../../src/methods/type-index.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import { finish } from '../../src/runtime/paused-work.js';
import { GADGET_LIMIT, gadgetHooks } from './gadget.js';
import { type Json, Rig, U1 } from './rig.js';

// Consequences of a call that nobody asked for: computed properties, links taken out, and the
// reports of them.

let rig: Rig;

beforeEach(() => {
  rig = new Rig({}, { gadgetHooks });
});
afterEach(() => rig.close());

const set = (args: object): Promise<Json> => rig.call('Gadget/set', args);
const g = (more: object = {}) => ({ title: 'g', ...more });

async function read(id: string): Promise<Json> {
  return (await rig.call('Gadget/get', { ids: [id] })).list[0];
}

async function two(first: object = {}, second: object = {}): Promise<[string, string]> {
  return (await rig.create('Gadget', [g(first), g(second)])) as [string, string];
}

describe('computed properties', () => {
  it('follow links that setNull takes out', async () => {
    const [a, b] = await two();
    const [user = ''] = await rig.create('Gadget', [g({ links: { [a]: true, [b]: true } })]);
    expect(await read(user)).toMatchObject({ size: 2 });
    const { updated } = await set({ destroy: [a] });
    expect(updated[user]).toMatchObject({ links: { [b]: true }, size: 1 });
    expect(await read(user)).toMatchObject({ size: 1 });
  });

  it('follow counts, of new objects and of old ones', async () => {
    const { created } = await set({ create: { top: g(), child: g({ parentId: '#top' }) } });
    expect(created.top).toMatchObject({ count: 1, size: 1 });
    const { id } = created.top;
    const { updated } = await set({ create: { other: g({ parentId: id }) } });
    expect(updated[id]).toMatchObject({ count: 2, size: 2 });
    expect(await read(id)).toMatchObject({ count: 2, size: 2 });
  });

  it('RFC 8620 5.3: are reported of an object whose own update was refused, too', async () => {
    const [a] = await two();
    const create = { child: g({ parentId: a }) };
    const answer = await set({ create, update: { [a]: { title: 5 } } });
    // The refusal is the update's; what followed from the create is the object's all the same.
    expect(answer.notUpdated).toMatchObject({ [a]: { type: 'invalidProperties' } });
    expect(answer.updated).toMatchObject({ [a]: { count: 1 } });
    expect(await read(a)).toMatchObject({ title: 'g', count: 1 });
  });

  it('may be unique: the change that gave them the value is refused', async () => {
    const [a, b] = await two({ title: 's:a' }, { title: 's:b' });
    const { notUpdated, notCreated } = await set({
      create: { k: g({ title: 's:a' }) },
      update: { [b]: { title: 's:a' } },
    });
    expect(notUpdated[b]).toMatchObject({ type: 'alreadyExists', existingId: a });
    expect(notCreated.k).toMatchObject({ type: 'alreadyExists', existingId: a });
    expect(await read(b)).toMatchObject({ title: 's:b', slug: 'b' });
    const late = await set({ create: { k: g() }, update: { '#k': { title: 's:a' } } });
    expect(late.notUpdated['#k']).toMatchObject({ type: 'alreadyExists', existingId: a });
    expect(Object.keys(late.created)).toEqual(['k']);
  });
});

describe('RFC 8620 5.3: the report of an update', () => {
  it('has a property that was patched in part where it came to more than that', async () => {
    const [a, b] = await two();
    const [user = ''] = await rig.create('Gadget', [g({ links: { [a]: true } })]);
    const { updated } = await set({ update: { [user]: { [`links/${b}`]: true } }, destroy: [a] });
    expect(updated[user]).toMatchObject({ links: { [b]: true } });
    const [c = ''] = await rig.create('Gadget', [g()]);
    const plain = await set({ update: { [user]: { [`links/${c}`]: true } } });
    expect(plain.updated[user]).not.toHaveProperty('links');
  });

  it('is null where the patch is what the same call has created, in another form', async () => {
    const create = { k: { title: 'w', due: '2026-01-01T00:00:00Z' } };
    const update = { '#k': { due: '2026-01-01T00:00:00.000Z' } };
    const { created, updated } = await rig.call('Widget/set', { create, update });
    expect(updated).toEqual({ [created.k.id]: null });
  });
});

describe('RFC 8620 5.1: an object that a call leaves as it was', () => {
  it('is unchanged where the call links it to an object that it destroys', async () => {
    const [a, b] = await two();
    const [user = ''] = await rig.create('Gadget', [g({ links: { [b]: true } })]);
    const before = await read(user);
    const patch = { [`links/${a}`]: true };
    const { oldState, updated } = await set({ update: { [user]: patch }, destroy: [a] });
    expect(updated).toEqual({ [user]: { links: { [b]: true } } });
    expect(await read(user)).toEqual(before);
    const changes = await rig.call('Gadget/changes', { sinceState: oldState });
    expect(changes).toMatchObject({ created: [], updated: [], destroyed: [a] });
    expect(Number(changes.newState)).toBe(Number(oldState) + 1);
  });

  it('is unchanged where a hook does so in turn', async () => {
    await rig.close();
    const updates: Json[] = [];
    let [a, b, user] = ['', '', ''];
    const Gadget: TypeHooks<Json> = {
      async inTransaction({ updated, destroyed }, _call, tx) {
        updates.push(...updated);
        if (destroyed[0]?.id !== a) return;
        const type = rig.services.registry.dataTypes.get('Gadget') as Json;
        await tx.set(type, { update: { [user]: { [`links/${b}`]: true } }, destroy: [b] });
      },
    };
    rig = new Rig({}, { gadgetHooks: { types: { Gadget } } });
    [a = '', b = '', user = ''] = await rig.create('Gadget', [g(), g(), g()]);
    const answer = await set({ update: { [user]: { [`links/${a}`]: true } }, destroy: [a] });
    expect(updates).toEqual([]);
    const changes = await rig.call('Gadget/changes', { sinceState: answer.oldState });
    expect(changes).toMatchObject({ updated: [], destroyed: [a, b], newState: answer.newState });
  });
});

describe('a patch', () => {
  it('that points twice at one entry, once by its creation id, is invalidPatch', async () => {
    const [user, id] = await two();
    const answer = await rig.call(
      'Gadget/set',
      { update: { [user]: { 'links/#k': true, [`links/${id}`]: null } } },
      { createdIds: { k: id } },
    );
    expect(answer.notUpdated[user]).toMatchObject({ type: 'invalidPatch' });
  });

  it('a property and an entry of it in one patch are invalidPatch, even of no object', async () => {
    const [user] = await two();
    const { notUpdated } = await set({ update: { [user]: { links: {}, 'links/#nobody': true } } });
    expect(notUpdated[user]).toMatchObject({ type: 'invalidPatch' });
  });

  it.each([true, null])(
    'of an entry that leads nowhere alone is invalidProperties: %s',
    async (value) => {
      const [user] = await two();
      const { notUpdated } = await set({
        update: { [user]: { title: 7, 'links/#nobody': value } },
      });
      expect(notUpdated[user]).toMatchObject({
        type: 'invalidProperties',
        properties: ['links', 'title'],
        description: expect.stringContaining('creation id under which nothing was created'),
      });
    },
  );
});

describe('a creation id whose create fails', () => {
  it('means nothing in `update` and `destroy`, whatever an earlier call created', async () => {
    const bad = { k: { title: 3 } };
    const [, [, update], [, destroy]] = (await rig.calls([
      ['Gadget/set', { accountId: 'a1', create: { k: g({ code: 'old' }) } }],
      ['Gadget/set', { accountId: 'a1', create: bad, update: { '#k': { code: 'new' } } }],
      ['Gadget/set', { accountId: 'a1', create: bad, destroy: ['#k'] }],
    ])) as [Json, [string, Json], [string, Json]];
    expect(update).toMatchObject({ updated: null, notUpdated: { '#k': { type: 'notFound' } } });
    expect(destroy).toMatchObject({
      destroyed: null,
      notDestroyed: { '#k': { type: 'notFound' } },
    });
    expect((await rig.call('Gadget/get', { ids: null })).list).toMatchObject([{ code: 'old' }]);
  });
});

describe('/copy', () => {
  const copy = (create: object): Promise<Json> =>
    rig.call('Gadget/copy', { fromAccountId: 'a1', accountId: 'a2', create });

  it('stores a secret that overrides as a hash', async () => {
    const [id] = await two({ pin: 'first' });
    const { created } = await copy({ same: { id }, other: { id, pin: 'second' } });
    const type = rig.services.registry.dataTypes.get('Gadget');
    if (type === undefined) throw new Error('The rig has gadgets.');
    const rows = await rig.services.store.read(
      'a2',
      { deadline: performance.now() + 60_000 },
      (snapshot) =>
        snapshot.get(type, [created.same.id, created.other.id], type.properties, 10_000),
    );
    const pins = rows.map(({ pin }) => pin);
    expect(pins).toEqual([expect.stringMatching(/^scrypt\$/), expect.stringMatching(/^scrypt\$/)]);
    expect(pins[0]).not.toBe(pins[1]);
  });

  it('refuses circles of creation references on each, as /set does', async () => {
    const [a, b] = await two();
    const { created, notCreated } = await copy({
      x: { id: a, ownerId: '#y' },
      y: { id: b, ownerId: '#x' },
      z: { id: a, ownerId: '#w' },
      w: { id: b },
    });
    expect(Object.keys(created).sort()).toEqual(['w', 'z']);
    expect(notCreated.x).toMatchObject({ type: 'invalidProperties', properties: ['ownerId'] });
    expect(notCreated.y).toMatchObject({ type: 'invalidProperties', properties: ['ownerId'] });
  });

  it('judges an object before those that refer to it, in any order', async () => {
    const [a, b] = await two({ code: 'A' }, { code: 'B' });
    const rival = await copy({
      child: { id: a, code: 'C', ownerId: '#parent' },
      none: { id: 'nobody', others: ['#child'] },
      parent: { id: b, code: 'C' },
    });
    expect(Object.keys(rival.created)).toEqual(['parent']);
    const existingId = rival.created.parent.id;
    expect(rival.notCreated.child).toMatchObject({ type: 'alreadyExists', existingId });
    expect(rival.notCreated.none).toMatchObject({ type: 'notFound' });

    const room = Array.from({ length: GADGET_LIMIT - 2 }, (_, at) => [`k${at}`, g()]);
    await rig.call('Gadget/set', { accountId: 'a2', create: Object.fromEntries(room) });
    const last = await copy({
      child: { id: a, parentId: '#parent', links: { '#parent': true } },
      parent: { id: b },
    });
    expect(Object.keys(last.created)).toEqual(['parent']);
    expect(last.notCreated).toMatchObject({ child: { type: 'overQuota' } });
  });

  it('judges copies that refer to nothing of the call in the order of the request', async () => {
    const [a, b] = await two({ code: 'A' }, { code: 'B' });
    const { created, notCreated } = await copy({
      first: { id: a, code: 'C' },
      second: { id: b, code: 'C' },
      third: { id: b, ownerId: '#fourth' },
      fourth: { id: a },
    });
    expect(Object.keys(created).sort()).toEqual(['first', 'fourth', 'third']);
    const existingId = created.first.id;
    expect(notCreated).toMatchObject({ second: { type: 'alreadyExists', existingId } });
  });
});

describe('a limit of objects', () => {
  it('refuses no create that the same call destroys: that would make no room', async () => {
    await rig.create(
      'Gadget',
      Array.from({ length: GADGET_LIMIT - 1 }, () => g()),
    );
    const answer = await set({ create: { a: g(), b: g(), c: g() }, destroy: ['#c', '#c'] });
    expect(Object.keys(answer.created).sort()).toEqual(['a', 'c']);
    expect(answer.notCreated).toMatchObject({ b: { type: 'overQuota' } });
    expect(answer.destroyed).toEqual([answer.created.c.id]);
  });

  it('counts for a call of a hook what the call around it has created', async () => {
    await rig.close();
    const answers: Json[] = [];
    const Gadget: TypeHooks<Json> = {
      async inTransaction(changes, _call, tx) {
        if (!changes.created.some(({ title }: Json) => title === 'outer')) return;
        const type = rig.services.registry.dataTypes.get('Gadget') as Json;
        const request = { create: { a: g(), b: g() }, destroy: ['r1'] };
        answers.push(await tx.set(type, request, { partial: true }));
      },
    };
    rig = new Rig({}, { gadgetHooks: { types: { Gadget } } });
    await rig.create(
      'Gadget',
      Array.from({ length: GADGET_LIMIT - 2 }, () => g()),
    );
    const { created } = await set({ create: { outer: g({ title: 'outer' }) } });
    expect(Object.keys(created)).toEqual(['outer']);
    expect(Object.keys(answers[0].created)).toEqual(['a']);
    expect(answers[0].notCreated.b).toMatchObject({ type: 'overQuota' });
    expect((await set({ create: { k: g() } })).notCreated.k).toMatchObject({ type: 'overQuota' });
  });
});

describe('a limit of octets', () => {
  it('an object stored under a wider limit may change as long as it doesn’t grow', async () => {
    const [id] = await two();
    const type = rig.services.registry.dataTypes.get('Gadget');
    if (type === undefined) throw new Error('The rig has gadgets.');
    await rig.services.store.write(
      'a1',
      { deadline: performance.now() + 60_000 },
      async (transaction) => {
        const [row] = await transaction.get(type, [id], type.properties, 10_000);
        if (row !== undefined)
          await transaction.writeRows('update', type, [{ ...row, title: 'x'.repeat(700) }]);
      },
    );
    const title = (length: number): Promise<Json> =>
      set({ update: { [id]: { title: 'y'.repeat(length) } } });
    expect((await set({ update: { [id]: { slot: 12_345 } } })).notUpdated).not.toBeNull();
    expect((await title(499)).notUpdated).toBeNull();
    expect((await title(500)).notUpdated[id]).toMatchObject({ type: 'tooLarge' });
  });
});

class CountedHashes extends HashSlots {
  count = 0;

  override run<T>(user: string, deadline: number, work: () => Promise<T>): Promise<T> {
    this.count += 1;
    return super.run(user, deadline, work);
  }
}

function scopeOf(isGone: () => boolean): RequestScope {
  return {
    ...{ principal: U1, using: new Set<string>(), isLong: false, isGone },
    ...{ createdIds: new Map(), remainingOctets: 1e6, readAhead: null },
  };
}

/** The calls of a /set of gadgets in `A1`. */
function calledBy(request: RequestScope) {
  const method = rig.services.registry.methods.get('Gadget/set');
  if (method === undefined) throw new Error('The rig has gadgets.');
  return { request, method, account: U1.accounts.get('a1'), isInternal: false };
}

describe('secrets', () => {
  it('are made until the deadline of the call, and each for its own object', async () => {
    const type = rig.services.registry.dataTypes.get('Gadget');
    if (type === undefined) throw new Error('The rig has gadgets.');
    const pins = ['a', 'b', 'c', 'd', 'e', 'f'];
    const ids = await rig.create(
      'Gadget',
      pins.map((pin) => g({ pin: pin === 'c' ? null : pin })),
    );
    const rows = await rig.services.store.read(
      'a1',
      { deadline: performance.now() + 60_000 },
      (snapshot) => snapshot.get(type, ids, type.properties, 100_000),
    );
    for (const [index, pin] of pins.entries()) {
      const [, salt = '', hash] = String(rows[index]?.['pin']).split('$');
      const made = scryptSync(pin, Buffer.from(salt, 'base64url'), 32).toString('base64url');
      expect(pin === 'c' ? rows[index]?.['pin'] : hash).toBe(pin === 'c' ? null : made);
    }
    const { services } = rig;
    const plan = finish(
      planSet(
        indexOf(type),
        { create: { k: g({ pin: 'x' }) } },
        {
          createdIds: new Map(),
          maximum: 10,
          ids: services.ids,
        },
      ),
    );
    const request = scopeOf(() => false);
    const late = sealSecrets(plan, {
      ...{ services, ...calledBy(request), deadline: performance.now() - 1 },
    });
    await expect(late).rejects.toBeInstanceOf(UnavailableError);
  });

  it('are hashed no further once the client has gone', async () => {
    const type = rig.services.registry.dataTypes.get('Gadget');
    if (type === undefined) throw new Error('The rig has gadgets.');
    const create = Object.fromEntries(['a', 'b', 'c', 'd'].map((pin) => [pin, g({ pin })]));
    const hashing = new CountedHashes(4);
    const services = { ...rig.services, hashing };
    const plan = finish(
      planSet(indexOf(type), { create }, { createdIds: new Map(), maximum: 10, ids: services.ids }),
    );
    const request = scopeOf(() => hashing.count === 2);
    const deadline = performance.now() + 60_000;
    const sealing = sealSecrets(plan, {
      ...{ services, ...calledBy(request), deadline },
    });
    await expect(sealing).rejects.toMatchObject({ type: 'serverUnavailable' });
    expect(hashing.count).toBe(2);
  });
});
