import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { CORE, type Session } from '../../src/call/session.js';
import { memory } from '../../src/index.js';
import type { Request, Response } from '../../src/transport/transport.js';
import { spoil } from '../support/faulty-fetch.js';
import { useGadgets } from '../support/gadgets.js';
import { isOf, makeGate, times } from '../support/gate.js';

// Writes of several objects that belong together.

const served = useGadgets();

async function open(options: Parameters<typeof served.connect>[0] = {}) {
  const jmap = await served.connect(options);
  await jmap.sync.settled();
  return { jmap, me: jmap.account() };
}

type Set = readonly [name: string, objects: number];

/** The /set calls of each request that has some, with how many objects they write. */
const sets = (): readonly (readonly Set[])[] =>
  served
    .proxy()
    .api()
    .map(({ methodCalls }) =>
      methodCalls.flatMap(([name, { create, update, destroy }]): readonly Set[] => {
        if (!name.endsWith('/set')) return [];
        const count = [create, update, destroy].flatMap((each) => Object.keys(each ?? {})).length;
        return [[name, count]];
      }),
    )
    .filter((request) => request.length > 0);

/** Tells other limits of the server than it has. */
function withLimits(inner: typeof fetch, limits: Partial<Session['capabilities'][typeof CORE]>) {
  const edited: typeof fetch = async (url, init) => {
    const response = await inner(url, init);
    if (init?.method === 'POST') return response;
    const session = (await response.json()) as Session;
    const core = { ...session.capabilities[CORE], ...limits };
    return Response.json({ ...session, capabilities: { ...session.capabilities, [CORE]: core } });
  };
  return edited;
}

