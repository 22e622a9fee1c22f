import { describe, expect, it } from 'vitest';
import type { Principal } from '../../src/accounts/principal.js';
import type { DataTypeDefinition, PropertyDefinition } from '../../src/capability/definition.js';
import { EventSources } from '../../src/http/event-source.js';
import type { Shared } from '../../src/http/shared.js';
import type { Hub } from '../../src/push/hub/hub.js';
import { Push } from '../../src/push/push.js';
import type { StateChange } from '../../src/store/port.js';

function typeOf(name: string, capability: string): DataTypeDefinition {
  return {
    name,
    capability,
    properties: [] as readonly PropertyDefinition[],
  } as DataTypeDefinition;
}

const TYPE = typeOf('Todo', 'urn:example:todos');
const DEAF = { wake: () => undefined, ended: () => undefined };
const HUB = { publish: () => undefined } as unknown as Hub;

/** Returns a token that reaches so many accounts. */
function principalOf(accounts: number): Principal {
  const access = { capabilities: null, readOnly: false };
  const reached = Array.from({ length: accounts }, (_, n) => [`a${n}`, access] as const);
  const credential = { id: 't' };
  const all = { capabilities: null, types: null };
  return { ...all, credential, userId: 'u', accounts: new Map(reached) } as unknown as Principal;
}

const OTHER = typeOf('Note', 'urn:example:notes');

/**
 * Returns a process's push; `state` is what the database says of every account. `listeners` gets
 * what hears of commits.
 */
function pushOf(
  state: () => number,
  listeners: ((change: StateChange) => void)[] = [],
  types: readonly DataTypeDefinition[] = [TYPE],
): Push {
  return new Push({
    store: {
      onCommit(listener) {
        listeners.push(listener);
        return () => undefined;
      },
      readStates: async (ids) =>
        new Map(ids.map((id) => [id, new Map(types.map(({ name }) => [name, state()]))])),
      read: () => Promise.reject(new Error('No type has access rules.')),
    },
    types: new Map(types.map((type) => [type.name, type])),
    viewRules: { sharedTables: new Map(), hashes: new Map(), judgedWith: new Map() },
    live: { follow: () => () => undefined, lookNow: async () => undefined },
    readEpoch: async () => 'g',
    hub: HUB,
    onError: (error) => {
      throw error;
    },
  });
}

const ADMIN_TYPE = typeOf('AdminUser', 'urn:jmapsmith:admin');

it('a receiver is told of the directory’s types in the directory alone', async () => {
  const directory = { capabilities: new Set([ADMIN_TYPE.capability]), readOnly: false };
  const principal = principalOf(1);
  const accounts = new Map<string, object>([...principal.accounts, ['directory', directory]]);
  const administrator = { ...principal, accounts } as unknown as Principal;
  const tell = async (by: Principal) => {
    const push = pushOf(() => 16, [], [TYPE, ADMIN_TYPE]);
    const request = { kind: 'websocket', principal: by, types: null, lastId: 'lost' } as const;
    const channel = await push.open(request, DEAF);
    const changed: unknown = JSON.parse(channel.take()?.changed ?? '{}');
    push.close();
    return changed;
  };
  expect(await tell(principal)).toEqual({ a0: { Todo: '16' } });
  expect(await tell(administrator)).toEqual({
    ...{ a0: { Todo: '16' }, directory: { AdminUser: '16' } },
  });
});

