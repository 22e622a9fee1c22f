import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { RequestError } from '../../src/call/errors.js';
import type { CachedClient } from '../../src/index.js';
import { type GadgetCreate, type GadgetsProject, useGadgets } from '../support/gadgets.js';
import {
  argumentsOf,
  type GateOptions,
  isOf,
  makeGate,
  refuseAll,
  times,
} from '../support/gate.js';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Calls that were made or not while nobody knows, and answers that come late.

const served = useGadgets();

/** Makes a gadget as another device does. */
async function make(values: GadgetCreate): Promise<string> {
  const { created } = await (await served.elsewhere()).Gadget.set({ create: { a: values } });
  return created?.a?.id ?? '';
}

async function readElsewhere(title: string) {
  const { list } = await (await served.elsewhere()).Gadget.get({});
  return list.find((gadget) => gadget.title === title);
}

type Values = Partial<Omit<GadgetCreate, 'meta'>> & { readonly 'meta/note'?: string };

async function changeElsewhere(id: string, values: Values): Promise<void> {
  const answer = await (await served.elsewhere()).Gadget.set({ update: { [id]: values } });
  expect(answer.notUpdated).toBeNull();
}

async function open(options: GateOptions) {
  const { fetch, requests } = makeGate(options);
  const jmap = await served.connect({ fetch });
  const me = jmap.account();
  const shown = (id: string) =>
    me.Gadget.live()
      .getSnapshot()
      .rows.find((row) => row.id === id);
  return { jmap, me, requests, shown };
}

/** Has a client go on without its pauses until this has ended. */
async function hurry<T>(jmap: CachedClient<GadgetsProject>, end: Promise<T>): Promise<T> {
  const timer = setInterval(() => jmap.sync.wake(), 10);
  return end.finally(() => clearInterval(timer));
}

describe('a made call that ends without its answer', () => {
  it('brings no object that is older than the copy', async () => {
    const other = await make({ title: 'Beside' });
    const keys: unknown[] = [];
    let probes = 0;
    const { jmap, me, shown } = await open({
      // The server has made the call, and takes it for another one each time that it comes again.
      judge([name, args]) {
        if (name !== 'Gadget/set') return undefined;
        keys.push(args['onceKey']);
        if (keys.length === 1) return { isMade: true, answer: null };
        return args['onceKey'] === keys[0] ? { answer: 'invalidArguments' } : undefined;
      },
      async before({ methodCalls }) {
        if (!methodCalls.some(([, , id]) => id === 'probe')) return;
        probes += 1;
        const id = (await readElsewhere('Made'))?.id ?? '';
        if (probes === 4) await changeElsewhere(id, { rank: 5 });
      },
      async after({ methodCalls }) {
        // Another device changes what the call has changed, so its effect is not to be found.
        if (methodCalls.some((call) => isOf(call, 'create')) && keys.length === 1)
          await changeElsewhere(other, { rank: 7 });
      },
    });
    await jmap.sync.settled();
    const { result } = me.write((tx) => {
      tx.Gadget.create({ title: 'Made' });
      tx.Gadget.update(other, { rank: 1 });
    });
    await hurry(jmap, result);
    await jmap.sync.settled();
    const there = await readElsewhere('Made');
    expect([probes > 3, there?.rank]).toEqual([true, 5]);
    expect(shown(there?.id ?? '')?.rank).toBe(5);
    expect(shown(other)?.rank).toBe(7);
  });
});

describe('a made call whose objects can not be read at first', () => {
  it('is told as made once they are there', async () => {
    const server = new ToyServer();
    const { sync, create, outcomes } = await openAccount(server, [makeTable('Thing')]);
    await sync.settle();
    let failures = 0;
    server.answer = ([name, args, id]) => {
      if (id === 'Thing.made' && failures === 0) {
        failures += 1;
        return [['error', { type: 'serverUnavailable' }, id]];
      }
      if (name !== 'Thing/changes') return undefined;
      // There are changes but once.
      const created = args['sinceState'] === server.state ? [] : [...server.objects.keys()];
      const told = { hasMoreChanges: false, created, updated: [], destroyed: [] };
      return [[name, { newState: server.state, ...told }, id]];
    };
    const send = server.send.bind(server);
    server.send = async (request) => {
      const response = await send(request);
      if (argumentsOf([request], 'Thing/set').every((args) => !args['create'])) return response;
      // The gateway gives up while the server makes it.
      throw new RequestError(504, {});
    };
    create('Thing', 'mine');
    for (let turns = 2000; turns > 0 && outcomes.length === 0; turns -= 1) {
      sync.resume();
      await delay(1);
    }
    await sync.close();
    expect(failures).toBe(1);
    expect(outcomes).toMatchObject([{ isMade: true, write: { ids: ['mine'] } }]);
    expect(server.objects.size).toBe(1);
  });
});

