import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Dispatcher } from '../../src/methods/dispatch.js';
import { ExplainedCall } from '../../src/methods/explain.js';
import type { RequestEnvelope } from '../../src/protocol/request.js';
import { BLOB, CORE, type Json, type Limits, Rig, TODOS, U1, U2, WIDGETS } from './rig.js';
import { Widget } from './widget.js';

const CALL = { name: 'Gadget/get', args: {}, callId: 'c' };

const EXPLAIN = 'urn:x:explain';
const DAY = 24 * 3_600_000;

let rig: Rig;

beforeEach(() => {
  rig = new Rig(LIMITS);
});
afterEach(() => rig.close());

const LIMITS: Limits = {
  ...{ maxObjectsInGet: 1000, maxObjectsInSet: 1000, queryMaxLimit: 5000, queryChangesMax: 2 },
  ...{ maxSizeUpload: 1000, maxSizeRequest: 1e6, maxSizeResponse: 1e7, requestTimeout: 30_000 },
  changesKeep: DAY,
};

async function explained(
  calls: readonly (readonly [string, object])[],
  using: readonly string[] = [CORE, TODOS, EXPLAIN],
  services = rig.services,
  user = U1,
): Promise<Json> {
  const dispatcher = new Dispatcher(services, LIMITS, () => undefined);
  const methodCalls = calls.map(([name, args], index) => ({
    name,
    args: { accountId: 'a1', ...args },
    callId: `c${index}`,
  }));
  const envelope: RequestEnvelope = {
    using: new Set(using),
    methodCalls,
    createdIds: null,
    explain: using.includes(EXPLAIN),
  };
  return (await dispatcher.handle(envelope, user)).explain;
}

async function reason(name: string, args: object): Promise<unknown> {
  const [{ error }] = await explained([[name, args]]);
  expect(error.type).toBe('cannotCalculateChanges');
  return error.reason;
}

