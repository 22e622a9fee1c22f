import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { type CachedClient, type CacheStore, memory } from '../../src/index.js';
import { TABLES } from '../../src/persist/port.js';
import { failStore } from '../support/failing-store.js';
import type { TodosProject } from '../support/schema.js';
import { openBrowser } from '../support/shared-store.js';
import { useTodos } from '../support/todos.js';

// Clients whose store is lost, and is there again.

const served = useTodos();

type Client = CachedClient<TodosProject>;

const textsIn = (client: Client, prefix: string): readonly string[] =>
  client
    .account()
    .Todo.live()
    .getSnapshot()
    .rows.map(({ text, done }) => `${text}${done ? ' ✓' : ''}`)
    .filter((text) => text.startsWith(prefix))
    .sort();

async function textsOnServer(prefix: string): Promise<readonly string[]> {
  const { u1, A1 } = served.fixtures();
  const { list } = await u1.get('Todo', { accountId: A1, ids: null });
  return list
    .map(({ text }) => String(text))
    .filter((text) => text.startsWith(prefix))
    .sort();
}

async function writeElsewhere(text: string): Promise<void> {
  const { u1, A1 } = served.fixtures();
  await u1.set('Todo', { accountId: A1, create: { k: { text } } });
}

const isKept = (client: Client) =>
  eventually(() => expect(client.sync.getSnapshot().storage).toBe('kept'));

/** Returns what a client shows that starts from a store offline, and its pending writes. */
async function readOffline(store: CacheStore, prefix: string) {
  served.proxy().decide(() => 'drop');
  const client = await served.connect({ store, username: 'u1' });
  const texts = textsIn(client, prefix);
  const { pending } = client.sync.getSnapshot();
  const { complete } = client.account().Todo.live().getSnapshot();
  await client.close();
  served.proxy().decide(() => 'pass');
  return { texts, pending, complete };
}

/** Opens a client of a store, with writes of before its loss. */
async function open(prefix: string) {
  const kept = memory();
  const failing = failStore(kept);
  const client = await served.connect({ store: failing.store });
  const { Todo } = client.account();
  const before = Todo.create({ text: `${prefix} before` });
  await client.sync.settled();
  return { kept, failing, client, Todo, before };
}

describe('a store that is there again', () => {
  it('gets all that has happened meanwhile, in one commit', async () => {
    const { kept, failing, client, Todo, before } = await open('found');
    failing.lose();
    const made = Todo.create({ text: 'found made' });
    expect(await made.saved).toBe(false);
    expect(client.sync.getSnapshot()).toMatchObject({ storage: 'lost' });
    await client.sync.settled();
    await writeElsewhere('found elsewhere');
    Todo.update(before.object.$key, { done: true });
    await client.sync.settled();
    served.proxy().decide(() => 'drop');
    const waiting = Todo.create({ text: 'found waiting' });
    expect(await waiting.saved).toBe(false);
    failing.find();
    await isKept(client);
    const late = Todo.create({ text: 'found late' });
    expect(await late.saved).toBe(true);
    const texts = [
      'found before ✓',
      'found elsewhere',
      'found late',
      'found made',
      'found waiting',
    ];
    expect(textsIn(client, 'found')).toEqual(texts);
    await client.close();
    expect(await readOffline(kept, 'found')).toEqual({ texts, pending: 2, complete: true });
    const { length } = served.proxy().api();
    const next = await served.connect({ store: kept });
    await next.sync.settled();
    const calls = served
      .proxy()
      .api()
      .slice(length)
      .flatMap(({ methodCalls }) => methodCalls);
    expect(calls.map(([name]) => name)).not.toContain('Todo/query');
    expect(await textsOnServer('found')).toEqual(texts.map((text) => text.replace(' ✓', '')));
  });

  it('has a write sent that was held back for it, once', async () => {
    const { failing, client, Todo } = await open('held');
    served.proxy().decide(() => 'drop');
    const write = Todo.create({ text: 'held write' });
    expect(await write.saved).toBe(true);
    failing.lose();
    expect(await Todo.create({ text: 'held lost' }).saved).toBe(false);
    served.proxy().decide(() => 'pass');
    failing.find();
    await isKept(client);
    expect(await write.result).toMatchObject({ ok: true });
    await client.sync.settled();
    expect(client.sync.getSnapshot()).toMatchObject({ pending: 0, storage: 'kept' });
    expect(await textsOnServer('held')).toEqual(['held before', 'held lost', 'held write']);
  });

  it('is lost once more, and found', async () => {
    const { kept, failing, client, Todo } = await open('twice');
    for (const text of ['twice one', 'twice two']) {
      failing.lose();
      expect(await Todo.create({ text }).saved).toBe(false);
      await client.sync.settled();
      failing.find();
      await isKept(client);
    }
    await client.close();
    const texts = ['twice before', 'twice one', 'twice two'];
    expect(await readOffline(kept, 'twice')).toMatchObject({ texts, pending: 0 });
  });

  it('is left to the client that has had it meanwhile', async () => {
    const { kept, failing, client, Todo } = await open('other');
    failing.lose();
    served.proxy().decide(() => 'drop');
    expect(await Todo.create({ text: 'other of the first' }).saved).toBe(false);
    served.proxy().decide(() => 'pass');
    const second = await served.connect({ store: kept });
    await second.sync.settled();
    served.proxy().decide(() => 'drop');
    expect(await second.account().Todo.create({ text: 'other of the second' }).saved).toBe(true);
    failing.find();
    await eventually(() => expect(client.sync.getSnapshot().status).toBe('replaced'));
    await second.close();
    const { texts, pending } = await readOffline(kept, 'other');
    expect(texts).toContain('other of the second');
    expect(pending).toBe(1);
  });
});

