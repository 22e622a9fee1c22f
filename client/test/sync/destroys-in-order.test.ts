import { describe, expect, it } from 'vitest';
import { TransportError } from '../../src/call/errors.js';
import { coalesce } from '../../src/store/log.js';
import type { PendingWrite } from '../../src/store/write.js';
import type { Invocation } from '../../src/transport/transport.js';
import { makeTable, openAccount, ToyServer } from '../support/toy-server.js';

// Destroys behind writes that take references to their objects away.

const REFERENCE = { kind: 'string', isNullable: true, default: null } as const;
const TABLES = ['Thing', 'Other'].map((name) => ({
  ...makeTable(name),
  properties: { text: REFERENCE, ref: { ...REFERENCE, references: [{ type: 'Other' }] } },
}));

function update(key: string, id: string, more: object = {}): PendingWrite {
  const write = { ids: [id], type: 'Thing', key, kind: 'update', sentAs: null } as const;
  return { ...write, patch: { text: id }, unchanged: null, ...more };
}

const free = (more: object = {}) => update('Thing2', 'free', { patch: { ref: null }, ...more });

const destroy = (type: string, key: string, id: string): PendingWrite => ({
  ...{ ids: [id], type, key, kind: 'destroy', sentAs: null },
});

const GONE = destroy('Other', 'Other2', 'gone');

/** Opens an account of three things and three others. */
async function open() {
  const server = new ToyServer();
  for (const type of ['Thing', 'Other'])
    for (const n of [1, 2, 3])
      server.objects.set(`${type}${n}`, { id: `${type}${n}`, type, text: 'x', ref: null });
  const sets: Invocation[] = [];
  server.answer = (call) => {
    const [name, args, id] = call;
    if (!name.endsWith('/set')) return undefined;
    if ((args['ifInState'] ?? server.state) !== server.state)
      return [['error', { type: 'stateMismatch' }, id]];
    sets.push(call);
    const updated = Object.keys((args['update'] ?? {}) as object).map((one) => [one, null]);
    const created = Object.keys((args['create'] ?? {}) as object).map((one) => [
      one,
      { id: 'new' },
    ]);
    const answer = { updated: Object.fromEntries(updated), created: Object.fromEntries(created) };
    return [[name, { ...answer, destroyed: args['destroy'] ?? [] }, id]];
  };
  const held = new Set<string>();
  const isHeld = ({ ids }: PendingWrite) => held.has(ids[0] ?? '');
  const account = await openAccount(server, TABLES, { isHeld });
  const { store, sync } = account;
  await sync.settle();
  return {
    ...{ ...account, server, held },
    add(...writes: readonly PendingWrite[]) {
      void store.commit({ log: [...store.replica.log, ...writes] });
      sync.want();
    },
    /** Returns whether the reference was taken away in a call before the one that destroys. */
    isInOrder(): boolean {
      const freed = sets.findIndex(([, args]) => JSON.stringify(args).includes('"ref":null'));
      const gone = sets.findIndex(([, args]) => JSON.stringify(args).includes('"destroy"'));
      return freed >= 0 && freed < gone;
    },
  };
}

describe('a destroy behind a write that waits', () => {
  it('holds up no other write, and no end', async () => {
    const { sync, held, add, goOn, isMade, failures, server } = await open();
    held.add('file');
    add(update('Thing1', 'file'), GONE);
    await sync.settle();
    expect(failures.at(-1)).toBeNull();
    const { length } = server.requests;
    add(update('Thing3', 'later'));
    expect(await goOn(10, () => isMade('later'))).toBe(true);
    expect(server.requests.length - length).toBeLessThanOrEqual(3);
    held.clear();
    sync.want();
    expect(await goOn(10, () => isMade('gone'))).toBe(true);
    await sync.close();
  });

  it.each<readonly [string, readonly PendingWrite[]]>([
    ['a checked one', [update('Thing1', 'first'), free({ unchanged: {} })]],
    [
      'one of a group',
      [update('Thing1', 'first'), free({ group: 'g' }), update('Thing1', 'again')],
    ],
    ['one of an object that is written twice', [update('Thing2', 'first'), free()]],
  ])('is made behind it: %s', async (_, writes) => {
    const { sync, add, goOn, isMade, isInOrder } = await open();
    add(...writes, GONE);
    expect(await goOn(30, () => isMade('free') && isMade('gone'))).toBe(true);
    expect(isInOrder()).toBe(true);
    await sync.close();
  });

  it('is made behind it, where a call of its type was lost', async () => {
    const { server, sync, add, goOn, isMade, isInOrder } = await open();
    server.before = () => {
      throw new TransportError('The answer is lost.');
    };
    add(update('Thing1', 'first'));
    await goOn(2);
    add(free(), GONE);
    server.before = () => undefined;
    expect(await goOn(30, () => isMade('free') && isMade('gone'))).toBe(true);
    expect(isInOrder()).toBe(true);
    await sync.close();
  });

  it('is made behind it, where it names a new object in a text', async () => {
    const { sync, add, goOn, isMade, isInOrder } = await open();
    const key = '~0b1c2d3e-0b1c-4b1c-8b1c-0b1c2d3e4f50';
    const create: PendingWrite = {
      ...{ ids: ['new'], type: 'Thing', key, kind: 'create', sentAs: null },
      values: { text: 'n' },
    };
    add(create, free({ patch: { ref: null, text: key } }), GONE);
    expect(await goOn(30, () => isMade('free') && isMade('gone'))).toBe(true);
    expect(isInOrder()).toBe(true);
    await sync.close();
  });

  it('is made behind a checked one, though somebody has changed the type', async () => {
    const { server, sync, add, goOn, isMade, isInOrder } = await open();
    server.change();
    add(free({ unchanged: {} }), GONE);
    expect(await goOn(30, () => isMade('free') && isMade('gone'))).toBe(true);
    expect(isInOrder()).toBe(true);
    await sync.close();
  });
});

it('a write that frees a destroyed object stays, though its own object is destroyed next', () => {
  const log = [free(), GONE, destroy('Thing', 'Thing2', 'gone too')];
  const ids = coalesce(log, () => () => null).map((write) => write.ids.join());
  expect(ids).toEqual(['free', 'gone', 'gone too']);
});
