import { describe, expect, it } from 'vitest';
import type { PendingWrite } from '../../src/store/write.js';
import { findHeld } from '../../src/sync/flush.js';
import type { Invocation } from '../../src/transport/transport.js';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// A destroy waits behind an earlier write that is late and may free what it would take along, or
// that names its object. It holds up nothing else.

const TEXT = { kind: 'string', isNullable: true, default: null } as const;
const TABLES = ['Thing', 'Other'].map((name) => ({
  ...makeTable(name),
  properties: { text: TEXT, ref: { ...TEXT, references: [{ type: 'Other' }] } },
}));

function update(type: string, key: string, id: string, more: object = {}): PendingWrite {
  const write = { ids: [id], type, key, kind: 'update', sentAs: null } as const;
  return { ...write, patch: { text: id }, unchanged: null, ...more };
}
const create = (type: string, id: string, values: object = {}): PendingWrite => ({
  ...{ ids: [id], type, key: `~${crypto.randomUUID()}`, kind: 'create', sentAs: null },
  values: { text: id, ...values },
});
const destroy = (type: string, key: string, id: string): PendingWrite => ({
  ...{ ids: [id], type, key, kind: 'destroy', sentAs: null },
});
const GONE = destroy('Other', 'Other2', 'gone');
const free = () => update('Thing', 'Thing2', 'free', { patch: { ref: null } });

async function open() {
  const server = new ToyServer();
  for (const type of ['Thing', 'Other'])
    for (const n of [1, 2, 3])
      server.objects.set(`${type}${n}`, { id: `${type}${n}`, type, text: 'x', ref: null });
  const sets: Invocation[] = [];
  let failures = { left: 0, error: '' };
  server.answer = (call) => {
    const [name, args, id] = call;
    if (!name.endsWith('/set')) return undefined;
    if (name === 'Thing/set' && failures.left > 0) {
      failures.left -= 1;
      return [['error', { type: failures.error }, id]];
    }
    if ((args['ifInState'] ?? server.state) !== server.state)
      return [['error', { type: 'stateMismatch' }, id]];
    sets.push(call);
    const updated = Object.keys((args['update'] ?? {}) as object).map((one) => [one, null]);
    const created = Object.keys((args['create'] ?? {}) as object).map((one, n) => [
      one,
      { id: `new${sets.length}.${n}` },
    ]);
    const answer = { updated: Object.fromEntries(updated), created: Object.fromEntries(created) };
    return [[name, { ...answer, destroyed: args['destroy'] ?? [] }, id]];
  };
  const held = new Set<string>();
  const isHeld = ({ ids }: PendingWrite) => held.has(ids[0] ?? '');
  const account = await openAccount(server, TABLES, { isHeld });
  const { store, sync } = account;
  await sync.settle();
  const place = (text: string) => sets.findIndex(([, args]) => JSON.stringify(args).includes(text));
  return {
    ...{ ...account, server, held, place },
    /** The next calls that write things fail. */
    failAtThings(left: number, error = 'serverUnavailable') {
      failures = { left, error };
    },
    add(...writes: readonly PendingWrite[]) {
      void store.commit({ log: [...store.replica.log, ...writes] });
      sync.want();
    },
  };
}

describe('a destroy of what an earlier write names', () => {
  it('comes behind a new object that waits for its file', async () => {
    const { sync, add, goOn, isMade, place, held } = await open();
    held.add('photo');
    add(create('Thing', 'photo', { ref: 'Other2' }), GONE);
    await goOn(5);
    held.clear();
    sync.want();
    expect(await goOn(30, () => isMade('photo') && isMade('gone'))).toBe(true);
    expect(place('photo')).toBeLessThan(place('"destroy"'));
    await sync.close();
  });

  it('comes behind a new object whose call comes again', async () => {
    const { sync, add, goOn, isMade, place, failAtThings } = await open();
    failAtThings(4);
    add(create('Thing', 'photo', { ref: 'Other2' }));
    await goOn(2);
    add(GONE);
    expect(await goOn(30, () => isMade('photo') && isMade('gone'))).toBe(true);
    expect(place('photo')).toBeLessThan(place('"destroy"'));
    await sync.close();
  });

  it('comes behind an update that frees it, and whose call comes again', async () => {
    const { sync, add, goOn, isMade, place, failAtThings } = await open();
    failAtThings(4);
    add(free());
    await goOn(2);
    add(GONE);
    expect(await goOn(30, () => isMade('free') && isMade('gone'))).toBe(true);
    expect(place('"ref":null')).toBeLessThan(place('"destroy"'));
    await sync.close();
  });
});