describe('writes that are made together', () => {
  it('tell why the server refuses a later write of what they make', async () => {
    const { jmap, me } = await open();
    const made: string[] = [];
    const before = sets().length;
    const group = me.write((tx) => {
      made.push(tx.Project.create({ key: 'WHY', name: 'Why' }).object.id);
    });
    const update = me.Project.update(made[0] ?? '', { name: 'x'.repeat(5000) });
    expect(await group.result).toMatchObject({ ok: true });
    const error = { type: 'invalidProperties', properties: ['name'] };
    expect(await update.result).toMatchObject({ ok: false, error });
    // Both went in one request: the update names its object by the creation id.
    expect(sets().slice(before)).toHaveLength(1);
    await jmap.close();
  });

  it('go in one request, those of a type in one call', async () => {
    const { jmap, me } = await open();
    const totals: number[] = [];
    me.Issue.live().subscribe(({ total }) => totals.push(total));
    const issues: { readonly object: { readonly projectId: string } }[] = [];
    const before = sets().length;
    const { saved, result } = me.write((tx) => {
      for (const key of ['ONE', 'TWO']) {
        const { object } = tx.Project.create({ key, name: key });
        for (const number of [1, 2])
          issues.push(tx.Issue.create({ projectId: object.id, number, title: `${key} ${number}` }));
      }
      expect(me.Issue.live().getSnapshot().total).toBe(0);
      expect(jmap.sync.getSnapshot().pending).toBe(0);
    });
    expect(totals).toEqual([0, 4]);
    expect(jmap.sync.getSnapshot().pending).toBe(6);
    expect(await saved).toBe(true);
    expect(await result).toMatchObject({ ok: true });
    expect(sets().slice(before)).toEqual([
      [
        ['Project/set', 2],
        ['Issue/set', 4],
      ],
    ]);
    const { list } = await me.Issue.get();
    expect(list.map(({ title }) => title).sort()).toEqual(['ONE 1', 'ONE 2', 'TWO 1', 'TWO 2']);
    expect(issues).toHaveLength(4);
  });

  it('go in two calls of a type where one needs an object made between', async () => {
    const { me } = await open();
    const { list } = await me.Project.get();
    const before = sets().length;
    const { result } = me.write((tx) => {
      tx.Issue.create({ projectId: list[0]?.id ?? '', number: 7, title: 'Seven' });
      const { object } = tx.Project.create({ key: 'NEW', name: 'New' });
      tx.Issue.create({ projectId: object.id, number: 1, title: 'First' });
    });
    expect(await result).toMatchObject({ ok: true });
    const names = ['Issue/set', 'Project/set', 'Issue/set'];
    expect(sets().slice(before)).toEqual([names.map((name) => [name, 1])]);
  });

  it('see each other', async () => {
    const { me } = await open();
    const { result } = me.write((tx) => {
      const { object } = tx.Gadget.create({ title: 'Lamp', tags: { red: true } });
      expect(object).toMatchObject({ title: 'Lamp', rank: 0, $pending: true });
      const update = tx.Gadget.update(object.$key, (gadget) => {
        gadget.rank = Object.keys(gadget.tags).length + 1;
      });
      expect(update.object).toMatchObject({ title: 'Lamp', rank: 2 });
      const gone = tx.Gadget.create({ title: 'Gone' });
      tx.Gadget.destroy(gone.object.id);
      const late = tx.Gadget.update(gone.object.id, ({ tags }) => {
        tags['red'] = true;
      });
      void late.result.then((end) => expect(end).toMatchObject({ error: { type: 'notFound' } }));
    });
    expect(await result).toMatchObject({ ok: false, error: { type: 'notFound' } });
    const { list } = await me.Gadget.get({ properties: ['title', 'rank'] });
    expect(list).toEqual([{ id: expect.any(String), title: 'Lamp', rank: 2 }]);
  });

  it('are nothing where their function throws', async () => {
    const { jmap, me } = await open();
    const before = me.Gadget.live().getSnapshot();
    let aborted: Promise<object> | undefined;
    const write = () =>
      me.write((tx) => {
        aborted = tx.Gadget.create({ title: 'Lamp' }).result;
        throw new Error('no');
      });
    expect(write).toThrow('no');
    expect(await aborted).toMatchObject({ ok: false, error: { type: 'aborted' } });
    expect(me.Gadget.live().getSnapshot()).toBe(before);
    expect(jmap.sync.getSnapshot().pending).toBe(0);
  });

  it('can not be made once their function has ended', async () => {
    const { me } = await open();
    let late = (): unknown => null;
    const { result } = me.write((tx) => {
      late = () => tx.Gadget.create({ title: 'Late' });
    });
    expect(late).toThrow('has ended');
    expect(await result).toMatchObject({ ok: true });
  });

  it('end one by one: a refused one leaves the others', async () => {
    const { me } = await open();
    const ends: Promise<object>[] = [];
    const { result } = me.write((tx) => {
      ends.push(tx.Gadget.create({ title: 'x'.repeat(300) }).result);
      ends.push(tx.Gadget.create({ title: 'Bulb' }).result);
    });
    const error = { type: 'invalidProperties', properties: ['title'] };
    expect(await result).toMatchObject({ ok: false, error });
    expect(await Promise.all(ends)).toMatchObject([{ ok: false, error }, { ok: true }]);
  });

  it('wait in the store, and mix with no other write', async () => {
    const store = memory();
    const { jmap, me } = await open({ store });
    const { object } = me.Gadget.create({ title: 'Lamp' });
    await jmap.sync.settled();
    served.proxy().decide(() => 'drop');
    me.Gadget.update(object.id, { rank: 1 });
    const { saved } = me.write((tx) => {
      tx.Gadget.update(object.id, { rank: 2 });
      tx.Project.create({ key: 'WAIT', name: 'Wait' });
      tx.Gadget.create({ title: 'Bulb' });
    });
    me.Gadget.update(object.id, { rank: 3 });
    me.Gadget.create({ title: 'Other' });
    expect(await saved).toBe(true);
    await jmap.close();
    served.proxy().decide(() => 'pass');
    const before = sets().length;
    await open({ store });
    // Each write of the lamp waits for the one before.
    expect(sets().slice(before)).toEqual([
      [
        ['Gadget/set', 1],
        ['Gadget/set', 1],
      ],
      [
        ['Gadget/set', 2],
        ['Project/set', 1],
      ],
      [['Gadget/set', 1]],
    ]);
  });

  it('may have several writes of one object', async () => {
    const { jmap, me } = await open();
    const lamp = await me.Gadget.create({ title: 'Written twice' }).result;
    const id = (lamp.ok && lamp.object?.id) || '';
    const { result } = me.write((tx) => {
      tx.Gadget.update(id, { rank: 1 });
      const parent = tx.Gadget.create({ title: 'Parent' }).object.id;
      tx.Gadget.update(id, { parentId: parent });
      const made = tx.Gadget.create({ title: 'Made' }).object.id;
      const other = tx.Gadget.create({ title: 'Other parent' }).object.id;
      tx.Gadget.update(made, { parentId: other });
    });
    expect(await result).toMatchObject({ ok: true });
    const { list } = await me.Gadget.get({});
    const named = (title: string) => list.find((each) => each.title === title);
    expect(named('Written twice')).toMatchObject({ rank: 1, parentId: named('Parent')?.id });
    expect(named('Made')).toMatchObject({ parentId: named('Other parent')?.id });
    await jmap.close();
  });

  it('are cut where the server takes fewer in a call, and go before others', async () => {
    const limits = { maxObjectsInSet: 2, maxCallsInRequest: 6 };
    const { jmap, me } = await open({ fetch: withLimits(fetch, limits) });
    const before = sets().length;
    me.Project.create({ key: 'CUT', name: 'Cut' });
    me.Gadget.create({ title: 'Alone' });
    me.write((tx) => {
      for (const title of ['a', 'b', 'c']) tx.Gadget.create({ title });
    });
    await jmap.sync.settled();
    // Three calls are left beside those that read. The group waits for a request of its own.
    expect(sets().slice(before)).toEqual([
      [
        ['Project/set', 1],
        ['Gadget/set', 1],
      ],
      [
        ['Gadget/set', 2],
        ['Gadget/set', 1],
      ],
    ]);
  });
});

