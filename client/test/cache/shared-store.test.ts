import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { type CachedClient, memory } from '../../src/index.js';
import type { Change, Store } from '../../src/persist/port.js';
import type { TodosProject } from '../support/schema.js';
import { openBrowser, type Tab } from '../support/shared-store.js';
import { useTodos } from '../support/todos.js';
import { followCommits } from '../support/wrap-store.js';

// Clients of one user in tabs that share a store.

const served = useTodos({}, ['A2', 'AX', 'u2']);

type Client = CachedClient<TodosProject>;

const connectIn = ({ store, fetch }: Tab, username?: string): Promise<Client> =>
  served.connect({ store, fetch, ...(username && { username }) });

/** Opens clients in tabs of one browser, one after the other. */
async function openTabs(count: number) {
  const openTab = openBrowser();
  const tabs = Array.from({ length: count }, openTab);
  const clients: Client[] = [];
  for (const tab of tabs) {
    const client = await connectIn(tab);
    await client.sync.settled();
    clients.push(client);
  }
  return { openTab, tabs, clients };
}

const textsIn = (client: Client): readonly string[] =>
  client
    .account()
    .Todo.live()
    .getSnapshot()
    .rows.map(({ text, done }) => `${text}${done ? ' ✓' : ''}`);

const pendingIn = (client: Client): number => client.sync.getSnapshot().pending;

async function readTexts(prefix: string): Promise<readonly string[]> {
  const { u1, A1 } = served.fixtures();
  const { list } = await u1.get('Todo', { accountId: A1, ids: null });
  return list.map(({ text }) => String(text)).filter((text) => text.startsWith(prefix));
}

async function writeElsewhere(text: string): Promise<void> {
  const { u1, A1 } = served.fixtures();
  await u1.set('Todo', { accountId: A1, create: { k: { text } } });
}

const countStreams = (tabs: readonly Tab[]): number =>
  tabs.flatMap(({ requested }) => requested).filter(({ pathname }) => /eventsource/.test(pathname))
    .length;

describe('an account that another tab has read', () => {
  it('is there without the server', async () => {
    const { clients } = await openTabs(2);
    const [one, two] = clients as [Client, Client];
    const { u1, A2 } = served.fixtures();
    await u1.set('Todo', { accountId: A2, create: { k: { text: 'elsewhere' } } });
    one.account(A2 as never);
    await one.sync.settled();
    served.proxy().decide(() => 'drop');
    const texts: string[][] = [];
    const end = two
      .account(A2 as never)
      .Todo.live()
      .subscribe(({ rows }) => texts.push(rows.map(({ text }) => text)));
    await expect.poll(() => texts.at(-1)).toEqual(['elsewhere']);
    end();
    served.proxy().decide(() => 'pass');
    await Promise.all(clients.map((client) => client.close()));
  });
});

