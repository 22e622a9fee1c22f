import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import type { Invocation } from '../../src/index.js';
import { type GadgetCreate, useGadgets } from '../support/gadgets.js';
import {
  argumentsOf,
  type GateOptions,
  isOf,
  makeGate,
  refuseAll,
  times,
} from '../support/gate.js';

// Writes that depend on earlier ones which the server doesn't make at once.

const served = useGadgets();

async function open(options: GateOptions) {
  const { fetch, requests } = makeGate(options);
  const jmap = await served.connect({ fetch });
  await jmap.sync.settled();
  return { jmap, me: jmap.account(), requests };
}

/** Opens a client that has a gadget which another device has made. */
async function openWith(values: GadgetCreate, options: GateOptions = { judge: () => undefined }) {
  const far = await served.elsewhere();
  const { created } = await far.Gadget.set({ create: { a: values } });
  const id = created?.a?.id ?? '';
  const opened = await open(options);
  const shown = () =>
    opened.me.Gadget.live()
      .getSnapshot()
      .rows.find((row) => row.id === id);
  expect(shown()).toMatchObject(values);
  const read = async () => (await far.Gadget.get({ ids: [id] })).list[0];
  return { ...opened, far, id, shown, read };
}

async function countElsewhere(title: string): Promise<number> {
  const { list } = await (await served.elsewhere()).Gadget.get({});
  return list.filter((gadget) => gadget.title === title).length;
}

/** The ways in which a server has no time for a call. */
const FOR_NOW = [
  { how: 'serverUnavailable', refuse: () => ({ answer: 'serverUnavailable' }) },
  { how: 'rateLimit', refuse: () => ({ answer: 'rateLimit' }) },
  { how: 'no answer', refuse: () => ({ answer: null }) },
  { how: 'a SetError', refuse: (call: Invocation) => refuseAll(call, { type: 'rateLimit' }) },
];