describe('a call that names an object of an earlier call', () => {
  it('comes again as it was, though that object has an id by then', async () => {
    const requests: Request[] = [];
    const unsure: typeof fetch = async (url, init) => {
      const response = await fetch(url, init);
      if (!String(init?.body).includes('Gadget/set')) return response;
      const request = JSON.parse(String(init?.body)) as Request;
      requests.push(request);
      const body = (await response.json()) as Response;
      if (requests.length > 1) return globalThis.Response.json(body);
      const [, ...others] = request.methodCalls.filter(([name]) => name === 'Gadget/set');
      return globalThis.Response.json(spoil(body, others, 'serverUnavailable'));
    };
    const { jmap, me } = await open({ fetch: unsure });
    const parent = me.Gadget.create({ title: 'Parent' });
    const group = me.write((tx) => {
      tx.Gadget.create({ title: 'Child', parentId: parent.object.id });
    });
    expect(await group.result).toMatchObject({ ok: true });
    const made = await parent.result;
    const [first, second, ...more] = requests.map(({ methodCalls }) =>
      methodCalls.find(([, args]) => 'Child' in namesOf(args)),
    );
    expect(first).toBeDefined();
    expect([second?.[1], more]).toEqual([first?.[1], []]);
    const id = made.ok && made.object?.id;
    expect(requests[1]?.createdIds).toEqual({ [parent.object.$key.slice(1)]: id });
    const { list } = await me.Gadget.get({});
    expect(list.filter(({ title }) => title === 'Child')).toMatchObject([{ parentId: id }]);
    await jmap.close();
  });
});

/** Returns the titles of what a /set creates, as members. */
function namesOf(args: JsonObject): Readonly<Record<string, true>> {
  const values = Object.values(args['create'] ?? {}) as readonly JsonObject[];
  return Object.fromEntries(values.map(({ title }) => [String(title), true]));
}

const INVALID = { type: 'invalidProperties', properties: ['title'] };

async function makeElsewhere(title: string): Promise<string> {
  const far = await served.elsewhere();
  const { created } = await far.Gadget.set({ create: { a: { title } } });
  return created?.a?.id ?? '';
}