describe('a write of a tab', () => {
  it('shows in the others without the server, and ends in all of them', async () => {
    const { clients } = await openTabs(3);
    const [one, two, three] = clients as [Client, Client, Client];
    served.proxy().decide(() => 'drop');
    const write = one.account().Todo.create({ text: 'shown' });
    expect(await write.saved).toBe(true);
    await eventually(() => {
      for (const client of clients) expect(textsIn(client)).toContain('shown');
    });
    expect(clients.map(pendingIn)).toEqual([1, 1, 1]);
    const update = three.account().Todo.update(write.object.$key, { done: true });
    await eventually(() => {
      for (const client of clients) expect(textsIn(client)).toContain('shown ✓');
    });
    expect(two.account().Todo.live().getSnapshot().rows).toContainEqual(
      expect.objectContaining({ $key: write.object.$key, $pending: true }),
    );
    served.proxy().decide(() => 'pass');
    await two.sync.settled();
    expect(await write.result).toMatchObject({ ok: true, object: { $key: write.object.$key } });
    expect(await update.result).toMatchObject({ ok: true });
    await eventually(() => expect(clients.map(pendingIn)).toEqual([0, 0, 0]));
    expect(await readTexts('shown')).toEqual(['shown']);
  });

  it('of an object that another tab makes is one with it, unless that is being sent', async () => {
    const { clients } = await openTabs(3);
    const [one, two, three] = clients as [Client, Client, Client];
    served.proxy().decide(({ method }) => (method === 'POST' ? 'hang' : 'pass'));
    const first = one.account().Todo.create({ text: 'one is sent' });
    const { length } = served.proxy().api();
    await eventually(() => expect(served.proxy().api().length).toBeGreaterThan(length));
    const create = one.account().Todo.create({ text: 'one' });
    await eventually(() => expect(textsIn(two)).toContain('one'));
    const updates = [first, create].map(({ object }) =>
      two.account().Todo.update(object.$key, { done: true }),
    );
    await eventually(() => expect(textsIn(three)).toContain('one ✓'));
    served.proxy().decide(() => 'pass');
    served.proxy().cut();
    for (const { result } of updates)
      expect(await result).toMatchObject({ ok: true, object: { done: true } });
    const sets = served
      .proxy()
      .api()
      .flatMap(({ methodCalls }) => methodCalls.filter(([name]) => name === 'Todo/set'));
    expect(sets.flatMap(([, args]) => Object.keys(args['update'] ?? {}))).toHaveLength(1);
  });

  it('and its undoing in another one are told to the server as nothing', async () => {
    const { clients } = await openTabs(2);
    const [one, two] = clients as [Client, Client];
    served.proxy().decide(() => 'drop');
    const create = one.account().Todo.create({ text: 'undone' });
    await eventually(() => expect(textsIn(two)).toContain('undone'));
    // It may have been put into a request by now: one that is behind it was not.
    const late = one.account().Todo.create({ text: 'undone too' });
    await eventually(() => expect(textsIn(two)).toContain('undone too'));
    const destroys = [create, late].map(({ object }) => two.account().Todo.destroy(object.$key));
    await eventually(() => expect(textsIn(one)).not.toContain('undone too'));
    served.proxy().decide(() => 'pass');
    await Promise.all(clients.map((client) => client.sync.settled()));
    for (const { result } of [create, late, ...destroys])
      expect(await result).toMatchObject({ ok: true });
    expect(await readTexts('undone')).toEqual([]);
  });

  it('is sent by another one where its tab ends without a word', async () => {
    const { tabs, clients } = await openTabs(2);
    served.proxy().decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
    const write = clients[0]?.account().Todo.create({ text: 'of a dead tab' });
    expect(await write?.saved).toBe(true);
    tabs[0]?.kill();
    served.proxy().decide(() => 'pass');
    await eventually(async () => expect(await readTexts('of a dead')).toHaveLength(1));
    await eventually(() => expect(pendingIn(clients[1] as Client)).toBe(0));
    tabs[0]?.thaw();
  });

  it('that is refused is a problem in all, until one of them has dealt with it', async () => {
    const { clients } = await openTabs(2);
    const [one, two] = clients as [Client, Client];
    one.account().Todo.create({ text: 'x'.repeat(600) });
    await one.sync.settled();
    await eventually(() => expect(two.problems.getSnapshot()).toHaveLength(1));
    expect(one.problems.getSnapshot()).toHaveLength(1);
    two.problems.getSnapshot()[0]?.discard();
    await eventually(() => expect(one.problems.getSnapshot()).toEqual([]));
  });

  it('that is refused is no problem where its tab has asked for the result', async () => {
    const { clients } = await openTabs(2);
    const [one, two] = clients as [Client, Client];
    served.proxy().decide(() => 'drop');
    const { result } = one.account().Todo.create({ text: 'x'.repeat(600) });
    await eventually(() => expect(pendingIn(two)).toBe(1));
    served.proxy().decide(() => 'pass');
    await two.sync.settled();
    expect(await result).toMatchObject({ ok: false, error: { type: 'invalidProperties' } });
    await eventually(() => {
      for (const { problems } of clients) expect(problems.getSnapshot()).toEqual([]);
    });
  });
});

/** Returns a store that calls `end` behind each commit that removes such a row. */
function removing(isSuch: (row: Change) => boolean, end: () => Promise<void> | undefined): Store {
  return followCommits(memory(), (rows) =>
    rows.some((row) => row.value === undefined && isSuch(row as Change)) ? end() : undefined,
  );
}

