import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { slowClock } from '../support/slow-clock.js';
import { type Json, Rig } from './rig.js';

/**
 * Calls of many objects are cut: others are answered between their slices (src/runtime/README.md).
 */

let rig: Rig;

afterEach(async () => {
  vi.restoreAllMocks();
  await rig.close();
});

const COUNT = 1000;

function creates(title: string): object {
  const entries = Array.from({ length: COUNT }, (_, n) => [`k${n}`, { text: `${title} ${n}` }]);
  return Object.fromEntries(entries);
}

/** So many ms pass at once when so many more statements have been run. */
function passAfter(statements: number, ms: number): void {
  const now = performance.now.bind(performance);
  const last = rig.statements.length + statements;
  vi.spyOn(performance, 'now').mockImplementation(
    () => now() + (rig.statements.length >= last ? ms : 0),
  );
}

/**
 * Runs `calls`, with an echo in each turn of the event loop; the order in which they were answered.
 */
async function besideEchoes(calls: Readonly<Record<string, () => Promise<Json>>>) {
  const order: string[] = [];
  let running = Object.keys(calls).length;
  const all = Object.entries(calls).map(async ([name, call]) => {
    const answer = await call();
    order.push(name);
    running -= 1;
    return answer;
  });
  while (running > 0) {
    await new Promise(setImmediate);
    await rig.call('Core/echo');
    order.push('echo');
  }
  return { order, answers: await Promise.all(all) };
}

describe('calls of a few large objects', () => {
  it('leave turns of the event loop between objects to others', async () => {
    rig = new Rig({ requestTimeout: 1e9 });
    slowClock(9);
    const create = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`k${n}`, { text: `${'x'.repeat(500)}${n}` }]),
    );
    const echoes = async (isLong: boolean): Promise<number> => {
      const set = (): Promise<Json> => {
        const { source } = rig;
        rig.source = { ...source, isLong };
        const answer = rig.call('Todo/set', { create });
        // The echoes are short.
        rig.source = source;
        return answer;
      };
      const { order } = await besideEchoes({ create: set });
      return order.slice(0, order.indexOf('create')).length;
    };
    const short = await echoes(false);
    expect(await echoes(true)).toBeGreaterThan(short + 15);
  });
});

