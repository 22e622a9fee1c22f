import { describe, expect, it } from 'vitest';
import type { AccountAccess, Principal } from '../../src/accounts/principal.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { type ChangedStates, Feed } from '../../src/push/feed.js';
import type { StateChange } from '../../src/store/port.js';

function setUp() {
  const listeners = new Set<(change: StateChange) => void>();
  const store = {
    onCommit(listener: (change: StateChange) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const types = new Map(
    [
      ['Todo', 'urn:todos'],
      ['Note', 'urn:notes'],
    ].map(([name = '', capability = '']) => [name, { name, capability } as DataTypeDefinition]),
  );
  const commit = (accountId: string, changed: Record<string, string>): void => {
    for (const listener of listeners) listener({ accountId, changed });
  };
  return { feed: new Feed(store, types), commit, listeners };
}

function reaching(...accounts: (string | [string, ReadonlySet<string>])[]): Principal {
  const entries = accounts.map((entry): [string, AccountAccess] => {
    const [id, capabilities] = typeof entry === 'string' ? [entry, null] : entry;
    return [id, { id, name: id, isPersonal: true, isReadOnly: false, capabilities }];
  });
  return { userId: 'u', username: 'u', tokenId: 't', expires: null, accounts: new Map(entries) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function toObject(states: ChangedStates | null): unknown {
  if (states === null) return null;
  return Object.fromEntries([...states].map(([id, types]) => [id, Object.fromEntries(types)]));
}

describe('RFC 8620 7.1: the change feed', () => {
  it('wakes once a turn and keeps the newest state of each type', async () => {
    const { feed, commit } = setUp();
    let woken = 0;
    const wake = (): void => {
      woken += 1;
    };
    const subscription = feed.subscribe(reaching('A', 'B'), null, wake);
    commit('A', { Todo: '1' });
    commit('A', { Todo: '2', Note: '1' });
    commit('B', { Todo: '9' });
    commit('C', { Todo: '5' });
    expect(woken).toBe(0);
    await turn();
    expect(woken).toBe(1);
    expect(toObject(subscription.collect())).toEqual({
      A: { Todo: '2', Note: '1' },
      B: { Todo: '9' },
    });
    expect(subscription.collect()).toBe(null);
    await turn();
    expect(woken).toBe(1);
  });

  it('keeps uncollected states, and wakes again with the next commit', async () => {
    const { feed, commit } = setUp();
    let woken = 0;
    const wake = (): void => {
      woken += 1;
    };
    const subscription = feed.subscribe(reaching('A'), null, wake);
    commit('A', { Todo: '1' });
    await turn();
    commit('A', { Note: '1' });
    await turn();
    expect(woken).toBe(2);
    expect(toObject(subscription.collect())).toEqual({ A: { Todo: '1', Note: '1' } });
  });

  it('says nothing of other types, unknown types, and types that an account lacks', async () => {
    const { feed, commit } = setUp();
    let woken = 0;
    const principal = reaching('A', ['B', new Set(['urn:notes'])]);
    const subscription = feed.subscribe(principal, new Set(['Todo']), () => {
      woken += 1;
    });
    commit('A', { Note: '1', Unknown: '1' });
    commit('B', { Todo: '1' });
    await turn();
    expect([woken, subscription.collect()]).toEqual([0, null]);
  });

  it('drops the waiting states of an account that goes', async () => {
    const { feed, commit } = setUp();
    let woken = 0;
    const wake = (): void => {
      woken += 1;
    };
    const subscription = feed.subscribe(reaching('A', 'B'), null, wake);
    commit('A', { Todo: '1' });
    subscription.setPrincipal(reaching('B', 'C'));
    commit('A', { Todo: '2' });
    await turn();
    expect(woken).toBe(0);
    commit('C', { Todo: '3' });
    await turn();
    expect(toObject(subscription.collect())).toEqual({ C: { Todo: '3' } });
  });

  it('is silent after its end and forgets the subscription', async () => {
    const { feed, commit, listeners } = setUp();
    let woken = 0;
    const wake = (): void => {
      woken += 1;
    };
    const subscription = feed.subscribe(reaching('A'), null, wake);
    commit('A', { Todo: '1' });
    subscription.end();
    commit('A', { Todo: '2' });
    await turn();
    expect([woken, subscription.collect()]).toEqual([0, null]);
    feed.close();
    expect(listeners.size).toBe(0);
  });
});