describe('a store that the browser has emptied', () => {
  it('gets all that its client has', async () => {
    const { failing, client, Todo, before } = await open('emptied');
    Todo.create({ text: 'x'.repeat(600) });
    await client.sync.settled();
    expect(client.problems.getSnapshot()).toHaveLength(1);
    failing.lose();
    served.proxy().decide(() => 'drop');
    expect(await Todo.create({ text: 'emptied waiting' }).saved).toBe(false);
    const empty = memory();
    failing.find(empty);
    await isKept(client);
    await client.close();
    const texts = ['emptied before', 'emptied waiting'];
    expect(await readOffline(empty, 'emptied')).toEqual({ texts, pending: 1, complete: true });
    const next = await served.connect({ store: empty, username: 'u1' });
    expect(next.problems.getSnapshot()).toHaveLength(1);
    next.problems.getSnapshot()[0]?.discard();
    const row = next.account().Todo.update(before.object.$key, { done: true });
    expect(row.object).toMatchObject({ $key: before.object.$key });
    await next.sync.settled();
    expect(await textsOnServer('emptied')).toEqual(texts);
  });
});

describe('a store whose user has logged out', () => {
  it.each([
    ['stays empty', false],
    ['keeps what the next client has written', true],
  ])('%s', async (_, isAgain) => {
    const { kept, failing, client, Todo } = await open(`gone ${isAgain}`);
    failing.lose();
    served.proxy().decide(() => 'drop');
    expect(await Todo.create({ text: `gone ${isAgain} unsent` }).saved).toBe(false);
    served.proxy().decide(() => 'pass');
    const other = await served.connect({ store: kept });
    await other.logout({ discard: true });
    if (isAgain) {
      const next = await served.connect({ store: kept });
      await next.sync.settled();
      await next.close();
    }
    failing.find();
    await eventually(() => expect(client.sync.getSnapshot().status).toBe('replaced'));
    const data = await kept.open([new URL(served.proxy().url).href, 'u1', 1].join(' '));
    expect(await data.load('log')).toEqual([]);
    if (!isAgain) {
      for (const table of TABLES)
        expect((await data.load(table)).map(([key]) => key)).toEqual(
          table === 'meta' ? ['life'] : [],
        );
    }
    await data.close();
  });
});

describe('a client that starts without its store', () => {
  it('has it once it is there, with what an earlier client has written', async () => {
    const { kept, failing, client, Todo } = await open('start');
    served.proxy().decide(() => 'drop');
    expect(await Todo.create({ text: 'start unsent' }).saved).toBe(true);
    await client.close();
    served.proxy().decide(() => 'pass');
    failing.lose();
    const next = await served.connect({ store: failing.store, username: 'u1' });
    served.proxy().decide(() => 'drop');
    expect(next.sync.getSnapshot()).toMatchObject({ storage: 'lost' });
    const write = next.account().Todo.create({ text: 'start in memory' });
    expect(await write.saved).toBe(false);
    failing.find();
    await isKept(next);
    expect(next.sync.getSnapshot()).toMatchObject({ pending: 2 });
    const texts = ['start before', 'start in memory', 'start unsent'];
    expect(textsIn(next, 'start')).toEqual(texts);
    served.proxy().decide(() => 'pass');
    await next.sync.settled();
    expect(await write.result).toMatchObject({ ok: true });
    expect(await textsOnServer('start')).toEqual(texts);
    await next.close();
    expect(await readOffline(kept, 'start')).toEqual({ texts, pending: 0, complete: true });
  });
});

describe('a tab that has lost the store', () => {
  it.each([
    ['goes on where no other has committed', false],
    ['reads what others have committed', true],
  ])('%s', async (_, hasOther) => {
    const prefix = `tab ${hasOther}`;
    const openTab = openBrowser();
    const tabs = [openTab(), openTab()] as const;
    const failing = failStore(tabs[0].store);
    const one = await served.connect({ store: failing.store, fetch: tabs[0].fetch });
    await one.sync.settled();
    const two = await served.connect({ store: tabs[1].store, fetch: tabs[1].fetch });
    await two.sync.settled();
    if (!hasOther) tabs[1].freeze();
    failing.lose();
    const made = one.account().Todo.create({ text: `${prefix} made` });
    expect(await made.saved).toBe(false);
    await one.sync.settled();
    if (hasOther) await two.account().Todo.create({ text: `${prefix} of the other` }).result;
    served.proxy().decide(() => 'drop');
    const waiting = one.account().Todo.create({ text: `${prefix} waiting` });
    expect(await waiting.saved).toBe(false);
    failing.find();
    tabs[1].thaw();
    await isKept(one);
    const texts = [
      `${prefix} made`,
      ...(hasOther ? [`${prefix} of the other`] : []),
      `${prefix} waiting`,
    ];
    await eventually(() => expect(textsIn(two, prefix)).toContain(`${prefix} waiting`));
    served.proxy().decide(() => 'pass');
    await Promise.all([one, two].map((client) => client.sync.settled()));
    expect(await waiting.result).toMatchObject({ ok: true });
    await eventually(() => {
      for (const client of [one, two]) {
        expect(textsIn(client, prefix)).toEqual(texts);
        expect(client.sync.getSnapshot()).toMatchObject({ pending: 0, storage: 'kept' });
      }
    });
    expect(await textsOnServer(prefix)).toEqual(texts);
  });
});