describe('a /get of a few large objects', () => {
  const LARGE = 20;

  /** Notes of 200 kB, and widgets whose JSON has over 1 MB; their ids, and that of a short note. */
  async function prepare(): Promise<{ notes: string[]; widgets: string[]; short: string }> {
    rig = new Rig({ requestTimeout: 1e9 });
    const titles = Array.from({ length: LARGE }, (_, n) => ({ title: `note ${n}` }));
    const notes = await rig.create('Note', titles);
    const widgets = await rig.create('Widget', [{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
    rig.run(`UPDATE "Note" SET "body" = replace(hex(zeroblob(100000)), '0', 'é')`);
    const list = JSON.stringify(Array.from({ length: 90_000 }, (_, n) => `text ${n}`));
    rig.run(`UPDATE "Widget" SET "list" = '${list}'`);
    const [short = ''] = await rig.create('Note', [{ title: 'short' }]);
    return { notes, widgets, short };
  }

  /** Runs `call`; how many /get of the short note were answered meanwhile. */
  async function besideGets(short: string, call: () => Promise<Json>) {
    let isOver = false;
    const running = call().finally(() => {
      isOver = true;
    });
    let answered = 0;
    while (!isOver) {
      await new Promise(setImmediate);
      expect((await rig.call('Note/get', { ids: [short] })).list).toMatchObject([{ id: short }]);
      answered += 1;
    }
    return { answered, answer: await running };
  }

  it('leaves turns between rows, and the connection, to the /get of others', async () => {
    const { notes, short } = await prepare();
    slowClock(9);
    const get = () => rig.call('Note/get', { ids: notes });
    const { answered, answer } = await besideGets(short, get);
    // One for each row, and some for the answer.
    expect(answered).toBeGreaterThan(LARGE + 3);
    expect(answer.notFound).toEqual([]);
    expect(answer.list.map(({ id }: Json) => id)).toEqual(notes);
    expect(answer.list.every(({ body }: Json) => body === 'é'.repeat(200_000))).toBe(true);
  });

  it('leaves turns between pieces of JSON to others', async () => {
    const { widgets, short } = await prepare();
    slowClock(9);
    const get = (ids: readonly string[]) => () => rig.call('Widget/get', { ids });
    const one = await besideGets(short, get(widgets.slice(0, 1)));
    expect(one.answered).toBeGreaterThan(6);
    expect(one.answer.list[0].list[89_999]).toBe('text 89999');
    const all = await besideGets(short, get(widgets));
    expect(all.answered).toBeGreaterThan(18);
    expect(all.answer.list).toHaveLength(3);
  });

  it('is of one snapshot, whatever others write meanwhile', async () => {
    const { notes, short } = await prepare();
    const { state } = await rig.call('Note/get', { ids: [] });
    slowClock(9);
    const get = rig.call('Note/get', { ids: notes });
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    const update = Object.fromEntries(notes.map((id) => [id, { title: 'changed' }]));
    await rig.call('Note/set', { update });
    const answer = await get;
    expect(answer.state).toBe(state);
    const titles = new Set(answer.list.map(({ title }: Json) => title));
    expect(titles.has('changed')).toBe(false);
    vi.restoreAllMocks();
    const { list } = await rig.call('Note/get', { ids: [short, ...notes], properties: ['title'] });
    expect(list.filter(({ title }: Json) => title === 'changed')).toHaveLength(LARGE);
  });

  it('is unavailable after its deadline, and holds nothing', async () => {
    const { notes, short } = await prepare();
    const { services } = rig;
    for (let call = 0; call < 5; call += 1) {
      const begun = rig.statements.length;
      passAfter(3, 1e10);
      expect(await rig.call('Note/get', { ids: notes })).toMatchObject({
        error: 'serverUnavailable',
      });
      expect(rig.statements.length - begun).toBeGreaterThan(2);
      vi.restoreAllMocks();
    }
    expect((await rig.call('Note/get', { ids: notes })).list).toHaveLength(LARGE);
    expect((await rig.call('Note/get', { ids: [short] })).list).toHaveLength(1);
    await services.store.ping();
  });
});

describe('updates of a few large objects', () => {
  it('leave turns of the event loop between the rows that they read', async () => {
    rig = new Rig({ requestTimeout: 1e9 });
    const ids = await rig.create('Todo', [{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    const type = rig.services.registry.dataTypes.get('Todo');
    if (type === undefined) throw new Error('The rig has todos.');
    slowClock(9);
    let turns = 0;
    const count = (): void => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await rig.services.store.write('a1', { deadline: 1e12 }, async (transaction) => {
      turns = 0;
      expect(await transaction.get(type, ids, type.properties, 1e6)).toHaveLength(3);
      clearImmediate(counting);
    });
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('leave turns of the event loop between applying, judging and reporting of each', async () => {
    rig = new Rig({ requestTimeout: 1e9 });
    const { created } = await rig.call('Todo/set', {
      create: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, { text: `${n}` }])),
    });
    const ids = Object.values<Json>(created).map(({ id }) => id);
    slowClock(9);
    const update = Object.fromEntries(ids.map((id) => [id, { text: `new ${id}` }]));
    const { order, answers } = await besideEchoes({
      update: () => rig.call('Todo/set', { update }),
    });
    expect(Object.keys(answers[0]?.updated)).toHaveLength(20);
    expect(order.indexOf('update')).toBeGreaterThan(20 * 5);
  });
});

describe('calls of a thousand objects', () => {
  it('leave turns of the event loop between their steps to others', async () => {
    rig = new Rig({ requestTimeout: 1e9 });
    const { created } = await rig.call('Todo/set', { create: creates('old') });
    const ids = Object.values<Json>(created).map(({ id }) => id);
    slowClock(9);
    const update = Object.fromEntries(ids.map((id) => [id, { done: true }]));
    const { order, answers } = await besideEchoes({
      create: () => rig.call('Todo/set', { create: creates('new') }),
      update: () => rig.call('Todo/set', { update }),
      get: () => rig.call('Todo/get', { ids }),
    });
    // Each set has its slices: reading, judging, two statements of rows, records, report, commit.
    expect(order.filter((name) => name === 'echo').length).toBeGreaterThan(12);
    expect(order.indexOf('echo')).toBe(0);
    const [first, second] = order.filter((name) => name === 'create' || name === 'update');
    const between = order.slice(order.indexOf(first ?? ''), order.indexOf(second ?? ''));
    expect(between.filter((name) => name === 'echo').length).toBeGreaterThan(2);
    const [create, updated, get] = answers;
    expect(Object.keys(create.created)).toHaveLength(COUNT);
    expect(Object.keys(updated.updated)).toHaveLength(COUNT);
    expect(get.list).toHaveLength(COUNT);
    // One state after the other: nothing came between the slices of a transaction.
    expect(updated.oldState).toBe(create.newState);
    expect(Number(create.newState) - Number(create.oldState)).toBe(COUNT);
    expect(Number(updated.newState) - Number(updated.oldState)).toBe(COUNT);
  });

  it('of /copy leave turns between reading, judging, writing and reporting', async () => {
    rig = new Rig({ requestTimeout: 1e9 });
    const { created, newState } = await rig.call('Todo/set', { create: creates('old') });
    const ids = Object.values<Json>(created).map(({ id }) => id);
    slowClock(9);
    const create = Object.fromEntries(ids.map((id, n) => [`c${n}`, { id }]));
    const args = { fromAccountId: 'a1', accountId: 'a2', create };
    const { order, answers } = await besideEchoes({ copy: () => rig.call('Todo/copy', args) });
    const before = order.slice(0, order.indexOf('copy'));
    expect(before.length).toBeGreaterThan(8);
    const [copy] = answers;
    expect(Object.keys(copy.created)).toHaveLength(COUNT);
    expect(Number(copy.newState) - Number(copy.oldState)).toBe(COUNT);
    vi.restoreAllMocks();
    const again = await rig.call('Todo/copy', { ...args, create: { k: { id: ids[0] } } });
    expect(again.oldState).toBe(copy.newState);
    expect((await rig.call('Todo/get', { ids: [] })).state).toBe(newState);
  });

  it('a /copy whose time ends among its writes is unavailable and leaves nothing', async () => {
    rig = new Rig({ requestTimeout: 60_000 });
    const { created } = await rig.call('Todo/set', { create: creates('first') });
    const ids = Object.values<Json>(created).map(({ id }) => id);
    const args = { fromAccountId: 'a1', accountId: 'a2' };
    const create = Object.fromEntries(ids.map((id, n) => [`c${n}`, { id }]));
    const begun = rig.statements.length;
    passAfter(5, 100_000);
    const copy = await rig.call('Todo/copy', { ...args, create });
    expect(copy).toMatchObject({ error: 'serverUnavailable' });
    expect(rig.statements.slice(begun).some((text) => text.startsWith('INSERT'))).toBe(true);
    vi.restoreAllMocks();
    const { total } = await rig.call('Todo/query', { accountId: 'a2', calculateTotal: true });
    expect(total).toBe(0);
    const next = await rig.call('Todo/copy', { ...args, create: { k: { id: ids[0] } } });
    expect(next).toMatchObject({ oldState: '0', newState: '1', created: { k: {} } });
  });

  it('are seen as a whole or not at all while they are cut', async () => {
    rig = new Rig({ requestTimeout: 1e9 });
    slowClock(9);
    const seen = new Set<number>();
    let isOver = false;
    const set = rig.call('Todo/set', { create: creates('new') }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise(setImmediate);
      const { ids, total } = await rig.call('Todo/query', { calculateTotal: true, limit: 1 });
      expect(ids).toHaveLength(total === 0 ? 0 : 1);
      seen.add(total);
    }
    await set;
    seen.add((await rig.call('Todo/query', { calculateTotal: true, limit: 1 })).total);
    expect([...seen]).toEqual([0, COUNT]);
  });

  it.each([
    ['a /set', 2, () => rig.call('Todo/set', { create: creates('late') })],
    ['a /get', 1, () => rig.call('Todo/get', { ids: null })],
  ])(
    '%s whose time is over after its first slices is unavailable, leaves nothing and holds nothing',
    async (_, statements, call) => {
      rig = new Rig({ requestTimeout: 60_000 });
      const { newState } = await rig.call('Todo/set', { create: creates('first') });
      passAfter(statements, 100_000);
      expect(await call()).toMatchObject({ error: 'serverUnavailable' });
      vi.restoreAllMocks();
      // The writer and the turns are free again.
      const next = await rig.call('Todo/set', { create: { a: { text: 'next' } } });
      expect(next).toMatchObject({ oldState: newState, created: { a: {} } });
      expect((await rig.call('Todo/query', { calculateTotal: true })).total).toBe(COUNT + 1);
    },
  );
});
