import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import type { TypeTable } from '../../src/index.js';
import { memory } from '../../src/persist/memory.js';
import { AccountStore } from '../../src/store/account-store.js';
import { Replica } from '../../src/store/replica.js';
import { StoreWriter } from '../../src/store/store-writer.js';
import type { PendingWrite } from '../../src/store/write.js';
import { Draft } from '../../src/sync/draft.js';
import { FetchQueue } from '../../src/sync/fetch-queue.js';
import { planFlush } from '../../src/sync/flush.js';
import { OpenCalls } from '../../src/sync/open-calls.js';
import { readFlush } from '../../src/sync/outcomes.js';
import { type Pull, readPull } from '../../src/sync/pull.js';
import { findLost, type Lost, LostCalls, readCreated, recover } from '../../src/sync/recovery.js';
import type { SyncOptions } from '../../src/sync/sync-options.js';
import type { Response } from '../../src/transport/transport.js';
import { LIMITS } from '../support/toy-server.js';

// Calls that come again, and objects that a copy has before /changes has told of them.

const todo: TypeTable = {
  name: 'Todo',
  capability: 'urn:test',
  hash: '',
  methods: ['get', 'changes', 'set'],
  properties: {
    text: { kind: 'string' },
    pin: { kind: 'string', access: 'secret' },
    tags: { kind: 'json', default: {} },
    parentId: { kind: 'string', default: null, references: [{ type: 'Todo' }] },
  },
  filters: {},
  sorts: {},
};

const FIRST = '~00000000-0000-4000-8000-000000000001';
const SECOND = '~00000000-0000-4000-8000-000000000002';

function create(key: string, values: object, sentAs: string | null = 'k'): PendingWrite {
  const common = { ids: [key], type: 'Todo', key, sentAs, kind: 'create' } as const;
  return {
    ...common,
    values: JSON.parse(JSON.stringify(values)) as Readonly<Record<string, string>>,
  };
}

function update(key: string, patch: Readonly<Record<string, boolean>>): PendingWrite {
  return {
    ...{ ids: [JSON.stringify(patch)], type: 'Todo', key, sentAs: null, kind: 'update' },
    ...{ patch, unchanged: null },
  };
}

function makeReplica(log: readonly PendingWrite[]): Replica {
  const replica = new Replica([todo]);
  replica.apply({ log });
  return replica;
}

const objectsOf = (...objects: readonly { readonly id: string }[]) =>
  new Map([['Todo', new Map(objects.map((object) => [object.id, object]))]]);

describe('an update of an object that is being created', () => {
  const limits = { maxCalls: 9, maxObjectsInSet: 9, maxOctets: 1e6 };

  it('leaves the members alone that it does not set', () => {
    const log = [create(FIRST, { text: 'a' }), update(FIRST, { 'tags/red': true })];
    const [, planned] = planFlush(makeReplica(log), limits);
    expect(planned).toMatchObject({ patch: { 'tags/red': true } });
  });

  it('leaves them alone where the client does not have the object', () => {
    const [planned] = planFlush(makeReplica([update('unknown', { 'tags/red': true })]), limits);
    expect(planned).toMatchObject({ patch: { 'tags/red': true } });
  });
});

describe('writes that were made together', () => {
  it('go before a call that was sent and comes behind them', () => {
    const group = 'g';
    const pair = [create(FIRST, { text: 'a' }, null), update(FIRST, { 'tags/red': true })];
    const log = [...pair.map((write) => ({ ...write, group })), create(SECOND, { text: 'b' })];
    const limits = { maxCalls: 2, maxObjectsInSet: 9, maxOctets: 1e6 };
    const planned = planFlush(makeReplica(log), limits);
    expect(planned.every(({ sentAs }) => sentAs !== null)).toBe(true);
    expect(planned.at(-1)).toBe(log.at(-1));
    const behind = [...log.slice(2), ...log.slice(0, 2)];
    expect(planFlush(makeReplica(behind), limits)).toEqual(behind);
  });
});

