import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Desk } from '../../../test/access/desk.js';
import { startPeople, useProject } from '../../../test/access/rules-rig.js';
import {
  type CachedClient,
  connect,
  memory,
  type Schema,
  type TypeTable,
} from '../../src/index.js';
import type { AnyMethods } from '../random/schema.js';
import { writeClient } from '../support/write-client.js';

/** Objects that another user shares and takes back, as a client with a copy of them shows them. */

const root = useProject('lists.yaml');

const NAMES = ['TodoList', 'Todo'] as const;

interface Shared {
  readonly alone: AnyMethods<(typeof NAMES)[number], 'alone'>;
  readonly batch: AnyMethods<(typeof NAMES)[number], 'batch'>;
}

const READ = { mayRead: true };
const WRITE = { mayRead: true, mayWrite: true };

async function loadSchema(): Promise<Schema<Shared>> {
  await writeClient(root());
  const tables = NAMES.map(async (name) => {
    const module = await import(join(root(), 'generated/client', `${name}.ts`));
    return module[`${name.charAt(0).toLowerCase()}${name.slice(1)}Table`] as TypeTable;
  });
  return { types: await Promise.all(tables), groups: [] };
}

/** Serves the account of one user, and the client of another one, who may be offline. */
async function open() {
  const dataDir = await mkdtemp(join(tmpdir(), 'jmapsmith-client-shares-'));
  const place = { url: null, dataDir, hasPush: true };
  const { accountId, users, close } = await startPeople(root(), place, {
    ...{ ada: {}, bob: { given: 'nothing' } },
  });
  const { url, token } = users.bob.client;
  let isOnline = true;
  const jmap: CachedClient<Shared> = await connect(await loadSchema(), {
    ...{ url, token, store: memory() },
    fetch: (input, init) =>
      isOnline ? fetch(input, init) : Promise.reject(new TypeError('There is no network.')),
  });
  onTestFinished(async () => {
    await jmap.close();
    await close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const ada = new Desk(users.ada, accountId);
  return {
    ...{ jmap, ada, accountId },
    share: (id: string, rights: object | null) =>
      ada.update('TodoList', id, { shareWith: rights && { [users.bob.id]: rights } }),
    setOnline(is: boolean): void {
      isOnline = is;
      if (is) jmap.sync.wake();
    },
    /** Returns the texts of all that the client shows of a type. */
    shows: (type: (typeof NAMES)[number]) =>
      jmap
        .account(accountId)
        [type].live()
        .getSnapshot()
        .rows.map((row) => row['name'] ?? row['text'])
        .sort(),
  };
}

it('a client shows what is shared with its user, and forgets what is taken back', async () => {
  const { jmap, ada, accountId, share, shows } = await open();
  const [shopping, plans] = [
    await ada.create('TodoList', { name: 'Shopping' }),
    await ada.create('TodoList', { name: 'Plans' }),
  ];
  await ada.create('Todo', { text: 'Milk', listId: shopping });
  await ada.create('Todo', { text: 'Moon', listId: plans });
  await share(shopping, READ);
  // The account comes with the first share.
  await expect.poll(() => jmap.session.accounts[accountId]).toBeDefined();
  const lists = jmap.account(accountId).TodoList.live();
  const stop = lists.subscribe(() => undefined);
  await expect.poll(() => shows('TodoList')).toEqual(['Shopping']);
  await expect.poll(() => shows('Todo')).toEqual(['Milk']);
  const rights = () => lists.getSnapshot().rows[0]?.['myRights'];
  expect(rights()).toEqual({ mayRead: true, mayWrite: false, mayAdmin: false });

  await share(shopping, WRITE);
  await expect.poll(rights).toEqual({ mayRead: true, mayWrite: true, mayAdmin: false });
  await share(plans, READ);
  await expect.poll(() => shows('TodoList')).toEqual(['Plans', 'Shopping']);
  await expect.poll(() => shows('Todo')).toEqual(['Milk', 'Moon']);
  await share(shopping, null);
  await expect.poll(() => shows('TodoList')).toEqual(['Plans']);
  await expect.poll(() => shows('Todo')).toEqual(['Moon']);
  expect(jmap.problems.getSnapshot()).toEqual([]);

  // It goes with the last one.
  await share(plans, null);
  await expect.poll(() => jmap.session.accounts[accountId]).toBeUndefined();
  expect([shows('TodoList'), shows('Todo')]).toEqual([[], []]);
  stop();
});

it('offline writes of what was taken back are problems, with what they said', async () => {
  const { jmap, ada, accountId, share, shows, setOnline } = await open();
  const [shopping, kept] = [
    await ada.create('TodoList', { name: 'Shopping' }),
    await ada.create('TodoList', { name: 'Kept' }),
  ];
  const milk = await ada.create('Todo', { text: 'Milk', listId: shopping });
  await share(shopping, WRITE);
  await share(kept, WRITE);
  await expect.poll(() => jmap.session.accounts[accountId]).toBeDefined();
  const { Todo, TodoList } = jmap.account(accountId);
  await expect.poll(() => shows('Todo')).toEqual(['Milk']);

  setOnline(false);
  Todo.update(milk, { text: 'Oat milk' });
  const bread = Todo.create({ text: 'Bread', listId: shopping });
  TodoList.update(kept, { name: 'Still kept' });
  expect(await bread.saved).toBe(true);
  expect(shows('Todo')).toEqual(['Bread', 'Oat milk']);
  await share(shopping, null);
  await share(kept, READ);
  setOnline(true);

  await expect.poll(() => jmap.problems.getSnapshot()).toHaveLength(3);
  const told = jmap.problems.getSnapshot().map(({ error }) => error.type);
  expect(told.sort()).toEqual(['forbidden', 'forbidden', 'notFound']);
  const said = jmap.problems.getSnapshot().map(({ values }) => values);
  expect(said).toContainEqual({ text: 'Oat milk' });
  expect(said).toContainEqual(expect.objectContaining({ text: 'Bread' }));
  await expect.poll(() => [shows('TodoList'), shows('Todo')]).toEqual([['Kept'], []]);
  expect(await ada.sees('Todo')).toEqual([milk]);

  // A right that comes back makes the write possible again.
  await share(kept, WRITE);
  jmap.problems
    .getSnapshot()
    .find(({ values }) => (values as { readonly name?: unknown })?.name === 'Still kept')
    ?.retry();
  await expect.poll(() => shows('TodoList')).toEqual(['Still kept']);
  await jmap.sync.settled();
  expect((await ada.call('TodoList/get', { ids: [kept] })).list[0].name).toBe('Still kept');
});