/** Opens two tabs: one ends as soon as its commit has the answer to a write of the other's. */
async function openWithSender() {
  let end: (() => Promise<void>) | null = null;
  const openTab = openBrowser(
    removing(
      ({ table }) => table === 'log',
      () => end?.(),
    ),
  );
  const [sender, tab] = [openTab(), openTab()];
  const one = await connectIn(sender);
  await one.sync.settled();
  let isOnline = true;
  const fetchIn: typeof fetch = async (...args) => {
    if (!isOnline) throw new TypeError('offline');
    return tab.fetch(...args);
  };
  const two = await served.connect({ store: tab.store, fetch: fetchIn });
  await two.sync.settled();
  isOnline = false;
  const isOver = new Promise<void>((resolve) => {
    end = () => {
      end = null;
      sender.kill();
      resolve();
      return sender.wait();
    };
  });
  return {
    two,
    /** Resolves when the one tab has ended, and the other one has heard of nothing more to send. */
    async send() {
      await isOver;
      isOnline = true;
      two.sync.wake();
      await eventually(() => expect(pendingIn(two)).toBe(0));
      sender.thaw();
    },
  };
}

describe('a write whose answer a tab commits and never tells', () => {
  it('is refused where the server has refused it', async () => {
    const { two, send } = await openWithSender();
    const { result } = two.account().Todo.create({ text: 'x'.repeat(600) });
    two.account().Todo.create({ text: 'y'.repeat(600) });
    await send();
    expect(await result).toMatchObject({ ok: false, error: { type: 'invalidProperties' } });
    expect(two.problems.getSnapshot()).toMatchObject([{ values: { text: 'y'.repeat(600) } }]);
  });

  it('ends with the object as the server has made it', async () => {
    const { two, send } = await openWithSender();
    const create = two.account().Todo.create({ text: 'made by another' });
    await send();
    const { object } = (await create.result) as { readonly object: typeof create.object };
    expect(object).toMatchObject({ $key: create.object.$key, $pending: false });
    expect(object.id).not.toBe(create.object.id);
  });
});

describe('a problem that a tab has dealt with and never tells', () => {
  it('is none of the others when they have done something next', async () => {
    let end: (() => Promise<void>) | null = null;
    const openTab = openBrowser(
      removing(
        ({ key }) => /^problem /.test(key),
        () => end?.(),
      ),
    );
    const tabs = [openTab(), openTab()] as const;
    const [one, two] = [await connectIn(tabs[0]), await connectIn(tabs[1])];
    one.account().Todo.create({ text: 'x'.repeat(600) });
    await one.sync.settled();
    await eventually(() => expect(two.problems.getSnapshot()).toHaveLength(1));
    const isOver = new Promise<void>((resolve) => {
      end = () => {
        tabs[0].kill();
        resolve();
        return tabs[0].wait();
      };
    });
    one.problems.getSnapshot()[0]?.discard();
    await isOver;
    expect(two.problems.getSnapshot()).toHaveLength(1);
    await two.account().Todo.create({ text: 'next' }).result;
    expect(two.problems.getSnapshot()).toEqual([]);
    tabs[0].thaw();
  });
});