describe('an object of a create', () => {
  const pull: Pull = {
    ...{ type: 'Todo', since: '1', accountId: 'A', maxChanges: 9 },
    ...{ isKnown: null, isBrief: true, stale: null },
  };
  const read = (created: readonly string[], hasMoreChanges = false) => {
    const args = {
      newState: '2',
      hasMoreChanges,
      created: [...created],
      updated: [],
      destroyed: [],
    };
    const methodResponses = [['Todo/changes', args, 'Todo.changes']] as const;
    return readPull(pull, new Set(['a']), { methodResponses, sessionState: '1' });
  };

  it('is early until the state moves where /changes tells of it', () => {
    expect(read(['a'])).toMatchObject({ early: ['a'], cursor: '1', stale: { told: ['a'] } });
    const stale = { ids: ['b'], cursor: '2', isWhole: true, told: ['a'] };
    const args = { state: '2', list: [{ id: 'b' }], notFound: [] };
    const methodResponses = [['Todo/get', args, 'Todo.stale']] as const;
    const later = readPull({ ...pull, stale }, new Set(['a']), {
      methodResponses,
      sessionState: '1',
    });
    expect(later).toMatchObject({ early: [], cursor: '2', stale: null });
  });

  it('is early until the last of the changed objects are there', () => {
    const readStale = (ids: readonly string[], told: readonly string[], state: string) => {
      const stale = { ids, cursor: '2', isWhole: true, told };
      const list = [{ id: ids[0] ?? '' }];
      const methodResponses = [['Todo/get', { state, list, notFound: [] }, 'Todo.stale']] as const;
      const answer = { methodResponses, sessionState: '1' };
      return readPull({ ...pull, stale, maxChanges: 1 }, new Set(['a']), answer);
    };
    const first = readStale(['a', 'b'], [], '2');
    expect(first).toMatchObject({ early: ['a'], cursor: '1', stale: { ids: ['b'], told: ['a'] } });
    expect(readStale(['b'], ['a'], '2')).toMatchObject({ early: [], cursor: '2', stale: null });
    // The next changes tell what has been since.
    expect(readStale(['a'], [], '3')).toMatchObject({ early: [], cursor: '2', isWhole: false });
  });

  it('is asked for again where all changes are there without it', () => {
    expect(read([])).toMatchObject({
      early: ['a'],
      cursor: '1',
      stale: { ids: ['a'], cursor: '2' },
    });
    const stale = { ids: ['a'], cursor: '2', isWhole: true, told: [] };
    const args = { state: '2', list: [], notFound: ['a'] };
    const methodResponses = [['Todo/get', args, 'Todo.stale']] as const;
    const later = readPull({ ...pull, stale }, new Set(['a']), {
      methodResponses,
      sessionState: '1',
    });
    expect(later).toMatchObject({ early: [], cursor: '2', objects: new Map([['a', null]]) });
  });

  it('stays early until all changes are there', () => {
    expect(read([], true)).toMatchObject({ early: ['a'], cursor: '2', stale: null });
  });

  it('is not made older by an answer that comes again', () => {
    const replica = makeReplica([create(FIRST, { text: 'old' })]);
    replica.apply({ objects: objectsOf({ id: 'a', text: 'new' } as { readonly id: string }) });
    const [write] = replica.log;
    const call = { onceKey: 'k', type: 'Todo', writes: write === undefined ? [] : [write] };
    const args = { created: { [FIRST.slice(1)]: { id: 'a' } } };
    const { change } = readFlush(replica, [{ call, answer: { isError: false, args } }]);
    replica.apply(change);
    expect(replica.row('Todo', 'a')).toMatchObject({ text: 'new', $key: FIRST });
  });

  it('is early in the store, too, which has a row of its type from then on', async () => {
    const open = await memory().open('x');
    const writer = new StoreWriter(open, await open.fence(), () => undefined);
    const options = {
      ...{ accountId: 'A', tables: [todo], writer, versionOf: () => '1' },
      announce: () => undefined,
    };
    const store = new AccountStore(options);
    await store.commit({ objects: objectsOf({ id: 'a' }) });
    expect(await open.load('types')).toHaveLength(1);
    await store.commit({ early: new Map([['Todo', new Set(['a'])]]) });
    const later = new AccountStore(options);
    await later.read(open);
    expect(later.replica.early('Todo')).toEqual(new Set(['a']));
  });
});

