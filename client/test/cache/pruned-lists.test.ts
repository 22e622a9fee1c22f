import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { type CachedClient, memory } from '../../src/index.js';
import type { TodosProject } from '../support/schema.js';
import { openBrowser } from '../support/shared-store.js';
import { useTodos } from '../support/todos.js';

// Lists that nobody looks at any more leave the store, where no other tab may look at them.

const served = useTodos();
afterEach(() => {
  vi.restoreAllMocks();
});

type Client = CachedClient<TodosProject>;

const MINUTE = 60_000;

/** Looks at a list, which the server decides, until it is there. */
async function lookAt(client: Client, text: string): Promise<void> {
  const list = client.account().Todo.live({ filter: { text } });
  const leave = list.subscribe(() => undefined);
  await eventually(() => expect(list.getSnapshot()).toMatchObject({ complete: true }));
  leave();
}

/** Opens a store, and counts its lists. */
async function openKept() {
  const kept = memory();
  const openTab = openBrowser(kept);
  const name = [new URL(served.proxy().url).href, 'u1', 1].join(' ');
  const connect = async () => {
    const tab = openTab();
    const client = await served.connect({
      ...{ store: tab.store, fetch: tab.fetch, coverage: { Todo: 'known' } },
    });
    await client.sync.settled();
    return { tab, client };
  };
  const listNames = async () => (await (await kept.open(name)).load('lists')).map(([key]) => key);
  return { connect, listNames };
}

/** Lets minutes pass, of which the clock alone knows, and makes a cycle. */
async function pass(client: Client, minutes: number): Promise<void> {
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + minutes * MINUTE);
  client.sync.wake();
  await client.sync.settled();
  // Another tab needs a moment to answer.
  await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('lists that nobody looks at', () => {
  it('leave the store once the other tab is gone', async () => {
    const { connect, listNames } = await openKept();
    const [one, two] = [await connect(), await connect()];
    await two.client.close();
    for (let n = 0; n < 25; n += 1) await lookAt(one.client, `gone ${n}`);
    await one.client.sync.settled();
    expect(await listNames()).toHaveLength(25);
    await pass(one.client, 6);
    await pass(one.client, 1);
    expect(await listNames()).toHaveLength(20);
  });

  it('stay while the other tab is there', async () => {
    const { connect, listNames } = await openKept();
    const [one] = [await connect(), await connect()];
    for (let n = 0; n < 25; n += 1) await lookAt(one.client, `kept ${n}`);
    await pass(one.client, 6);
    await pass(one.client, 1);
    expect(await listNames()).toHaveLength(25);
  });

  it('leave the store where many writes have been answered since', async () => {
    const { connect, listNames } = await openKept();
    const { client } = await connect();
    await lookAt(client, 'busy');
    const me = client.account();
    for (let n = 0; n < 101; n += 1) me.Todo.create({ text: `answered ${n}` });
    await client.sync.settled();
    expect(await listNames()).toEqual([]);
  });
});

it('a list of a frozen tab that another one has removed is asked for again', async () => {
  const { connect, listNames } = await openKept();
  const [one, two] = [await connect(), await connect()];
  const list = two.client.account().Todo.live({ filter: { text: 'of the frozen tab' } });
  list.subscribe(() => undefined);
  await eventually(() => expect(list.getSnapshot()).toMatchObject({ complete: true }));
  two.tab.freeze();
  for (let n = 0; n < 25; n += 1) await lookAt(one.client, `frozen ${n}`);
  await pass(one.client, 6);
  await pass(one.client, 1);
  expect((await listNames()).join()).not.toContain('of the frozen tab');
  two.tab.thaw();
  await eventually(async () => expect((await listNames()).join()).toContain('of the frozen tab'));
  await eventually(() =>
    expect(list.getSnapshot()).toMatchObject({ complete: true, status: 'live' }),
  );
});
