import { describe, expect, it } from 'vitest';
import { type LiveQuery, type LiveSnapshot, memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// Lists of clients with stores, on a real server.

const served = useTodos();
const open = (store = memory()) => served.connect({ store });

interface Shown {
  readonly id: string;
  readonly text: string;
  readonly $key: string;
  readonly $pending: boolean;
}

/** Resolves to a snapshot once it fits. */
function until<Row>(
  query: LiveQuery<Row>,
  fits: (snapshot: LiveSnapshot<Row>) => boolean,
): Promise<LiveSnapshot<Row>> {
  return new Promise((resolve) => {
    const stop = query.subscribe((snapshot) => {
      if (!fits(snapshot)) return;
      resolve(snapshot);
      queueMicrotask(() => stop());
    });
  });
}

const textsOf = (rows: readonly Shown[]) => rows.map(({ text }) => text);

describe('a live list', () => {
  it('calls at once, then after each change, until it is left', async () => {
    const me = (await open()).account();
    const query = me.Todo.live({ filter: { text: 'called' } });
    const seen: LiveSnapshot<Shown>[] = [];
    const stop = query.subscribe((snapshot) => seen.push(snapshot));
    expect(seen).toHaveLength(1);
    await until(query, ({ status }) => status === 'live');
    const write = me.Todo.create({ text: 'Called' });
    expect(seen.at(-1)).toMatchObject({ total: 1, status: 'live', complete: true });
    expect(textsOf(seen.at(-1)?.rows ?? [])).toEqual(['Called']);
    expect(seen.at(-1)).toBe(query.getSnapshot());
    expect(query.rows).toBe(query.getSnapshot().rows);
    await write.result;
    const [row] = query.getSnapshot().rows;
    expect(row).toMatchObject({ $key: write.object.$key, $pending: false });
    stop();
    const before = seen.length;
    await me.Todo.destroy(write.object.$key).result;
    expect(seen).toHaveLength(before);
    expect(query.getSnapshot().rows).toEqual([]);
  });

  it('follows what another client writes', async () => {
    const [here, there] = [await open(), await open()];
    await Promise.all([here.sync.settled(), there.sync.settled()]);
    const query = there.account().Todo.live({ filter: { text: 'elsewhere' } });
    await here.account().Todo.create({ text: 'elsewhere' }).result;
    there.sync.wake();
    const { rows } = await until(query, ({ total }) => total === 1);
    expect(textsOf(rows)).toEqual(['elsewhere']);
    there.account().Todo.destroy(rows[0]?.id ?? '');
    await there.sync.settled();
    await here.sync.settled();
    expect(here.account().Todo.live().getSnapshot().rows).not.toContainEqual(
      expect.objectContaining({ text: 'elsewhere' }),
    );
  });

  it('is what the server answers, after each commit', async () => {
    const jmap = await open();
    const me = jmap.account();
    const search = { filter: { text: 'é' }, sort: ['-done', 'text'] } as const;
    const query = me.Todo.live({ ...search, limit: 3 });
    await until(query, ({ status }) => status === 'live');
    const keys = ['é b', 'É a', 'no', 'e\u0301 c', 'zé'].map(
      (text) => me.Todo.create({ text }).object.$key,
    );
    const compare = async () => {
      await jmap.sync.settled();
      const answer = await me.Todo.query({ ...search, limit: 3, calculateTotal: true });
      const { rows, total } = query.getSnapshot();
      expect(rows.map(({ id }) => id)).toEqual(answer.ids);
      expect(total).toBe(answer.total);
    };
    await compare();
    expect(query.getSnapshot().total).toBeGreaterThan(2);
    me.Todo.update(keys[1] ?? '', { done: true });
    await compare();
    me.Todo.update(keys[2] ?? '', { text: 'é now' });
    me.Todo.destroy(keys[0] ?? '');
    await compare();
  });

  it('with a limit is the same one where a row behind it goes', async () => {
    const jmap = await open();
    const me = jmap.account();
    const filter = { text: 'limit' };
    const query = me.Todo.live({ filter, sort: ['text'], limit: 2 });
    const rows = ['limit 1', 'limit 2', 'limit 3'].map((text) => me.Todo.create({ text }).object);
    const end = query.subscribe(() => undefined);
    await until(query, ({ total }) => total === 3);
    const before = query.getSnapshot().rows;
    me.Todo.destroy(rows[2]?.$key ?? '');
    expect(query.getSnapshot().total).toBe(2);
    expect(query.getSnapshot().rows).toBe(before);
    end();
  });

  it('keeps rows that nothing changed', async () => {
    const jmap = await open();
    const me = jmap.account();
    const one = me.Todo.create({ text: 'same' });
    const two = me.Todo.create({ text: 'same too' });
    await Promise.all([one.result, two.result]);
    await jmap.sync.settled();
    const query = me.Todo.live();
    const find = (key: string) => query.getSnapshot().rows.find(({ $key }) => $key === key);
    const stop = query.subscribe(() => undefined);
    const before = [find(one.object.$key), find(two.object.$key)];
    await me.Todo.update(one.object.$key, { done: true }).result;
    await jmap.sync.settled();
    expect(find(one.object.$key)).not.toBe(before[0]);
    expect(find(two.object.$key)).toBe(before[1]);
    expect(Object.isFrozen(before[1])).toBe(true);
    const snapshot = query.getSnapshot();
    await jmap.sync.settled();
    expect(query.getSnapshot()).toBe(snapshot);
    stop();
    expect(query.getSnapshot().rows).toBe(snapshot.rows);
  });

  it('loses a row at once that fits no more, and has it again where that is refused', async () => {
    const jmap = await open();
    const me = jmap.account();
    const { object } = me.Todo.create({ text: 'leaves' });
    await jmap.sync.settled();
    const query = me.Todo.live({ filter: { text: 'leaves', done: false } });
    await until(query, ({ total }) => total === 1);
    const totals: number[] = [];
    query.subscribe(({ total }) => totals.push(total));
    const write = me.Todo.update(object.$key, { done: true, text: `leaves${'!'.repeat(600)}` });
    expect(totals).toEqual([1, 0]);
    expect(await write.result).toMatchObject({ ok: false });
    expect(totals).toEqual([1, 0, 1]);
  });

  it('is one for all that are equal', async () => {
    const me = (await open()).account();
    const list = () => me.Todo.live({ filter: { text: 'one for all' }, sort: ['-text'] });
    const query = list();
    await until(query, ({ status }) => status === 'live');
    const seen = new Set<object>();
    let calls = 0;
    for (let n = 0; n < 1000; n += 1) {
      list().subscribe((snapshot) => {
        calls += 1;
        seen.add(snapshot);
      });
    }
    me.Todo.create({ text: 'one for all' });
    expect(calls).toBe(2000);
    expect(seen.size).toBe(2);
    expect(list()).toBe(query);
    expect(me.Todo.live({ filter: { text: 'one for all' } })).not.toBe(query);
  });

  it('takes writes of its listeners, in their order', async () => {
    const jmap = await open();
    const me = jmap.account();
    const query = me.Todo.live({ filter: { text: 'chain' } });
    await until(query, ({ status }) => status === 'live');
    const seen: number[] = [];
    query.subscribe(({ total }) => {
      if (total < 3) me.Todo.create({ text: `chain ${total}` });
    });
    query.subscribe(({ total }) => seen.push(total));
    expect(query.getSnapshot().total).toBe(3);
    expect(seen).toEqual([...seen].sort());
    expect(seen.at(-1)).toBe(3);
    await jmap.sync.settled();
  });

  it('tells all of what a newcomer is shown', async () => {
    const jmap = await open();
    const me = jmap.account();
    const query = me.Todo.live({ filter: { text: 'newcomer' } });
    await until(query, ({ status }) => status === 'live');
    const totals: number[] = [];
    query.subscribe(({ total }) => totals.push(total));
    const stop = me.Todo.live({ filter: { text: 'starts' } }).subscribe(({ total }) => {
      if (total === 0) return;
      me.Todo.create({ text: 'newcomer' });
      query.subscribe(() => undefined);
      queueMicrotask(() => stop());
    });
    me.Todo.create({ text: 'starts' });
    expect(totals).toEqual([0, 1]);
    await jmap.sync.settled();
  });
});