describe('the last write of an object', () => {
  it('stands where an earlier one comes once more, as others have moved the object', async () => {
    const meta = { a: { b: { c: 0 } } };
    const { jmap, me, far, id, shown, read } = await openWith({ title: 'Moved', meta });
    served.goOffline();
    await far.Gadget.set({ update: { [id]: { meta: {} } } });
    const last = { a: { b: { c: 2 } } };
    const writes = [
      me.write((tx) => tx.Gadget.update(id, { 'meta/a/b/c': 1 })),
      me.write((tx) => tx.Gadget.update(id, { meta: last })),
    ];
    for (const { saved } of writes) expect(await saved).toBe(true);
    expect(shown()?.meta).toEqual(last);
    served.goOnline();
    await jmap.sync.settled();
    for (const { result } of writes) expect(await result).toMatchObject({ ok: true });
    expect([(await read())?.meta, shown()?.meta]).toEqual([last, last]);
  });

  it.each(FOR_NOW)('stands where the server has no time for the first: $how', async (each) => {
    const isFirst = times(1);
    const { jmap, me, id, shown, read } = await openWith(
      { title: `First: ${each.how}` },
      { judge: (call) => (isOf(call, 'update') && isFirst() ? each.refuse(call) : undefined) },
    );
    const writes = [1, 2].map((rank) => me.write((tx) => tx.Gadget.update(id, { rank })));
    for (const { result } of writes) expect(await result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect([(await read())?.rank, shown()?.rank]).toEqual([2, 2]);
  });

  it('stands where the server has no time for any of three at first', async () => {
    const verdicts = [
      () => ({ answer: 'serverUnavailable' }),
      (call: Invocation) => refuseAll(call, { type: 'rateLimit' }),
      () => ({ answer: 'serverUnavailable' }),
    ];
    const { jmap, me, id, shown, read } = await openWith(
      { title: 'Three' },
      { judge: (call) => (isOf(call, 'update') ? verdicts.shift()?.(call) : undefined) },
    );
    const writes = [1, 2, 3].map((rank) => me.write((tx) => tx.Gadget.update(id, { rank })));
    for (const { result } of writes) expect(await result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect(verdicts).toEqual([]);
    expect([(await read())?.rank, shown()?.rank]).toEqual([3, 3]);
  });
});

describe('a destroy behind an update', () => {
  it.each(FOR_NOW)('leaves it no problem where the server has no time: $how', async (each) => {
    const isFirst = times(1);
    const { jmap, me, id, read } = await openWith(
      { title: `Ends: ${each.how}` },
      { judge: (call) => (isOf(call, 'update') && isFirst() ? each.refuse(call) : undefined) },
    );
    const update = me.write((tx) => tx.Gadget.update(id, { rank: 1 }));
    const destroy = me.Gadget.destroy(id);
    expect(await update.result).toMatchObject({ ok: true });
    expect(await destroy.result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect(await read()).toBeUndefined();
    expect(jmap.problems.getSnapshot()).toEqual([]);
  });
});

describe('an object that is destroyed behind its create', () => {
  it.each(FOR_NOW)("doesn't come back where the server has no time: $how", async (each) => {
    const title = `Doomed: ${each.how}`;
    const isFirst = times(1);
    const { jmap, me } = await open({
      judge: (call) => (isOf(call, 'create') && isFirst() ? each.refuse(call) : undefined),
    });
    let id = '';
    // Two groups go in two calls.
    const create = me.write((tx) => {
      id = tx.Gadget.create({ title }).object.id;
    });
    const destroy = me.Gadget.destroy(id);
    expect(await create.result).toMatchObject({ ok: true });
    expect(await destroy.result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect(isFirst()).toBe(false);
    expect(await countElsewhere(title)).toBe(0);
    const { rows } = me.Gadget.live().getSnapshot();
    expect(rows.filter((row) => row.title === title)).toEqual([]);
  });

  it("doesn't come back where its create waits for a file", async () => {
    const title = 'Doomed with a file';
    const isFirst = times(1);
    // The server has deleted the file meanwhile: the client sends it anew.
    const error = { type: 'invalidProperties', properties: ['blobId'] };
    const { jmap, me } = await open({
      judge: (call) => (isOf(call, 'create') && isFirst() ? refuseAll(call, error) : undefined),
    });
    const file = me.upload('octets');
    expect(await file.result).toMatchObject({ ok: true });
    let id = '';
    const create = me.write((tx) => {
      id = tx.Gadget.create({ title, blobId: file }).object.id;
    });
    const destroy = me.Gadget.destroy(id);
    expect(await create.result).toMatchObject({ ok: true });
    expect(await destroy.result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect(await countElsewhere(title)).toBe(0);
  });
});

describe('a write that names an object of another type', () => {
  it('is made behind it where the server has no time', async () => {
    const isFirst = times(1);
    const { me } = await open({
      judge: ([name]) => (name === 'Project/set' && isFirst() ? { answer: null } : undefined),
    });
    const project = me.Project.create({ key: 'LATE', name: 'Late' });
    const issue = me.Issue.create({ projectId: project.object.id, number: 1, title: 'Later' });
    const made = await project.result;
    expect(await issue.result).toMatchObject({ ok: true });
    const projectId = made.ok ? made.object.id : '';
    const { list } = await (await served.elsewhere()).Issue.get({});
    expect(list).toMatchObject([{ title: 'Later', projectId }]);
  });
});

describe('a write that names an object of a type at whose requests a gateway gives up', () => {
  it('is made behind it once the gateway passes it on', async () => {
    const { fetch, requests } = makeGate({ judge: () => undefined });
    let failures = 0;
    const gateway: typeof fetch = async (url, init) => {
      if (!String(init?.body).includes('"Project/set"') || failures >= 30) return fetch(url, init);
      failures += 1;
      return Response.json({}, { status: 504 });
    };
    const jmap = await served.connect({ fetch: gateway });
    await jmap.sync.settled();
    const me = jmap.account();
    const project = me.Project.create({ key: 'GATE', name: 'Gate' });
    const issue = me.Issue.create({ projectId: project.object.id, number: 1, title: 'Behind' });
    const timer = setInterval(() => jmap.sync.wake(), 10);
    const ends = await Promise.all([project.result, issue.result]);
    clearInterval(timer);
    expect(failures).toBe(30);
    expect(ends).toMatchObject([{ ok: true }, { ok: true }]);
    expect(argumentsOf(requests, 'Issue/set').length).toBeGreaterThan(0);
  });
});

describe('a write that names an object by its id', () => {
  it('is made behind an earlier write of that object, which waits', async () => {
    const far = await served.elsewhere();
    const { created } = await far.Project.set({
      create: { one: { key: 'ONE', name: 'One' }, two: { key: 'TWO', name: 'Two' } },
    });
    const [one = '', two = ''] = [created?.one?.id, created?.two?.id];
    const isFirst = times(1);
    const { me, requests } = await open({
      judge: ([name]) =>
        name === 'Project/set' && isFirst() ? { answer: 'serverUnavailable' } : undefined,
    });
    const sets = () => argumentsOf(requests, 'Project/set');
    const first = me.Project.update(one, { name: 'First' });
    await eventually(() => expect(sets()).toHaveLength(1));
    const before = me.Project.update(two, { name: 'Open again' });
    const issue = me.Issue.create({ projectId: two, number: 1, title: 'Behind' });
    const ends = await Promise.all([first.result, before.result, issue.result]);
    expect(ends).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
    const at = (text: string) => requests.findIndex((each) => JSON.stringify(each).includes(text));
    expect(at('Open again')).toBeLessThanOrEqual(at('Behind'));
  });
});

describe('a write that names an object whose create waits for its file', () => {
  it('is made behind it', async () => {
    const [isFirstParent, isFirstChild] = [times(1), times(1)];
    const error = { type: 'invalidProperties', properties: ['blobId'] };
    const hasTitle = ([, args]: Invocation, title: string) =>
      JSON.stringify(args).includes(`"title":"${title}"`);
    const { jmap, me, requests } = await open({
      judge(call) {
        if (!isOf(call, 'create')) return undefined;
        if (hasTitle(call, 'Child') && isFirstChild()) return { answer: 'serverUnavailable' };
        if (!hasTitle(call, 'Parent') || !isFirstParent()) return undefined;
        served.proxy().decide(({ path }) => (path.startsWith('/jmap/upload') ? 'drop' : 'pass'));
        return refuseAll(call, error);
      },
    });
    const file = me.upload('octets');
    expect(await file.result).toMatchObject({ ok: true });
    let id = '';
    const parent = me.write((tx) => {
      id = tx.Gadget.create({ title: 'Parent', blobId: file }).object.id;
    });
    const child = me.write((tx) => tx.Gadget.create({ title: 'Child', parentId: id }));
    const sets = () => argumentsOf(requests, 'Gadget/set').filter((args) => args['create']);
    // The child comes again before the file is there.
    await eventually(() => expect(sets().length).toBeGreaterThan(2));
    served.goOnline();
    jmap.sync.wake();
    expect(await parent.result).toMatchObject({ ok: true });
    expect(await child.result).toMatchObject({ ok: true });
    const { list } = await (await served.elsewhere()).Gadget.get({});
    const made = list.find(({ title }) => title === 'Parent');
    expect(list.filter(({ title }) => title === 'Child')).toMatchObject([{ parentId: made?.id }]);
  });
});

describe('a write behind a create that is late', () => {
  it.each(['update', 'destroy', 'create'] as const)(
    'is made, though its call was refused before, and the answer lost: %s',
    async (kind) => {
      let isLost = false;
      const { jmap, me } = await open({
        judge([name, args]) {
          if (name !== 'Gadget/set' || isLost) return undefined;
          if (JSON.stringify(args['create'] ?? {}).includes('Parent'))
            return { answer: 'serverUnavailable' };
          isLost = true;
          return { isMade: true, answer: null };
        },
      });
      const title = `Parent ${kind}`;
      let id = '';
      const first = me.write((tx) => {
        id = tx.Gadget.create({ title }).object.id;
      });
      const second = {
        update: () => me.Gadget.update(id, { rank: 2 }),
        destroy: () => me.Gadget.destroy(id),
        create: () => me.Gadget.create({ title: 'Late child', parentId: id }),
      }[kind]();
      expect(await first.result).toMatchObject({ ok: true });
      expect(await second.result).toMatchObject({ ok: true });
      await jmap.sync.settled();
      expect(isLost).toBe(true);
      const { list } = await (await served.elsewhere()).Gadget.get({});
      const parent = list.find((each) => each.title === title);
      const child = list.find((each) => each.title === 'Late child');
      if (kind === 'destroy') expect(parent).toBeUndefined();
      if (kind === 'update') expect(parent).toMatchObject({ rank: 2 });
      if (kind === 'create') expect(child).toMatchObject({ parentId: parent?.id });
    },
  );
});

describe('a write that names a new object in a text that is no reference', () => {
  it.each([true, false])('is sent with its id, made together: %s', async (isTogether) => {
    const { jmap, me } = await open({ judge: () => undefined });
    const [named, names] = [`Named ${isTogether}`, `Names ${isTogether}`];
    const make = ({ Gadget }: Pick<typeof me, 'Gadget'>): void => {
      const { object } = Gadget.create({ title: named });
      Gadget.create({ title: names, meta: { note: object.id } });
    };
    if (isTogether) me.write(make as never);
    else make(me);
    await jmap.sync.settled();
    const { list } = await (await served.elsewhere()).Gadget.get({});
    const id = list.find(({ title }) => title === named)?.id;
    expect(list.find(({ title }) => title === names)).toMatchObject({ meta: { note: id } });
  });
});

describe('an update that names its own new object in a text', () => {
  it.each([true, false])('is sent with its id, made together: %s', async (isTogether) => {
    const { jmap, me } = await open({ judge: () => undefined });
    const title = `Own ${isTogether}`;
    const make = ({ Gadget }: Pick<typeof me, 'Gadget'>): void => {
      const { object } = Gadget.create({ title });
      Gadget.update(object.id, { meta: { note: object.id } });
    };
    if (isTogether) me.write(make as never);
    else make(me);
    await jmap.sync.settled();
    const { list } = await (await served.elsewhere()).Gadget.get({});
    const made = list.find((each) => each.title === title);
    expect(made?.meta.note).toBe(made?.id);
  });
});

describe('a destroy behind a write that frees what it would take along', () => {
  it.each(['restrict', 'cascade', 'file'])('is made behind it: %s', async (how) => {
    const far = await served.elsewhere();
    const at = (id: string): object =>
      how === 'cascade' ? { plan: { steps: [{ gadgetId: id }] } } : { parentId: id };
    const { created } = await far.Gadget.set({ create: { a: { title: `Old ${how}` } } });
    const old = created?.a?.id ?? '';
    const { me, jmap, id: child } = await openWith({ title: `Child ${how}`, ...at(old) });
    served.goOffline();
    const scan = me.upload('x');
    me.Gadget.update(child as never, how === 'file' ? { blobId: scan.key } : { rank: 7 });
    const { id } = me.Gadget.create({ title: `New ${how}` }).object;
    const move = me.Gadget.update(child as never, at(id) as never);
    const destroy = me.Gadget.destroy(old as never);
    await destroy.saved;
    if (how === 'file') {
      // All but the file goes through.
      served.proxy().decide(({ path }) => (path.startsWith('/jmap/upload') ? 'drop' : 'pass'));
      jmap.sync.wake();
      await eventually(async () => {
        const { list } = await far.Gadget.get();
        expect(list.map(({ title }) => title)).toContain(`New ${how}`);
      });
    }
    served.goOnline();
    await jmap.sync.settled();
    expect([await move.result, await destroy.result]).toMatchObject([{ ok: true }, { ok: true }]);
    expect((await far.Gadget.get({ ids: [child] })).list).toHaveLength(1);
  });
});
