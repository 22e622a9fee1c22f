import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// Calls that go to the server as they are, of a client with a store.

const served = useTodos();

/** Opens a client that hears of no change. */
async function openUnpushed() {
  served
    .proxy()
    .decide(({ method, path }) => (method === 'GET' && path.includes('event') ? 'drop' : 'pass'));
  const jmap = await served.connect({ store: memory() });
  await jmap.sync.settled();
  return jmap;
}

describe('a call of a client with a store', () => {
  it('has the ids of objects that were made here, alone and in a batch', async () => {
    const me = (await openUnpushed()).account();
    const write = me.Todo.create({ text: 'Tea' });
    const { id: key } = write.object;
    await expect(me.Core.echo({ ids: [key] })).rejects.toThrow(key);
    await expect(me.batch((b) => ({ got: b.Todo.get({ ids: [key] }) }))).rejects.toThrow(key);
    const end = await write.result;
    const id = end.ok ? end.object.id : '';
    expect(await me.Core.echo({ ids: [key], deep: { [key]: [key, 'text'] } })).toEqual({
      ...{ ids: [id], deep: { [id]: [id, 'text'] } },
    });
    const { list } = await me.Todo.get({ ids: [key] });
    expect(list).toMatchObject([{ id, text: 'Tea' }]);
    const { again, outcome } = await me.settled((b) => {
      const again = b.Todo.get({ ids: [key] });
      return { again, outcome: b.Todo.get({ ids: again.list.map((todo) => todo.id) }) };
    });
    for (const one of [again, outcome])
      expect(one).toMatchObject({ ok: true, value: { list: [{ id }] } });
    const other = `~${crypto.randomUUID()}`;
    expect(await me.Core.echo({ other })).toEqual({ other });
  });

  it('is followed by a cycle if it may write, and by none otherwise', async () => {
    const jmap = await openUnpushed();
    const { Todo, batch } = jmap.account();
    const texts = () => Todo.live().rows.map(({ text }) => text);
    await Todo.set({ create: { k: { text: 'alone' } } });
    await eventually(() => expect(texts()).toContain('alone'), 10_000);
    await batch((b) => ({ made: b.Todo.set({ create: { k: { text: 'in a batch' } } }) }));
    await eventually(() => expect(texts()).toContain('in a batch'), 10_000);
    await jmap.sync.settled();
    const before = served.proxy().api().length;
    await Todo.get({ ids: [] });
    await batch((b) => ({ found: b.Todo.query() }));
    expect(served.proxy().api()).toHaveLength(before + 2);
  });
});