describe('why changes can’t be calculated', () => {
  it('the state is older than CHANGES_KEEP, though its records are still there', async () => {
    rig.time = DAY;
    await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    rig.time = 3 * DAY;
    expect(await reason('Todo/changes', { sinceState: '1' })).toEqual({
      ...{ code: 'tooOld', since: 1, current: 2 },
      ...{ kept: DAY / 1000, age: (2 * DAY) / 1000 },
    });
  });

  it('its records have been removed', async () => {
    await rig.create('Todo', [{ text: 'a' }, { text: 'b' }]);
    rig.run('DELETE FROM "JmapChange"');
    expect(await reason('Todo/changes', { sinceState: '1' })).toEqual({
      ...{ code: 'removed', since: 1, current: 2, kept: DAY / 1000 },
    });
  });

  it('the state is older than a raise of the counters', async () => {
    await rig.create('Todo', [{ text: 'a' }]);
    rig.run('UPDATE "JmapState" SET "number" = "number" + 1000000000');
    expect(await reason('Todo/changes', { sinceState: '0' })).toEqual({
      ...{ code: 'beforeRestore', since: 0, current: 1_000_000_001 },
    });
  });

  it('the type of a query has no /queryChanges', async () => {
    const [able] = await explained([['Todo/query', {}]]);
    expect(able).not.toHaveProperty('canCalculateChanges');
    const { registry } = rig.services;
    const methods = new Map(registry.methods);
    methods.delete('Todo/queryChanges');
    const services = { ...rig.services, registry: { ...registry, methods } };
    const [told] = await explained([['Todo/query', {}]], [CORE, TODOS, EXPLAIN], services);
    expect(told).toMatchObject({ canCalculateChanges: { reason: { code: 'noQueryChanges' } } });
  });

  it('more objects have changed than QUERY_CHANGES_MAX', async () => {
    const { queryState } = await rig.call('Todo/query');
    await rig.create('Todo', [{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    expect(await reason('Todo/queryChanges', { sinceQueryState: queryState })).toEqual({
      ...{ code: 'tooManyChanged', since: 0, current: 3, maximum: 2 },
    });
  });
});

describe('a request that doesn’t ask', () => {
  it('has no member, and asks for no plan', async () => {
    await rig.create('Todo', [{ text: 'a' }]);
    let plans = 0;
    const { plans: real } = rig.services.store;
    Object.assign(rig.services.store, {
      plans: (...args: Parameters<NonNullable<typeof real>>) => {
        plans += 1;
        return real?.apply(rig.services.store, args);
      },
    });
    expect(await explained([['Todo/get', { ids: null }]], [CORE, TODOS])).toBeUndefined();
    expect(plans).toBe(0);
    expect(await explained([['Todo/get', { ids: null }]])).toHaveLength(1);
    expect(plans).toBe(1);
  });

  it('runs the same statements as a request that asks', async () => {
    const [id = ''] = await rig.create('Todo', [{ text: 'a' }]);
    const calls = [
      ['Todo/get', { ids: [id] }],
      ['Todo/query', { filter: { text: 'a' } }],
      ['Todo/set', { update: { [id]: { done: true } } }],
      ['Todo/changes', { sinceState: '0' }],
    ] as const;
    const ran = async (using: readonly string[]): Promise<readonly string[]> => {
      const before = rig.statements.length;
      await explained(calls, using);
      return rig.statements.slice(before);
    };
    const undo = (): Promise<unknown> =>
      rig.call('Todo/set', { update: { [id]: { done: false } } });
    // The store learns from the first query what the account holds.
    await ran([CORE, TODOS]);
    await undo();
    const plain = await ran([CORE, TODOS]);
    await undo();
    expect(await ran([CORE, TODOS, EXPLAIN])).toEqual(plain);
  });
});

it('RFC 8620 6.1: another’s unreferenced blob looks like a missing one', async () => {
  const hidden = await rig.upload('of u1');
  const sources = (id: string) => ({ k: { data: [{ blobId: id }] } });
  const answersAbout = async (id: string, user = U2): Promise<Json> => {
    const calls = [
      ['Blob/get', { ids: [id] }],
      ['Blob/lookup', { typeNames: ['Widget'], ids: [id] }],
      ['Blob/upload', { create: sources(id) }],
      ['Blob/copy', { fromAccountId: 'a1', accountId: 'ax', blobIds: [id] }],
      ['Widget/set', { create: { k: { title: 'w', blobId: id } } }],
    ] as const;
    const using = [CORE, BLOB, WIDGETS, EXPLAIN];
    const all = await explained(calls, using, rig.services, user);
    return all.map(({ name, statements, error }: Json) => [
      name,
      error,
      statements.map(({ milliseconds: _, ...rest }: Json) => rest),
    ]);
  };
  const mine = await answersAbout(hidden, U1);
  const absent = await answersAbout('b00000000000000000000000000');
  expect(absent.map(([name, error]: Json) => [name, error])).toEqual([
    ['Blob/get', undefined],
    ['Blob/lookup', undefined],
    ['Blob/upload', undefined],
    ['Blob/copy', undefined],
    ['Widget/set', undefined],
  ]);
  expect(mine[0][2]).toMatchObject([{ rows: 1 }]);
  const unseen = await rig.upload('of u1, too');
  expect(await answersAbout(unseen)).toEqual(absent);
});

it('many statements, and long ones, are shown up to a bound', async () => {
  const condition = { text: 'abc' };
  const filter = { operator: 'OR', conditions: Array.from({ length: 300 }, () => condition) };
  const [{ statements }] = await explained([['Todo/query', { filter }]]);
  expect(statements[0].sql).toHaveLength(10_001);
  expect(statements[0].plan).not.toBeNull();
  for (const [count, last] of [
    [500, 'SCAN 500'],
    [501, '…'],
  ] as const) {
    const steps = Array.from({ length: count }, (_, index) => `SCAN ${index + 1}`);
    Object.assign(rig.services.store, { plans: async () => [{ steps, indexes: [] }] });
    const [{ statements: told }] = await explained([['Todo/get', { ids: [] }]]);
    expect([told[0].plan.length, told[0].plan.at(-1)]).toEqual([count, last]);
  }
});

it('long parameters are not kept, and have no plan', async () => {
  const text = 'x'.repeat(500);
  const ids = await rig.create(
    'Todo',
    Array.from({ length: 95 }, () => ({ text })),
  );
  const update = Object.fromEntries(ids.map((id) => [id, { done: true }]));
  const [{ statements }] = await explained([['Todo/set', { update }]]);
  expect(statements.every(({ plan }: Json) => plan !== null)).toBe(true);
  const trace = new ExplainedCall(CALL);
  const long = 'x'.repeat(100_000);
  for (const sql of ['SELECT 1', 'SELECT 2', 'SELECT 3', 'SELECT 4'])
    trace.noteStatement({ sql, parameters: [sql === 'SELECT 4' ? 1 : long], inThread: false })(
      null,
    );
  expect(trace.statements.map(({ first }) => first !== null)).toEqual([true, true, false, true]);
});

it('statements that are under way together count as one time', () => {
  const trace = new ExplainedCall(CALL);
  const statement = { sql: 'SELECT 1', parameters: [], inThread: false };
  const first = trace.noteStatement(statement);
  const second = trace.noteStatement(statement);
  const end = performance.now() + 5;
  while (performance.now() < end);
  first(1);
  second(null);
  const [asked] = trace.statements;
  expect(asked).toMatchObject({ count: 2, failed: 1, rows: 1 });
  expect(asked?.time).toBeGreaterThan(trace.times.database * 1.5);
});

describe('plans', () => {
  it('are asked for as reads of each call’s account, with one deadline for all', async () => {
    type Asked = Parameters<NonNullable<typeof rig.services.store.plans>>;
    const asked: Asked[] = [];
    const plans = async (...args: Asked): Promise<readonly null[]> => {
      asked.push(args);
      return args[2].map(() => null);
    };
    Object.assign(rig.services.store, { plans });
    const before = performance.now();
    await explained([
      ['Todo/get', { ids: null }],
      ['Todo/query', { accountId: 'a2' }],
      ['Core/echo', {}],
      ['Todo/get', { accountId: 'nobody' }],
    ]);
    // Those without an account are the user's.
    expect(asked.map(([accountId]) => accountId)).toEqual(['a1', 'a2', 'u1', 'u1']);
    const hasAny = asked.map(([, , statements]) => statements.length > 0);
    expect(hasAny).toEqual([true, true, false, false]);
    const [deadline = 0, ...others] = new Set(asked.map(([, each]) => each));
    expect(others).toEqual([]);
    expect(deadline).toBeGreaterThan(before + LIMITS.requestTimeout);
  });

  it('leave turns to others while many long statements are planned', async () => {
    const columns = Array.from({ length: 900 }, (_, i) => `"text" = 'a${i}' AND "done" = ${i}`);
    const sql = `SELECT ${columns.join(', ')} FROM "Todo"`;
    const statement = { sql, parameters: [], inThread: false };
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const six = Array.from({ length: 6 }, () => statement);
    const plans = await rig.services.store.plans('a1', performance.now() + 20_000, six);
    clearImmediate(timer);
    expect(plans?.at(-1)?.steps).toHaveLength(1);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('an explanation for a user who sees a part of the objects', () => {
  it('has no statements, whose rows would tell of the others, and no counters', async () => {
    const access = [{ who: { kind: 'property', property: 'tags' }, read: true }] as const;
    const own = new Rig(LIMITS, { widget: { ...Widget, access } });
    await own.create('Widget', [{ title: 'hidden' }]);
    const ask = (name: string, args: object, user = U2) =>
      explained([[name, args]], [CORE, WIDGETS, EXPLAIN], own.services, user);
    const [query] = await ask('Widget/query', {});
    expect(query).toMatchObject({ name: 'Widget/query', statements: [] });
    const { state } = await own.call('Widget/get', { ids: [] }, { user: U2 });
    const [changes] = await ask('Widget/changes', { sinceState: state.replace('0-', '5-') });
    expect(changes).toMatchObject({ statements: [] });
    expect(changes.error.reason).toEqual({ code: 'ahead' });
    const [owner] = await ask('Widget/query', {}, U1);
    expect(owner.statements).not.toEqual([]);
    await own.close();
  });
});
