import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { type CachedClient, memory } from '../../src/index.js';
import { TABLES } from '../../src/persist/port.js';
import { failStore } from '../support/failing-store.js';
import type { TodosProject } from '../support/schema.js';
import { openBrowser } from '../support/shared-store.js';
import { useTodos } from '../support/todos.js';

// Logouts that a tab doesn't hear of: the store alone has their mark.

const served = useTodos();

type Client = CachedClient<TodosProject>;

const textsIn = (client: Client): readonly string[] =>
  client
    .account()
    .Todo.live()
    .getSnapshot()
    .rows.map(({ text }) => text);

/** Opens a tab that is in use while a closed client of its browser logs out. */
async function openThenLogOut(isLost: boolean) {
  const kept = memory();
  const openTab = openBrowser(kept);
  const [first, second] = [openTab(), openTab()];
  const failing = failStore(first.store);
  const one = await served.connect({ store: failing.store, fetch: first.fetch });
  one.account().Todo.create({ text: 'to be removed' });
  await one.sync.settled();
  const two = await served.connect({ store: second.store, fetch: second.fetch });
  await two.sync.settled();
  await two.close();
  served.proxy().decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
  if (isLost) failing.lose();
  if (isLost) expect(await one.account().Todo.create({ text: 'unsent' }).saved).toBe(false);
  await two.logout({ discard: true });
  return { kept, openTab, one, failing };
}

/** Has the tab look at its store: by a write, or by opening it again. */
async function look({ one, failing }: Awaited<ReturnType<typeof openThenLogOut>>): Promise<void> {
  failing.find();
  const late = one.account().Todo.create({ text: 'late' });
  expect(await late.saved).toBe(false);
  await eventually(() => expect(one.sync.getSnapshot().status).toBe('replaced'));
  expect(await late.result).toMatchObject({ ok: false, error: { type: 'closed' } });
}

describe.each([
  ['has its store', false],
  ['has lost its store', true],
])('a tab that %s and has not heard of a logout', (_, isLost) => {
  it('brings nothing back, and ends', async () => {
    const opened = await openThenLogOut(isLost);
    await look(opened);
    const data = await opened.kept.open([new URL(served.proxy().url).href, 'u1', 1].join(' '));
    const rows = await Promise.all(TABLES.map(async (table) => [table, await data.load(table)]));
    expect(Object.fromEntries(rows)).toEqual({
      ...Object.fromEntries(TABLES.map((table) => [table, []])),
      meta: [['life', { id: null, isAfterLogout: true }]],
    });
  });

  it('leaves the data of the next client alone, and ends', async () => {
    const opened = await openThenLogOut(isLost);
    const { store, fetch } = opened.openTab();
    const next = await served.connect({ store, fetch });
    expect(textsIn(next)).toEqual([]);
    expect(await next.account().Todo.create({ text: 'of the next' }).saved).toBe(true);
    await look(opened);
    expect(textsIn(next)).toEqual(['of the next']);
    await next.close();
    const again = await served.connect({ ...{ store, fetch }, username: 'u1' });
    expect(textsIn(again)).toEqual(['of the next']);
    expect(again.sync.getSnapshot()).toMatchObject({ pending: 1, storage: 'kept' });
    await again.logout({ discard: true });
  });
});
