import { count, createCollection, createLiveQueryCollection, eq } from '@tanstack/db';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { makeCollectionOptions } from '../../src/bindings/tanstack-db.js';
import { memory } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

// Collections of TanStack DB over lists, on a real server behind a proxy.

const served = useTodos();

async function open(text: string) {
  const jmap = await served.connect({ store: memory() });
  const { Todo } = jmap.account();
  const collection = createCollection(makeCollectionOptions(Todo.live({ filter: { text } }), Todo));
  await collection.preload();
  const texts = () => collection.toArray.map((row) => row.text).sort();
  return { jmap, Todo, collection, texts };
}

describe('a collection', () => {
  it('has what the list has, and follows it', async () => {
    const { Todo, collection, texts } = await open('tea');
    const { $key } = Todo.create({ text: 'Green tea' }).object;
    expect(texts()).toEqual(['Green tea']);
    expect(collection.get($key)).toMatchObject({ $key, $pending: true });
    await eventually(() => expect(collection.get($key)?.$pending).toBe(false));
    Todo.update($key, { text: 'Black tea' });
    expect(texts()).toEqual(['Black tea']);
    Todo.update($key, { text: 'Coffee' });
    expect(texts()).toEqual([]);
  });

  it('sends updates and deletes by way of the client', async () => {
    const { jmap, Todo, collection, texts } = await open('milk');
    const [one, other] = ['Milk', 'Oat milk'].map((text) => Todo.create({ text }).object.$key);
    await jmap.sync.settled();
    collection.update(one ?? '', (draft) => {
      draft.text = 'Fresh milk';
    });
    collection.delete(other ?? '');
    expect(texts()).toEqual(['Fresh milk']);
    await jmap.sync.settled();
    expect(texts()).toEqual(['Fresh milk']);
    const { list } = await Todo.get();
    expect(list.filter(({ text }) => /milk/i.test(text))).toMatchObject([{ text: 'Fresh milk' }]);
  });

  it('keeps writes offline, and takes back what the server refuses', async () => {
    const { jmap, Todo, collection, texts } = await open('bread');
    const { $key } = Todo.create({ text: 'Bread' }).object;
    await jmap.sync.settled();
    served.proxy().decide(() => 'drop');
    const text = `Bread ${'x'.repeat(600)}`;
    await collection.update($key, (draft) => {
      draft.text = text;
    }).isPersisted.promise;
    expect(texts()).toEqual([text]);
    expect(collection.get($key)?.$pending).toBe(true);
    served.proxy().decide(() => 'pass');
    await jmap.sync.settled();
    expect(texts()).toEqual(['Bread']);
    expect(jmap.problems.getSnapshot()).toMatchObject([{ kind: 'update', key: $key }]);
  });

  it('goes into queries of TanStack DB', async () => {
    const { Todo, collection } = await open('jam');
    for (const done of [true, false, true]) Todo.create({ text: 'Jam', done });
    const counts = createLiveQueryCollection((query) =>
      query
        .from({ todo: collection })
        .where(({ todo }) => eq(todo.done, true))
        .groupBy(({ todo }) => todo.done)
        .select(({ todo }) => ({ done: todo.done, todos: count(todo.$key) })),
    );
    await counts.preload();
    expect(counts.toArray).toMatchObject([{ done: true, todos: 2 }]);
  });
});

it('a collection without a type can only be read', async () => {
  const jmap = await served.connect({ store: memory() });
  const { Todo } = jmap.account();
  const collection = createCollection(makeCollectionOptions(Todo.live()));
  const { $key } = Todo.create({ text: 'Salt' }).object;
  await collection.preload();
  expect(() => collection.delete($key)).toThrow();
  await jmap.sync.settled();
  expect(collection.get($key)).toMatchObject({ text: 'Salt', $pending: false });
});
