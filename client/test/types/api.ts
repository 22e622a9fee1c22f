import type * as jmap from '../../src/index.js';
import type { Client } from '../../src/index.js';
import type { Project } from './sample.js';

declare function at<Item>(list: readonly Item[]): Item;

export async function use(jmap: Client<Project>): Promise<void> {
  const me = jmap.account();
  const { open, lists } = await me.batch((b) => {
    const found = b.Todo.query({ filter: { done: false }, sort: ['-created'], limit: 50 });
    const open = b.Todo.get({ ids: found.ids, properties: ['text', 'listId'] });
    const lists = b.TodoList.get({ ids: open.list.map((todo) => todo.listId) });
    // @ts-expect-error ids of todos
    b.TodoList.get({ ids: found.ids });
    // @ts-expect-error no such sort
    b.Todo.query({ sort: ['nope'] });
    // @ts-expect-error no such condition
    b.Todo.query({ filter: { nope: 1 } });
    b.Todo.query({ filter: { operator: 'OR', conditions: [{ done: true }, { text: 'x' }] } });
    // @ts-expect-error no such property
    b.Todo.get({ properties: ['nope'] });
    b.TodoList.changes({ sinceState: open.state });
    return { open, lists };
  });
  const text: string = at(open.list).text;
  // @ts-expect-error it was not asked for
  at(open.list).done;
  const name: string = at(lists.list).name;
  const one = await me.Todo.get({ ids: ['a'] });
  const done: boolean = at(one.list).done;
  // @ts-expect-error an id of another type
  await me.TodoList.get({ ids: [at(one.list).id] });
  const answer = await me.Todo.set({
    create: { k: { text: 'x', listId: at(lists.list).id } },
    update: { a: { done: true, 'tags/red': true }, b: { photoBlobId: null } },
  });
  const id = answer.created?.k?.id;
  // @ts-expect-error no such key
  answer.created?.z;
  const error = answer.notCreated?.k;
  if (error?.type === 'invalidProperties') {
    const [property] = error.properties ?? [];
    const known: 'text' | 'done' | 'tags' | 'listId' | 'photoBlobId' | undefined = property;
    void known;
  }
  // @ts-expect-error a property without a default can't be null
  await me.Todo.set({ update: { a: { text: null } } });
  // @ts-expect-error a text has no members
  await me.Todo.set({ update: { a: { 'text/a': 1 } } });
  await me.Todo.set({ update: { a: { done: null, tags: null } } });
  // @ts-expect-error a wrong value
  await me.Todo.set({ update: { a: { done: 'yes' } } });
  // @ts-expect-error no such property
  await me.Todo.set({ update: { a: { created: 'x' } } });
  // @ts-expect-error `text` is missing
  await me.Todo.set({ create: { k: { listId: 'a' } } });
  // @ts-expect-error an id of a todo
  await me.Todo.set({ create: { k: { text: 'a', listId: at(one.list).id } } });
  const { closed } = await me.Todo.close({ ids: ['a'] });
  void [text, name, done, id, closed];
}

declare const lists: jmap.Reference<readonly (jmap.Id<'TodoList'> | null)[]>;
// @ts-expect-error ids of a get have no null
void ({ ids: lists } satisfies jmap.OrReferences<{ ids: readonly jmap.Id<'TodoList'>[] | null }>);