describe('a destroy of a new object', () => {
  it('frees what the object refers to, where the server has it', async () => {
    const { sync, add, goOn, isMade, held } = await open();
    held.add('photo');
    const list = create('Other', 'list', { ref: 'Other2' });
    const gone = { ...GONE, key: list.key, ids: ['list gone'] };
    add(list, create('Thing', 'photo', { ref: list.key }), gone, GONE);
    await goOn(5);
    expect([isMade('list'), isMade('list gone'), isMade('gone')]).toEqual([true, false, false]);
    held.clear();
    sync.want();
    expect(await goOn(30, () => isMade('list gone') && isMade('gone'))).toBe(true);
    await sync.close();
  });

  it('waits for no file that has nothing to do with it', async () => {
    const { sync, add, goOn, isMade, held } = await open();
    held.add('photo');
    const list = { ...create('Other', 'list'), group: 'g' };
    const gone = { ...GONE, key: list.key, ids: ['list gone'], group: 'g' };
    const file = `~${crypto.randomUUID()}`;
    add(create('Thing', 'photo', { text: file }), list, gone);
    expect(await goOn(30, () => isMade('list gone'))).toBe(true);
    await sync.close();
  });
});

describe('the writes of groups that wait for each other', () => {
  it('are looked at few times each', async () => {
    const { sync, store } = await open();
    const first = create('Thing', 'first');
    const log = [first];
    for (let count = 0; count < 300; count += 1) {
      const last = log.findLast(({ kind }) => kind === 'create') as PendingWrite;
      const group = `g${count}`;
      const next = { ...create('Thing', `next ${count}`), group };
      const patch = { ref: next.key };
      log.push(next, { ...update('Thing', last.key, `link ${count}`, { patch }), group });
    }
    store.replica.apply({ log });
    let looks = 0;
    const held = findHeld(store.replica, (write) => {
      looks += 1;
      return write === first;
    });
    expect(held.size).toBe(log.length);
    expect(looks).toBeLessThan(3 * log.length);
    await sync.close();
  });
});

describe('writes behind a destroy that waits', () => {
  it('are made, though it waits for ever: a type always fails', async () => {
    const { sync, add, goOn, isMade, failAtThings } = await open();
    failAtThings(Number.POSITIVE_INFINITY);
    add(free());
    await goOn(3);
    add(GONE, create('Other', 'new'), update('Other', 'Other1', 'other'));
    expect(await goOn(80, () => isMade('new') && isMade('other'))).toBe(true);
    expect(isMade('gone')).toBe(false);
    failAtThings(0);
    expect(await goOn(80, () => isMade('free') && isMade('gone'))).toBe(true);
    await sync.close();
  });

  it('are made, though the store that has it is lost', async () => {
    const { sync, add, goOn, isMade, held } = await open();
    held.add('gone');
    add(GONE, create('Other', 'new'), update('Other', 'Other1', 'other'));
    expect(await goOn(20, () => isMade('new') && isMade('other'))).toBe(true);
    await sync.close();
  });

  it('are made with it where they are in its group', async () => {
    const { sync, add, goOn, isMade, held } = await open();
    held.add('file');
    add(
      update('Thing', 'Thing1', 'file'),
      { ...free(), group: 'g' },
      { ...GONE, group: 'g' },
      { ...create('Other', 'c'), group: 'g' },
      update('Other', 'Other1', 'last'),
    );
    await goOn(5);
    held.clear();
    sync.want();
    expect(await goOn(30, () => isMade('c') && isMade('gone') && isMade('last'))).toBe(true);
    await sync.close();
  });
});

describe('a destroy behind a write that can free nothing', () => {
  it('is made, though the new object waits for its file', async () => {
    const { sync, add, goOn, isMade, held } = await open();
    held.add('file');
    add(create('Thing', 'file'), GONE);
    expect(await goOn(10, () => isMade('gone'))).toBe(true);
    await sync.close();
  });

  it.each(['serverFail', 'serverUnavailable'])(
    'is made, though the server fails at another type: %s',
    async (error) => {
      const { sync, add, goOn, isMade, failAtThings } = await open();
      failAtThings(Number.POSITIVE_INFINITY, error);
      add(update('Thing', 'Thing1', 'first'));
      await goOn(3);
      add(update('Thing', 'Thing3', 'second'));
      await goOn(3);
      add(update('Other', 'Other1', 'other'), GONE);
      await goOn(60, () => isMade('gone'));
      expect([isMade('other'), isMade('gone')]).toEqual([true, true]);
      await sync.close();
    },
  );
});
