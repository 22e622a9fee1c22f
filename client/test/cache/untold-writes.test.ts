import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { type CachedClient, memory } from '../../src/index.js';
import { failStore } from '../support/failing-store.js';
import type { TodosProject } from '../support/schema.js';
import { openBrowser, type Tab } from '../support/shared-store.js';
import { useTodos } from '../support/todos.js';
import { followCommits } from '../support/wrap-store.js';
import { Ice } from '../tabs/doubles.js';

// A tab makes an object and ends before it has told the others. A new tab reads it, and changes it.

const served = useTodos();
const frozen: Tab[] = [];

afterEach(() => {
  for (const tab of frozen.splice(0)) tab.thaw();
});

type Client = CachedClient<TodosProject>;

const textsIn = (client: Client): readonly string[] =>
  client
    .account()
    .Todo.live()
    .getSnapshot()
    .rows.map(({ text, done }) => `${text}${done ? ' ✓' : ''}`);

async function readTexts(): Promise<readonly string[]> {
  const { u1, A1 } = served.fixtures();
  const { list } = await u1.get('Todo', { accountId: A1, ids: null });
  return list.map(({ text, done }) => `${text}${done === true ? ' ✓' : ''}`).sort();
}

/** Returns what the server has, and removes it. */
async function takeTexts(): Promise<readonly string[]> {
  const { u1, A1 } = served.fixtures();
  const texts = await readTexts();
  const { list } = await u1.get('Todo', { accountId: A1, ids: null });
  await u1.set('Todo', { accountId: A1, destroy: list.map(({ id }) => String(id)) });
  return texts;
}

/** A browser in which a tab ends as soon as the store has its row of the text "untold". */
function openBrowserWithEnd() {
  let first: Tab | null = null;
  const openTab = openBrowser(
    followCommits(memory(), (rows) => {
      const isUntold = rows.some(({ value }) => JSON.stringify(value ?? null).includes('"untold"'));
      const tab = isUntold ? first : null;
      if (tab === null) return;
      first = null;
      tab.kill();
      return tab.wait();
    }),
  );
  return {
    openTab,
    /** Makes the object in a tab, which ends then. */
    async make(tab: Tab, client: Client): Promise<void> {
      first = tab;
      void client.account().Todo.create({ text: 'untold' });
      await eventually(() => expect(first).toBeNull());
      frozen.push(tab);
    },
  };
}

const isWrite = (init: RequestInit | undefined): boolean =>
  init?.method === 'POST' && String(init.body).includes('/set');

/** Opens a tab that goes offline then: it sends no writes of the others. */
async function openOffline({ store, fetch }: Tab): Promise<Client> {
  let isOnline = true;
  const client = await served.connect({
    store,
    async fetch(url, init) {
      if (!isOnline) throw new TypeError('offline');
      return fetch(url, init);
    },
  });
  await client.sync.settled();
  isOnline = false;
  return client;
}

/** Opens a tab that is in its turn: the answer to its write is on its way. */
async function openSender(tab: Tab) {
  const answers = new Ice();
  let isSending = false;
  const client = await served.connect({
    store: tab.store,
    async fetch(url, init) {
      isSending ||= isWrite(init);
      const response = await tab.fetch(url, init);
      if (isWrite(init)) await answers.wait();
      return response;
    },
  });
  await client.sync.settled();
  answers.freeze();
  const write = client.account().Todo.create({ text: 'sent' });
  await eventually(() => expect(isSending).toBe(true));
  return { client, answers, write };
}

/** Opens a tab, and changes the object that it has read. */
async function changeUntold({ store, fetch }: Tab) {
  const client = await served.connect({ store, fetch });
  const find = () => client.account().Todo.live().getSnapshot().rows.find(isUntold);
  await eventually(() => expect(find()).toBeDefined());
  const update = client.account().Todo.update(find()?.$key ?? '', { done: true });
  expect(await update.saved).toBe(true);
  return update;
}

const isUntold = ({ text }: { readonly text: string }): boolean => text === 'untold';

describe('a write of an object that no tab has told of', () => {
  it('is made by a tab that has its turn meanwhile', async () => {
    const { openTab, make } = openBrowserWithEnd();
    const [ended, tab, late] = [openTab(), openTab(), openTab()];
    const one = await openOffline(ended);
    const sender = await openSender(tab);
    await make(ended, one);
    expect(textsIn(sender.client)).not.toContain('untold');
    const update = await changeUntold(late);
    sender.answers.thaw();
    expect(await sender.write.result).toMatchObject({ ok: true });
    expect(await update.result).toMatchObject({ ok: true });
    expect(await takeTexts()).toEqual(['sent', 'untold ✓']);
  });

  it('is no problem of a tab that has lost its store', async () => {
    const { openTab, make } = openBrowserWithEnd();
    const [ended, lost, tab, late] = [openTab(), openTab(), openTab(), openTab()];
    const failing = failStore(lost.store);
    const one = await openOffline(ended);
    const two = await served.connect({ store: failing.store, fetch: lost.fetch });
    await two.sync.settled();
    failing.lose();
    expect(await two.account().Todo.create({ text: 'own' }).saved).toBe(false);
    await two.sync.settled();
    const sender = await openSender(tab);
    await make(ended, one);
    const update = await changeUntold(late);
    await eventually(() => expect(two.sync.getSnapshot().pending).toBe(1));
    await two.sync.settled();
    expect(two.problems.getSnapshot()).toEqual([]);
    sender.answers.thaw();
    expect(await update.result).toMatchObject({ ok: true });
    failing.find();
    await two.sync.settled();
    expect(two.problems.getSnapshot()).toEqual([]);
    expect(await takeTexts()).toEqual(['own', 'sent', 'untold ✓']);
  });
});