describe('a lost call', () => {
  const log = [create(FIRST, { text: 'a' }), create(SECOND, { text: 'b', parentId: FIRST })];
  const lost = { sentAs: 'k', type: 'Todo', created: ['x', 'y'], state: '2', hasMore: false };
  const x = { id: 'x', text: 'a' };
  const y = { id: 'y', text: 'b', parentId: 'x' };

  it('has made objects that name each other', () => {
    const objects = new Map([x, y].map((object) => [object.id, object]));
    const { change } = recover(lost, makeReplica(log), { objects, isWhole: true });
    expect(change).toEqual({
      aliases: new Map([
        [FIRST, { type: 'Todo', id: 'x' }],
        [SECOND, { type: 'Todo', id: 'y' }],
      ]),
      log: [],
    });
  });

  it('has made an object whose secrets the server does not tell', () => {
    const replica = makeReplica([create(FIRST, { text: 'a', pin: '1234' })]);
    const { change } = recover(lost, replica, { objects: new Map([['x', x]]), isWhole: true });
    expect(change).toEqual({ aliases: new Map([[FIRST, { type: 'Todo', id: 'x' }]]), log: [] });
  });

  it('leaves the writes of other calls as they were sent', () => {
    const other = create(SECOND, { text: 'a' }, 'other');
    const replica = makeReplica([other, create(FIRST, { text: 'b' })]);
    const { change } = recover(lost, replica, { objects: new Map([['x', x]]), isWhole: true });
    expect(change.log).toEqual([other, { ...create(FIRST, { text: 'b' }), sentAs: null }]);
  });

  it('of many creates looks at each of many objects a few times at most', () => {
    let looks = 0;
    const many = Array.from({ length: 1000 }, (_, n) => {
      const id = `o${n}`;
      const object = {
        ...{ id, parentId: id },
        get text() {
          looks += 1;
          return `t${n}`;
        },
      };
      return [id, object] as const;
    });
    const mine = Array.from({ length: 100 }, (_, n) => {
      const key = FIRST.slice(0, -3) + String(n).padStart(3, '0');
      return create(key, { text: `t${9 * n}`, parentId: key });
    });
    // There is one such object, and another create has it.
    const twin = create(SECOND.replace('0', '1'), { text: 't0' });
    const objects = new Map(many);
    const lostOnes = { ...lost, created: [...objects.keys()] };
    const replica = makeReplica([...mine, twin]);
    const { change } = recover(lostOnes, replica, { objects, isWhole: true });
    expect([...(change.aliases ?? [])].map(([key, { id }]) => [key, id])).toEqual(
      mine.map(({ key }, n) => [key, `o${9 * n}`]),
    );
    expect(change.log).toEqual([{ ...twin, sentAs: null }]);
    expect(looks).toBeLessThan(5 * many.length);
  });

  it('ends in part with the first of several pages', () => {
    const pulled = { objects: new Map([['x', x]]), isWhole: false };
    const { change, hasMoved } = recover(lost, makeReplica(log), pulled);
    expect(hasMoved).toBe(false);
    expect(change.aliases).toEqual(new Map([[FIRST, { type: 'Todo', id: 'x' }]]));
    expect(change.log).toMatchObject([{ key: SECOND, sentAs: 'k' }]);
  });

  it('waits for the changes, unless it was made: then it brings its objects', () => {
    const replica = makeReplica(log);
    const args = { created: ['x', 'y'], newState: '2', hasMoreChanges: false };
    const response: Response = {
      methodResponses: [
        ['Todo/changes', args, 'Todo.since'],
        ['Todo/get', { list: [x, y], state: '2' }, 'Todo.made'],
      ],
      sessionState: '1',
    };
    const read = (onceKey: string) => {
      const options = { accountId: 'A', replica, limits: () => LIMITS };
      const calls = new LostCalls(options, new FetchQueue(replica));
      const found = calls.find({ onceKey, isLast: false });
      const draft = new Draft(replica, {});
      return [found && calls.read(found, response, draft), draft.objects('Todo')];
    };
    const [recovery, objects] = read('k');
    expect(recovery).toMatchObject({ isWhole: true, change: { log: [] } });
    expect(objects).toEqual(new Map(Object.entries({ x, y })));
    expect(read('other')).toEqual([null, new Map()]);
  });

  it('has its type read, though another call of it is open', () => {
    const options = { accountId: 'A', replica: makeReplica(log) } as SyncOptions;
    const calls = new OpenCalls(options, {} as never);
    const response = { methodResponses: [], sessionState: '1' };
    const sent = [create(FIRST, {}), create(SECOND, {}, 'other'), create(SECOND, {}, null)];
    const find = (known: Lost | null) =>
      calls.findTypes({ lost: known, probe: null, earlier: new Set() }, sent, response);
    expect(find(null)).toEqual(new Set(['Todo']));
    expect(find(lost)).toEqual(new Set());
    expect(find({ ...lost, isMade: true })).toEqual(new Set(['Todo']));
  });

  it('is asked for again from where the server has told of it', () => {
    const read = (since: Lost | null, name: string, args: JsonObject) =>
      since &&
      readCreated(since, { methodResponses: [[name, args, 'Todo.since']], sessionState: '1' });
    const begun = findLost(log, null);
    expect(read(begun, 'error', { type: 'serverUnavailable' })).toBeNull();
    const told = { created: ['x'], newState: '2', hasMoreChanges: true };
    const first = read(begun, 'Todo/changes', told);
    expect(first).toMatchObject({ created: ['x'], state: '2', hasMore: true });
    expect(findLost(log, first)).toBe(first);
    expect(read(first, 'Todo/changes', { ...told, created: ['y'] })).toMatchObject({
      ...{ created: ['x', 'y'], hasMore: false },
    });
    const forgotten = read(first, 'error', { type: 'cannotCalculateChanges' });
    expect(forgotten).toMatchObject({ created: ['x'], hasMore: false });
  });
});

describe('a row with a write', () => {
  it('is the same one when the write is sent', () => {
    const log = [create(FIRST, { text: 'a' }, null)];
    const replica = makeReplica(log);
    const before = replica.row('Todo', FIRST);
    replica.apply({ log: log.map((write) => ({ ...write, sentAs: 'k' })) });
    expect(replica.row('Todo', FIRST)).toBe(before);
  });
});
