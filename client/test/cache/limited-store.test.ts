import { describe, expect, it } from 'vitest';
import { memory } from '../../src/index.js';
import { type CommitFate, limitStore } from '../support/limited-store.js';
import { useTodos } from '../support/todos.js';

// Stores that fail while writes wait in them.

const served = useTodos();

async function createdBy(prefix: string): Promise<readonly unknown[]> {
  const { u1, A1 } = served.fixtures();
  const { list } = await u1.get('Todo', { accountId: A1, ids: null });
  return list.flatMap(({ text }) => (String(text).startsWith(prefix) ? [text] : [])).sort();
}

/** Starts a client with writes that its store has, and that the server has not seen. */
async function openOffline(prefix: string) {
  const kept = memory();
  let fate: CommitFate = 'kept';
  const first = await served.connect({ store: limitStore(kept, () => fate) });
  await first.sync.settled();
  served.proxy().decide(() => 'drop');
  const { Todo } = first.account();
  const create = Todo.create({ text: `${prefix} one` });
  expect(await create.saved).toBe(true);
  await expect.poll(() => first.sync.getSnapshot().status).toBe('offline');
  const more = Todo.create({ text: `${prefix} two` });
  expect(await more.saved).toBe(true);
  return {
    ...{ kept, first, Todo, more },
    set: (next: CommitFate) => {
      fate = next;
    },
  };
}

describe('a store that is lost while writes wait', () => {
  it('has them sent once, by the client that starts from it', async () => {
    const { kept, first, Todo, more, set } = await openOffline('lost');
    set('lost');
    const late = Todo.create({ text: 'lost three' });
    expect(await late.saved).toBe(false);
    Todo.update(more.object.$key, { done: true });
    served.proxy().decide(() => 'pass');
    await first.sync.settled();
    expect(await late.result).toMatchObject({ ok: true });
    expect(first.sync.getSnapshot()).toMatchObject({ pending: 1, storage: 'lost' });
    await first.close();
    const second = await served.connect({ store: kept });
    await second.sync.settled();
    expect(await createdBy('lost')).toEqual(['lost one', 'lost three', 'lost two']);
  });

  it('holds back a write whose request it could not note', async () => {
    const { kept, first, set } = await openOffline('noted');
    set('lost');
    served.proxy().decide(() => 'pass');
    await first.sync.settled();
    await first.close();
    const second = await served.connect({ store: kept });
    await second.sync.settled();
    expect(await createdBy('noted')).toEqual(['noted one', 'noted two']);
  });
});

describe('a store without room for objects', () => {
  it('keeps the writes, and has them sent once', async () => {
    const kept = memory();
    const store = limitStore(kept, (changes) =>
      changes.some(({ table, value }) => table === 'objects' && value !== undefined)
        ? 'full'
        : 'kept',
    );
    const first = await served.connect({ store });
    const { Todo } = first.account();
    expect(await Todo.create({ text: 'full one' }).result).toMatchObject({ ok: true });
    await first.sync.settled();
    served.proxy().decide(() => 'drop');
    expect(await Todo.create({ text: 'full two' }).saved).toBe(true);
    expect(first.sync.getSnapshot()).toMatchObject({ storage: 'kept' });
    await first.close();
    served.proxy().decide(() => 'pass');
    const second = await served.connect({ store: kept });
    await second.sync.settled();
    expect(await createdBy('full')).toEqual(['full one', 'full two']);
    const texts = second
      .account()
      .Todo.live()
      .getSnapshot()
      .rows.map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(['full one', 'full two']));
  });
});