describe('tabs', () => {
  it('have one push connection, and ask once for what it tells', async () => {
    const { tabs, clients } = await openTabs(3);
    await Promise.all(clients.map((client) => client.sync.settled()));
    const { length } = served.proxy().api();
    await writeElsewhere('told to one');
    await eventually(() => {
      for (const client of clients) expect(textsIn(client)).toContain('told to one');
    });
    // All of them have their turns: the later ones find nothing to do.
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(served.proxy().api()).toHaveLength(length + 1);
    expect(countStreams(tabs)).toBe(1);
  });

  it('hand the push connection on when its tab ends', async () => {
    const { tabs, clients } = await openTabs(2);
    await eventually(() => expect(countStreams(tabs.slice(0, 1))).toBe(1));
    tabs[0]?.kill();
    await eventually(() => expect(countStreams(tabs.slice(1))).toBe(1));
    await writeElsewhere('after the end');
    await eventually(() => expect(textsIn(clients[1] as Client)).toContain('after the end'));
    tabs[0]?.thaw();
  });

  it('read all objects once, where all are opened at the same time', async () => {
    const tabs = Array.from({ length: 3 }, openBrowser());
    const clients = await Promise.all(tabs.map((tab) => connectIn(tab)));
    await Promise.all(clients.map((client) => client.sync.settled()));
    for (const client of clients)
      expect(client.account().Todo.live().getSnapshot()).toMatchObject({ complete: true });
    const calls = served
      .proxy()
      .api()
      .flatMap(({ methodCalls }) => methodCalls);
    expect(calls.filter(([name]) => name === 'Todo/query')).toHaveLength(1);
  });

  it('go on from the store where they have not heard of a commit', async () => {
    const { tabs, clients } = await openTabs(2);
    const [one, two] = clients as [Client, Client];
    tabs[1]?.freeze();
    tabs[1]?.rob();
    for (const text of ['missed', 'missed too']) await one.account().Todo.create({ text }).result;
    tabs[1]?.thaw();
    await eventually(() =>
      expect(textsIn(two)).toEqual(expect.arrayContaining(['missed', 'missed too'])),
    );
    const write = two.account().Todo.create({ text: 'of the thawed' });
    expect(await write.result).toMatchObject({ ok: true });
    await eventually(() => expect(textsIn(one)).toContain('of the thawed'));
  });

  it('send a write once, where the one that sends it freezes before the answer', async () => {
    const { tabs, clients } = await openTabs(2);
    const [one, two] = clients as [Client, Client];
    let isFrozen = false;
    served.proxy().decide(({ text }) => {
      if (!isFrozen && text.includes('of the frozen')) {
        isFrozen = true;
        tabs[0]?.freeze();
      }
      return 'pass';
    });
    const write = one.account().Todo.create({ text: 'of the frozen' });
    await eventually(() => expect(isFrozen).toBe(true));
    await eventually(() => expect(textsIn(two)).toContain('of the frozen'));
    tabs[0]?.rob();
    await eventually(() => expect(pendingIn(two)).toBe(0));
    two.account().Todo.update(write.object.$key, { done: true });
    await two.sync.settled();
    tabs[0]?.thaw();
    expect(await write.result).toMatchObject({ ok: true });
    await one.sync.settled();
    expect(textsIn(one)).toContain('of the frozen ✓');
    expect(one.sync.getSnapshot()).toMatchObject({ status: 'live', pending: 0, storage: 'kept' });
    expect(await readTexts('of the frozen')).toHaveLength(1);
  });

  it('show what waits in the store, where they are opened without the server', async () => {
    const { openTab, clients } = await openTabs(1);
    served.proxy().decide(() => 'drop');
    const write = clients[0]?.account().Todo.create({ text: 'waits' });
    expect(await write?.saved).toBe(true);
    const later = await connectIn(openTab(), 'u1');
    expect(textsIn(later)).toContain('waits');
    expect(pendingIn(later)).toBe(1);
    served.proxy().decide(() => 'pass');
    await later.sync.settled();
    expect(await write?.result).toMatchObject({ ok: true });
  });

  it('go on when one of them is closed', async () => {
    const { clients } = await openTabs(2);
    const [one, two] = clients as [Client, Client];
    const write = one.account().Todo.create({ text: 'before the close' });
    expect(await write.saved).toBe(true);
    await one.close();
    await two.sync.settled();
    expect(textsIn(two)).toContain('before the close');
    await writeElsewhere('behind the close');
    await eventually(() => expect(textsIn(two)).toContain('behind the close'));
    expect(two.sync.getSnapshot()).toMatchObject({ status: 'live', pending: 0, storage: 'kept' });
  });

  it('are closed for good when the user logs out in one of them', async () => {
    const { openTab, clients } = await openTabs(2);
    const [one, two] = clients as [Client, Client];
    one.account().Todo.create({ text: 'to be removed' });
    await one.sync.settled();
    await one.logout();
    await eventually(() => expect(two.sync.getSnapshot().status).toBe('replaced'));
    const write = two.account().Todo.create({ text: 'late' });
    expect(await write.saved).toBe(false);
    await two.logout();
    served.proxy().decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
    const later = await connectIn(openTab());
    expect(later.account().Todo.live().getSnapshot()).toMatchObject({ rows: [], complete: false });
  });

  it('of two users have data of their own', async () => {
    const openTab = openBrowser();
    const [one, two] = [openTab(), openTab()];
    const first = await connectIn(one);
    first.account().Todo.create({ text: 'mine' });
    await first.sync.settled();
    const { u2 } = served.fixtures();
    const second = await served.connect({ store: two.store, token: u2.token });
    await second.sync.settled();
    expect(textsIn(second)).toEqual([]);
    expect(textsIn(first)).toContain('mine');
  });
});