describe('a receiver that comes to another process', () => {
  it.each([1, 400])('is told no earlier state than before, with %i accounts', async (accounts) => {
    let state = 16;
    const principal = principalOf(accounts);
    const request = { kind: 'websocket', principal, types: null, lastId: null } as const;
    const here = pushOf(() => state);
    // This one knows the states, for another receiver of the token.
    const other = await here.open(request, DEAF);
    state = 17;
    // The other process has heard of the commit, and tells of it.
    const there = pushOf(() => state);
    const { id } = await there.open(request, DEAF);
    const channel = await here.open({ ...request, lastId: id }, DEAF);
    expect(channel.take()).toBe(null);
    expect(channel.id).toBe(id);
    // The others are told of it, too.
    expect(JSON.parse(other.take()?.changed ?? '{}')).toMatchObject({ a0: { Todo: '17' } });
    here.close();
    there.close();
  });

  it('is told no earlier state where the other has pushed more than it stored', async () => {
    let state = 16;
    const principal = principalOf(2);
    const request = { kind: 'subscription', principal, types: null, lastId: '' } as const;
    const here = pushOf(() => state);
    const early = await here.open(request, DEAF);
    const stored = early.id;
    await here.open(request, DEAF);
    state = 18;
    // The other process has pushed 18, and dies before it stores that: the stored states are older.
    const channel = await here.open({ ...request, lastId: stored }, DEAF);
    expect(JSON.parse(channel.take()?.changed ?? '{}')).toEqual({
      a0: { Todo: '18' },
      a1: { Todo: '18' },
    });
    here.close();
  });
});

describe('receivers of one token and the same types', () => {
  it('share one text of each change, and of their event', async () => {
    const listeners: ((change: StateChange) => void)[] = [];
    const push = pushOf(() => 1, listeners);
    const request = { principal: principalOf(3), types: null, lastId: null };
    const kinds = ['eventsource', 'eventsource', 'websocket', 'subscription'] as const;
    const channels = await Promise.all(kinds.map((kind) => push.open({ kind, ...request }, DEAF)));
    // The other names the same types.
    const named = { kind: 'eventsource', ...request, types: new Set(['Todo']) } as const;
    channels.push(await push.open(named, DEAF));
    const sources = new EventSources({} as Shared);
    for (const state of ['2', '3']) {
      for (const listener of listeners) listener({ accountId: 'a1', changed: { Todo: state } });
      const news = channels.map((channel) => channel.take());
      expect(news[0]?.changed).toBe(`{"a1":{"Todo":"${state}"}}`);
      expect(new Set(news).size).toBe(1);
      const events = news.flatMap((each) => (each === null ? [] : [sources.eventOf(each)]));
      expect([events.length, new Set(events).size]).toEqual([5, 1]);
    }
    push.close();
  });
});

describe.each(['eventsource', 'websocket', 'subscription'] as const)(
  'a receiver of the kind %s whose token reaches one type',
  (kind) => {
    const narrowings = [
      { capabilities: new Map([[TYPE.capability, 'read']] as const), types: null },
      { capabilities: null, types: new Map([['Todo', 'read']] as const) },
    ];

    it.each(narrowings)('is told no state of another, nor an id of it: %o', async (narrowing) => {
      const listeners: ((change: StateChange) => void)[] = [];
      const push = pushOf(() => 4, listeners, [TYPE, OTHER]);
      const change = (changed: StateChange['changed']) => {
        for (const listener of listeners) listener({ accountId: 'a0', changed });
      };
      const principal = { ...principalOf(1), ...narrowing };
      const all = { ...principalOf(1), credential: { id: 'all', owner: 'all', signIn: null } };
      const request = { kind, types: null, lastId: '' };
      const narrow = await push.open({ ...request, principal }, DEAF);
      const whole = await push.open({ ...request, principal: all }, DEAF);
      expect(narrow.take()?.changed).toBe('{"a0":{"Todo":"4"}}');
      expect(whole.take()?.changed).toBe('{"a0":{"Todo":"4","Note":"4"}}');

      const { id } = narrow;
      change({ Note: '5' });
      expect(whole.take()?.changed).toBe('{"a0":{"Note":"5"}}');
      expect([narrow.take(), narrow.id]).toEqual([null, id]);
      change({ Note: '6', Todo: '5' });
      expect(narrow.take()?.changed).toBe('{"a0":{"Todo":"5"}}');
      push.close();
    });
  },
);