const readElsewhere = async (id: string) =>
  (await (await served.elsewhere()).Gadget.get({ ids: [id] })).list[0];

describe('two updates of one object in a group', () => {
  it('are made in their order, where the server has no time for the first', async () => {
    const id = await makeElsewhere('Ordered');
    const isFirst = times(1);
    const { fetch } = makeGate({
      judge: (call) =>
        isOf(call, 'update') && isFirst() ? { answer: 'serverUnavailable' } : undefined,
    });
    const { jmap, me } = await open({ fetch: withLimits(fetch, { maxObjectsInSet: 1 }) });
    const { result } = me.write((tx) => {
      tx.Gadget.update(id, { rank: 1 });
      const parent = tx.Gadget.create({ title: 'Parent' }).object.id;
      tx.Gadget.update(id, { rank: 2, parentId: parent });
    });
    await jmap.sync.settled();
    expect(await result).toMatchObject({ ok: true });
    expect(await readElsewhere(id)).toMatchObject({ rank: 2 });
  });
});

describe('a problem of a group that is made once more', () => {
  it('does not stop what was written since', async () => {
    const [a, b] = [await makeElsewhere('A'), await makeElsewhere('B')];
    let isBusy = true;
    const { fetch } = makeGate({
      judge: (call) =>
        isBusy && isOf(call, 'update') && JSON.stringify(call[1]).includes(`"${a}"`)
          ? { answer: { notUpdated: { [a]: { type: 'rateLimit' }, [b]: INVALID } } }
          : undefined,
    });
    const { jmap, me } = await open({ fetch });
    me.write((tx) => {
      tx.Gadget.update(a, { rank: 1 });
      tx.Gadget.update(b, { title: 'x'.repeat(300) });
    });
    await expect.poll(() => jmap.problems.getSnapshot().length).toBe(1);
    me.write((tx) => {
      tx.Gadget.update(a, { rank: 2 });
      tx.Gadget.update(b, { rank: 2 });
    });
    jmap.problems.getSnapshot()[0]?.edit({ title: 'Short' } as never);
    isBusy = false;
    await jmap.sync.settled();
    expect(await readElsewhere(a)).toMatchObject({ rank: 2 });
    expect(await readElsewhere(b)).toMatchObject({ rank: 2, title: 'Short' });
  });
});

describe('a group that frees an object before it destroys it', () => {
  it.each(['twice', 'once'])('is made: the child is changed %s', async (how) => {
    const { jmap, me } = await open();
    const parent = await me.Gadget.create({ title: `Old ${how}` }).result;
    const old = parent.ok ? parent.object.id : '';
    const made = await me.Gadget.create({ title: `Child ${how}`, parentId: old }).result;
    const child = made.ok ? made.object.id : '';
    await jmap.sync.settled();
    const { result } = me.write((tx) => {
      if (how === 'twice') tx.Gadget.update(child, { rank: 7 });
      const { id } = tx.Gadget.create({ title: `New ${how}` }).object;
      tx.Gadget.update(child, { parentId: id });
      tx.Gadget.destroy(old);
    });
    expect(await result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect(await readElsewhere(old)).toBeUndefined();
  });
});

describe('a group that turns two objects round', () => {
  it.each(['twice', 'once'])('is made: the child is changed %s', async (how) => {
    const { jmap, me } = await open();
    const parent = await me.Gadget.create({ title: `Above ${how}` }).result;
    const above = parent.ok ? parent.object.id : '';
    const made = await me.Gadget.create({ title: `Below ${how}`, parentId: above }).result;
    const below = made.ok ? made.object.id : '';
    await jmap.sync.settled();
    const { result } = me.write((tx) => {
      if (how === 'twice') tx.Gadget.update(below, { rank: 7 });
      const { id } = tx.Gadget.create({ title: `Root ${how}` }).object;
      tx.Gadget.update(below, { parentId: id });
      tx.Gadget.update(above, { parentId: below });
    });
    expect(await result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect(await readElsewhere(above)).toMatchObject({ parentId: below });
  });
});
