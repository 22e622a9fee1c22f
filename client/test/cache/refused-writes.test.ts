import { describe, expect, it } from 'vitest';
import { type CachedClient, memory } from '../../src/index.js';
import { pageStore } from '../support/paged-store.js';
import type { TodosProject } from '../support/schema.js';
import { useTodos } from '../support/todos.js';

// Writes that the client itself refuses: no answer of the server tells of them.

const served = useTodos({}, ['AR']);

/** Resolves to the types of the errors of all problems, once there are so many. */
async function problemsOf(jmap: CachedClient<TodosProject>, count: number) {
  await expect.poll(() => jmap.problems.getSnapshot()).toHaveLength(count);
  return jmap.problems.getSnapshot().map(({ error }) => error.type);
}

const finish = (todo: { done?: boolean }): void => {
  todo.done = true;
};

describe('a write that the client refuses', () => {
  it('is a problem that the store keeps, where nobody has read its result', async () => {
    const store = memory();
    const jmap = await served.connect({ store });
    await jmap.sync.settled();
    jmap.account(served.fixtures().AR).Todo.create({ text: 'not mine' });
    const { Todo } = jmap.account();
    Todo.create({ text: 'x'.repeat(20_000_000) });
    Todo.update('nowhere', { done: true }, { ifUnchanged: true });
    expect(await problemsOf(jmap, 3)).toEqual(['accountReadOnly', 'tooLarge', 'notFound']);
    expect(jmap.problems.getSnapshot()[0]?.values).toMatchObject({ text: 'not mine' });
    await jmap.close();
    const again = await served.connect({ store });
    const find = (type: string) =>
      again.problems.getSnapshot().find(({ error }) => error.type === type);
    find('accountReadOnly')?.retry();
    find('notFound')?.discard();
    find('tooLarge')?.edit({ text: 'brief' });
    await again.sync.settled();
    expect(await problemsOf(again, 1)).toEqual(['accountReadOnly']);
    const { rows } = again.account().Todo.live().getSnapshot();
    expect(rows).toContainEqual(expect.objectContaining({ text: 'brief' }));
  });

  it('is no problem where somebody reads its result, then or later', async () => {
    const jmap = await served.connect({ store: memory() });
    await jmap.sync.settled();
    let told = 0;
    jmap.problems.subscribe(({ length }) => {
      told += length;
    });
    const { Todo } = jmap.account();
    const update = () => Todo.update('nowhere', finish);
    expect(await update().result).toMatchObject({ ok: false, error: { type: 'notFound' } });
    const saved = update();
    expect(await saved.saved).toBe(false);
    await saved.result;
    const late = update();
    await problemsOf(jmap, 1);
    expect(told).toBe(1);
    await late.result;
    expect(jmap.problems.getSnapshot()).toEqual([]);
  });

  it('by a function has no patch to repeat, and is sent with another one', async () => {
    const jmap = await served.connect({ store: memory(), coverage: { Todo: 'known' } });
    await jmap.sync.settled();
    const { Todo } = jmap.account();
    const { created } = await Todo.set({ create: { k: { text: 'unseen' } } });
    const id = created?.['k']?.id ?? '';
    Todo.update(id, finish);
    expect(await problemsOf(jmap, 1)).toEqual(['notFound']);
    const [problem] = jmap.problems.getSnapshot();
    problem?.retry();
    expect(jmap.problems.getSnapshot()).toEqual([problem]);
    problem?.edit({ done: true });
    await jmap.sync.settled();
    expect(jmap.problems.getSnapshot()).toEqual([]);
    expect((await Todo.get({ ids: [id] })).list).toMatchObject([{ done: true }]);
  });

  it('is none of the problems where the client is closed', async () => {
    const jmap = await served.connect({ store: memory() });
    await jmap.sync.settled();
    await jmap.close();
    const write = jmap.account().Todo.create({ text: 'late' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(jmap.problems.getSnapshot()).toEqual([]);
    expect(await write.result).toMatchObject({ ok: false, error: { type: 'closed' } });
  });
});

describe('a problem that can not be repeated', () => {
  it('stays one during a start, and behind it', async () => {
    const kept = memory();
    const first = await served.connect({ store: kept });
    const { Todo } = first.account();
    for (let n = 0; n < 4; n += 1) Todo.create({ text: `start ${n}` });
    Todo.update('unknown', finish);
    expect(await problemsOf(first, 1)).toEqual(['notFound']);
    await first.sync.settled();
    await first.close();
    const paged = pageStore(kept, 3);
    paged.hold();
    const jmap = await served.connect({ store: paged.store, username: 'u1' });
    const [problem, ...others] = jmap.problems.getSnapshot();
    expect([problem?.error.type, others]).toEqual(['notFound', []]);
    problem?.retry();
    expect(jmap.problems.getSnapshot()).toEqual([problem]);
    paged.release();
    await jmap.sync.settled();
    expect(jmap.problems.getSnapshot()).toEqual([problem]);
    problem?.discard();
    await jmap.close();
  });
});

describe('a function that throws behind a start', () => {
  it('makes a problem of its write, and of those that were made with it', async () => {
    const kept = memory();
    const first = await served.connect({ store: kept });
    for (let n = 0; n < 12; n += 1) first.account().Todo.create({ text: `todo ${n}` });
    await first.sync.settled();
    const ids = Array.from(first.account().Todo.live().rows, ({ id }) => id).sort();
    await first.close();
    const paged = pageStore(kept, 3);
    paged.hold();
    const jmap = await served.connect({ store: paged.store, username: 'u1' });
    const me = jmap.account();
    const id = ids.at(-1) ?? '';
    const fail = (): never => {
      throw new Error('no');
    };
    me.Todo.update(id, fail);
    const ends: Promise<object>[] = [];
    const group = me.write((tx) => {
      tx.Todo.create({ text: 'of the group' });
      ends.push(tx.Todo.update(id, fail).result);
      ends.push(tx.Todo.create({ text: 'behind it' }).result);
    });
    paged.release();
    expect(await Promise.all(ends)).toMatchObject([
      { ok: false, error: { type: 'recipeFailed' } },
      { ok: false, error: { type: 'aborted' } },
    ]);
    expect(await problemsOf(jmap, 2)).toEqual(['recipeFailed', 'aborted']);
    expect(await group.result).toMatchObject({ ok: false, error: { type: 'aborted' } });
    await jmap.sync.settled();
    const texts = me.Todo.live().rows.map(({ text }) => text);
    expect(texts).not.toContain('of the group');
    expect(texts).not.toContain('behind it');
  });
});
