import * as jmap from '../../src/index.js';
import { connect, type Project, type TodoShape } from './sample.js';

declare function at<Item>(list: readonly Item[]): Item;

export async function use(): Promise<void> {
  const options = { url: 'https://api.example.com', token: 'x' };
  const bare: jmap.Client<Project> = await connect(options);
  // @ts-expect-error without a store there are no cached forms
  bare.account().Todo.create({ text: 'x', listId: 'a' });
  const client = await connect({ ...options, store: jmap.memory() });
  const me = client.account();
  const list = me.TodoList.create({ name: 'Trip' });
  const todo = me.Todo.create({ text: 'Pack', listId: list.object.id });
  // @ts-expect-error `listId` is missing
  me.Todo.create({ text: 'x' });
  // @ts-expect-error the id of a todo
  me.Todo.create({ text: 'x', listId: todo.object.id });
  // @ts-expect-error rows are frozen
  todo.object.text = 'x';
  const named = me.Todo.live({ limit: 1, include: ['list'] }).getSnapshot().rows;
  const name: string | undefined = at(named).list?.name;
  void name;
  // @ts-expect-error the list wasn't included
  void at(me.Todo.live().getSnapshot().rows).list;
  // @ts-expect-error no such reference
  me.Todo.live({ include: ['nope'] });
  const write = me.Todo.update(todo.object.id, (draft) => {
    draft.done = true;
    draft.tags['red'] = true;
    // @ts-expect-error a wrong value
    draft.text = 1;
    // @ts-expect-error the server sets it
    draft.created = 'x';
    // @ts-expect-error no such property
    draft.nope = true;
  });
  me.Todo.update('a', { done: true, 'tags/red': null });
  // @ts-expect-error no such property
  me.Todo.update('a', { nope: true });
  // @ts-expect-error the id of a list
  me.Todo.destroy(list.object.id);
  const careful = me.Todo.update('a', { done: true }, { ifUnchanged: true });
  // @ts-expect-error no such option
  me.Todo.update('a', { done: true }, { nope: true });
  const end = await careful.result;
  if (!end.ok && end.error.type === 'conflict') {
    const { seen, current } = end.error;
    const both: readonly (boolean | undefined)[] = [seen.done, current.done];
    void both;
  }
  const scan = me.upload(new Blob(), { onProgress: ({ loaded }) => void loaded });
  me.Todo.create({ text: 'x', listId: 'a', photoBlobId: scan });
  // @ts-expect-error a file is no list
  me.Todo.create({ text: 'x', listId: scan });
  // @ts-expect-error a file is no text
  me.Todo.update('a', { text: scan });
  me.Todo.update('a', { photoBlobId: scan });
  me.Todo.update('a', (draft) => {
    draft.photoBlobId = scan;
    // @ts-expect-error a file is no text
    draft.text = scan;
  });
  const uploaded = await scan.result;
  if (uploaded.ok) await me.blobUrl(uploaded.blob.blobId);
  await me.blobUrl(scan.key);
  const group = me.write((tx) => {
    const list = tx.TodoList.create({ name: 'Trip' });
    tx.Todo.create({ text: 'Pack', listId: list.object.id });
    tx.Todo.destroy('a');
    // @ts-expect-error a group makes changes alone
    tx.Todo.live();
    // @ts-expect-error updates of a group ask for nothing
    tx.Todo.update('a', { done: true }, { ifUnchanged: true });
  });
  const grouped = await group.result;
  if (!grouped.ok) void (grouped.error.type satisfies string);
  const isSaved: boolean = await write.saved;
  const answer = await write.result;
  if (answer.ok) {
    const row: jmap.Row<TodoShape> | undefined = answer.object;
    void row;
  } else {
    switch (answer.error.type) {
      case 'invalidProperties': {
        const names: readonly ('text' | 'done' | 'tags' | 'listId' | 'photoBlobId')[] | undefined =
          answer.error.properties;
        void names;
        break;
      }
      case 'alreadyExists':
        await me.Todo.get({ ids: [answer.error.existingId] });
        break;
      case 'dependencyFailed':
      case 'accountReadOnly':
        break;
      default: {
        const description: string | undefined = answer.error.description;
        void description;
      }
    }
  }
  // Values that may be undefined need no check by the caller.
  const maybe: { readonly username?: string; readonly limit?: number } = {};
  void (await connect({
    ...{ url: '', token: '', store: jmap.memory() },
    ...{ username: maybe.username, coverage: undefined, fetch: undefined, retry: undefined },
  }));
  void me.Todo.live({ limit: maybe.limit, include: undefined }).rows;
  const todos = me.Todo.live({ filter: { done: false }, sort: ['-created'], limit: 100 });
  // @ts-expect-error no such condition
  me.Todo.live({ filter: { nope: 1 } });
  // @ts-expect-error no such sort
  me.Todo.live({ sort: ['nope'] });
  const stop = todos.subscribe(({ rows, total, status, complete }) => {
    const { text, $key, $pending, listId } = at(rows);
    void [text satisfies string, $key satisfies string, $pending satisfies boolean, listId];
    void [total satisfies number, complete satisfies boolean];
    if (status === 'offline') stop();
  });
  // Calls of the server are there as before, and in batches; cached forms are in none.
  await me.Todo.query({ filter: { done: true } });
  await me.Todo.close({ ids: ['a'] });
  await me.batch((b) => {
    // @ts-expect-error a batch has the methods of the server alone
    b.Todo.create({ text: 'x', listId: 'a' });
    return { open: b.Todo.get() };
  });
  client.problems.subscribe((problems) => at(problems).retry());
  const { pending, lastSynced, status } = client.sync.getSnapshot();
  await client.sync.settled();
  await client.logout({ discard: true });
  void [isSaved, pending, lastSynced, status];
}

interface SettingsShape {
  readonly name: 'Settings';
  readonly object: { readonly id: jmap.Id<'Settings'>; readonly theme: 'dark' | 'light' };
  readonly create: never;
  readonly update: { readonly theme: 'dark' | 'light' };
  readonly patch: { readonly theme?: 'dark' | 'light' };
  readonly filter: never;
  readonly sort: never;
  readonly error: jmap.StandardSetError<'Settings', 'theme'>;
}
type SettingsMethods = jmap.Get<SettingsShape, 'alone'> & jmap.SetMethod<SettingsShape, 'alone'>;

/** A type of one object can't be created, nor searched. */
export function change(settings: jmap.CachedMethods<SettingsMethods>): void {
  settings.update('singleton', (draft) => {
    draft.theme = 'dark';
  });
  const theme: 'dark' | 'light' | undefined = settings.live().getSnapshot().rows[0]?.theme;
  // @ts-expect-error there is nothing to search
  settings.live({ filter: { theme: 'dark' } });
  // @ts-expect-error the server has it
  settings.create({ theme: 'dark' });
  // @ts-expect-error it stays
  settings.destroy('singleton');
  void theme;
}