describe('a call whose outcome is unknown', () => {
  it('keeps all of its writes, though what one of them names has been refused', async () => {
    const [one, two] = [await make({ title: 'Unknown 1' }), await make({ title: 'Unknown 2' })];
    const isFirst = times(1);
    const { jmap, me, requests } = await open({
      judge: (call) =>
        isOf(call, 'update') && isFirst() ? { isMade: true, answer: null } : undefined,
    });
    await jmap.sync.settled();
    let parent = '';
    const group = me.write((tx) => {
      parent = tx.Gadget.create({ title: 'x'.repeat(300) }).object.id;
    });
    const results = [
      group.result,
      me.Gadget.create({ title: 'Child', parentId: parent }).result,
      me.Gadget.update(one, { title: 'y'.repeat(300) }).result,
      me.Gadget.update(two, { rank: 3 }).result,
    ];
    const ends = await hurry(jmap, Promise.all(results));
    const sent = argumentsOf(requests, 'Gadget/set').filter(({ update }) => update !== undefined);
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent.map((args) => JSON.stringify(args))).size).toBe(1);
    expect(ends.map(({ ok }) => ok)).toEqual([false, false, false, true]);
  });
});

describe('an answer that comes late', () => {
  it("doesn't overwrite newer values, though its update was planned without a state", async () => {
    const id = await make({ title: 'Late', rank: 0 });
    let losses = 0;
    let isLate = true;
    const { jmap, me, shown } = await open({
      judge(call) {
        // Until the client has given up on the call for now, it has no state of the type.
        if (call[0] === 'Gadget/changes' && losses < 5) return { answer: 'serverUnavailable' };
        if (!isOf(call, 'update') || !isLate) return undefined;
        losses += 1;
        return { isMade: true, answer: 'serverUnavailable' };
      },
    });
    const isThere = eventually(() => expect(shown(id)).toBeDefined());
    await hurry(jmap, isThere);
    const { result } = me.Gadget.update(id, { rank: 1 });
    const isRead = eventually(() => expect(losses).toBeGreaterThan(8));
    await hurry(jmap, isRead);
    await changeElsewhere(id, { title: 'Later', rank: 2 });
    const isShown = eventually(() => expect(shown(id)?.title).toBe('Later'));
    await hurry(jmap, isShown);
    isLate = false;
    expect(await hurry(jmap, result)).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect([shown(id)?.rank, (await readElsewhere('Later'))?.rank]).toEqual([2, 2]);
  });
});

describe('an update of an object whose create has no answer yet', () => {
  it('is made once', async () => {
    const [isFirst, isOnce] = [times(1), times(1)];
    const { jmap, me } = await open({
      judge: (call) =>
        isOf(call, 'create') && isFirst() ? { isMade: true, answer: null } : undefined,
      async after({ methodCalls }) {
        if (!methodCalls.some((call) => isOf(call, 'update')) || !isOnce()) return;
        // Another device goes on from what the update has made.
        await changeElsewhere((await readElsewhere('Once'))?.id ?? '', { rank: 5 });
      },
    });
    await jmap.sync.settled();
    let id = '';
    const create = me.write((tx) => {
      id = tx.Gadget.create({ title: 'Once' }).object.id;
    });
    const update = me.Gadget.update(id, { rank: 1 });
    expect(await create.result).toMatchObject({ ok: true });
    expect(await update.result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect(isOnce()).toBe(false);
    expect((await readElsewhere('Once'))?.rank).toBe(5);
  });
});

describe('an object that is destroyed before its create has an answer', () => {
  it('is gone', async () => {
    const isFirst = times(1);
    const { jmap, me } = await open({
      judge: (call) =>
        isOf(call, 'create') && isFirst() ? { isMade: true, answer: null } : undefined,
    });
    await jmap.sync.settled();
    let id = '';
    const create = me.write((tx) => {
      id = tx.Gadget.create({ title: 'Gone' }).object.id;
    });
    const destroy = me.Gadget.destroy(id);
    expect(await create.result).toMatchObject({ ok: true });
    expect(await destroy.result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    expect(await readElsewhere('Gone')).toBeUndefined();
    const { rows } = me.Gadget.live().getSnapshot();
    expect(rows.filter(({ title }) => title === 'Gone')).toEqual([]);
  });
});

describe('a write that is sent once more', () => {
  it('overwrites nothing beside what its program has touched', async () => {
    const id = await make({ title: 'Beside it' });
    const [isFirst, isOnce] = [times(1), times(1)];
    const { jmap, me } = await open({
      judge: (call) =>
        isOf(call, 'update') && isFirst() ? refuseAll(call, { type: 'rateLimit' }) : undefined,
      async before({ methodCalls }) {
        // The client hears of it from the answer that refuses its write.
        if (methodCalls.some((call) => isOf(call, 'update')) && isOnce())
          await changeElsewhere(id, { 'meta/note': 'theirs' });
      },
    });
    await jmap.sync.settled();
    const { result } = me.Gadget.update(id, { 'meta/a/b': { c: 1 } });
    expect(await result).toMatchObject({ ok: true });
    await jmap.sync.settled();
    const meta = { a: { b: { c: 1 } }, note: 'theirs' };
    expect((await readElsewhere('Beside it'))?.meta).toEqual(meta);
  });
});
