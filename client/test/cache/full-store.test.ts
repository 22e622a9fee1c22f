import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { memory } from '../../src/index.js';
import type { Table } from '../../src/persist/port.js';
import type { Coverage } from '../../src/store/replica.js';
import { limitRoom, limitStore } from '../support/limited-store.js';
import { openBrowser, type Tab } from '../support/shared-store.js';
import { useTodos } from '../support/todos.js';

// Stores whose room is used up: first by objects that nobody needs, then by files.

const served = useTodos();

/** Some 400 octets in a store each. */
const long = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${prefix} ${at} ${'x'.repeat(300)}`);

const LISTED = long('listed', 20);

beforeAll(async () => {
  const { u1, A1 } = served.fixtures();
  const create = Object.fromEntries(LISTED.map((text, at) => [`k${at}`, { text, done: true }]));
  await u1.set('Todo', { accountId: A1, create });
});

const SEARCH = { filter: { done: true } };

/** A store with the data of the user, and room for so many octets more once it is limited. */
function makeStore() {
  let most = Number.POSITIVE_INFINITY;
  const kept = memory();
  const { store, used } = limitRoom(kept, () => most);
  return {
    ...{ kept, store, used },
    limit(more: number) {
      most = used() + more;
    },
    async read(table: Table): Promise<string> {
      const open = await kept.open([new URL(served.proxy().url).href, 'u1', 1].join(' '));
      return JSON.stringify(await open.load(table));
    },
  };
}

type Options = NonNullable<Parameters<typeof served.connect>[0]>;

const open = (options: Options & { readonly store: Tab['store'] }, keeps: Coverage = 'known') =>
  served.connect({ ...options, coverage: { Todo: keeps } });

/** A client whose store has objects that no list shows, and no room for those of one. */
async function openFull(store: Tab['store'], limit: (more: number) => void) {
  const jmap = await open({ store });
  const { Todo } = jmap.account();
  await jmap.sync.settled();
  const loose = long('loose', 30).map((text) => Todo.create({ text }).object);
  await jmap.sync.settled();
  limit(4000);
  return { jmap, Todo, loose };
}

const texts = (rows: readonly { readonly text: string }[]) => rows.map(({ text }) => text).sort();
const ALL = [...LISTED].sort();

describe('a full store', () => {
  it('of a fresh client is no reason to fail', async () => {
    const { store, limit } = makeStore();
    limit(10_000);
    const jmap = await open({ store });
    const list = jmap.account().Todo.live(SEARCH);
    const end = list.subscribe(() => undefined);
    await eventually(() => expect(texts(list.getSnapshot().rows)).toEqual(ALL));
    expect(jmap.sync.getSnapshot()).toMatchObject({ storage: 'kept', status: 'live' });
    end();
  });

  it('is not lost by a client that starts', async () => {
    const { store, limit } = makeStore();
    const first = await open({ store });
    await first.sync.settled();
    await first.close();
    limit(0);
    const jmap = await open({ store, username: 'u1' });
    const seen = new Set<string>();
    jmap.sync.subscribe(({ storage }) => seen.add(storage));
    await jmap.sync.settled();
    expect([...seen]).toEqual(['kept']);
  });

  it('keeps what lists show in the place of objects that none shows', async () => {
    const { kept, store, limit, read } = makeStore();
    const { jmap, Todo } = await openFull(store, limit);
    expect(await read('objects')).toContain('loose 7 ');
    const list = Todo.live(SEARCH);
    const end = list.subscribe(() => undefined);
    await expect.poll(() => texts(list.getSnapshot().rows)).toEqual(ALL);
    await jmap.sync.settled();
    // Behind the list: there is room again, and no more than for it.
    served.proxy().decide(() => 'drop');
    expect(await Todo.create({ text: 'waiting', done: true }).saved).toBe(true);
    expect(jmap.sync.getSnapshot()).toMatchObject({ storage: 'kept' });
    const objects = await read('objects');
    for (const text of LISTED) expect(objects).toContain(text);
    expect(objects).not.toContain('loose');
    expect(await read('log')).toContain('waiting');
    end();
    await jmap.close();
    const again = await open({ store: kept, username: 'u1' });
    const shown = again.account().Todo.live(SEARCH).getSnapshot();
    expect(texts(shown.rows)).toEqual([...ALL, 'waiting']);
    served.proxy().decide(() => 'pass');
    await again.sync.settled();
    const { list: found } = await again.account().Todo.get();
    const sent = found.filter(({ text }) => text === 'waiting');
    expect(sent).toHaveLength(1);
    await again.account().Todo.destroy(sent[0]?.id ?? '').result;
  });

  it('forgets none that a pending write changes', async () => {
    const { store, limit, read } = makeStore();
    const { jmap, Todo, loose } = await openFull(store, limit);
    served.proxy().decide(() => 'drop');
    const write = Todo.update(loose[3]?.$key ?? '', { text: 'written' });
    expect(await write.saved).toBe(true);
    limit(0);
    expect(await Todo.create({ text: 'a further one' }).saved).toBe(true);
    const objects = await read('objects');
    expect(objects).toContain('loose 3 ');
    expect(objects).not.toContain('loose 4 ');
    expect(await read('log')).toContain('written');
    served.proxy().decide(() => 'pass');
    await jmap.sync.settled();
    expect(await write.result).toMatchObject({ ok: true, object: { text: 'written' } });
  });

  it('gets a write that a tab makes between its turns', async () => {
    const { kept, store, limit, read } = makeStore();
    const { jmap, Todo } = await openFull(openBrowser(store)().store, limit);
    served.proxy().decide(() => 'drop');
    limit(0);
    expect(await Todo.create({ text: 'between turns' }).saved).toBe(true);
    expect(await read('log')).toContain('between turns');
    expect(await read('objects')).not.toContain('loose');
    expect(jmap.sync.getSnapshot()).toMatchObject({ storage: 'kept', pending: 1 });
    await jmap.close();
    served.proxy().decide(() => 'pass');
    const again = await open({ store: kept });
    await again.sync.settled();
    const { list } = await again.account().Todo.get();
    const made = list.filter(({ text }) => text === 'between turns');
    expect(made).toHaveLength(1);
  });

  it('of several tabs loses nothing that one of them may show', async () => {
    const { store, limit, read } = makeStore();
    const openTab = openBrowser(store);
    const { jmap, Todo } = await openFull(openTab().store, limit);
    const other = await open({ store: openTab().store });
    await other.sync.settled();
    await expect.poll(() => other.sync.getSnapshot().status).toBe('live');
    other.account().Todo.create({ text: 'hello' });
    await other.sync.settled();
    const list = Todo.live(SEARCH);
    const end = list.subscribe(() => undefined);
    await expect.poll(() => texts(list.getSnapshot().rows)).toEqual(ALL);
    await jmap.sync.settled();
    expect(await read('objects')).toContain('loose 7 ');
    expect(await read('objects')).not.toContain('listed 7 ');
    const late = other.account().Todo.live(SEARCH);
    const stop = late.subscribe(() => undefined);
    await expect.poll(() => texts(late.getSnapshot().rows)).toEqual(ALL);
    end();
    stop();
  });

  it('has no tab go back to the objects that it has', async () => {
    const { kept, read } = makeStore();
    let isLimited = false;
    // There is room for writes, and none for objects.
    const store = limitStore(kept, (changes) =>
      isLimited && changes.some(({ table, value }) => table === 'objects' && value !== undefined)
        ? 'full'
        : 'kept',
    );
    const openTab = openBrowser(store);
    const tabs = [openTab(), openTab()];
    const clients = await Promise.all(tabs.map((tab) => open({ store: tab.store }, 'all')));
    for (const { sync } of clients) await sync.settled();
    const storages = new Set<string>();
    for (const { sync } of clients) sync.subscribe(({ storage }) => storages.add(storage));
    isLimited = true;
    const [first] = clients;
    const texts = long('frozen', 20);
    for (const text of texts) first?.account().Todo.create({ text });
    await first?.sync.settled();
    expect(await read('objects')).not.toContain('frozen 19 ');
    const shown = clients.map((jmap) => {
      const list = jmap.account().Todo.live();
      const count = () =>
        list.getSnapshot().rows.filter(({ text }) => text.startsWith('frozen')).length;
      const counts: number[] = [];
      list.subscribe(() => counts.push(count()));
      return { count, counts };
    });
    for (const { count } of shown) await eventually(() => expect(count()).toBe(20));
    for (const { counts } of shown) counts.length = 0;
    for (const [at, jmap] of clients.entries()) {
      jmap.account().Todo.create({ text: `later ${at}` });
      await jmap.sync.settled();
    }
    expect(shown.flatMap(({ counts }) => counts).filter((count) => count < 20)).toEqual([]);
    expect(await read('objects')).not.toContain('later');
    expect([...storages]).toEqual(['kept']);
  });

  it('takes no further objects where their types are kept whole', async () => {
    const { kept, store, limit, read } = makeStore();
    const jmap = await open({ store }, 'all');
    const { Todo } = jmap.account();
    await jmap.sync.settled();
    limit(4000);
    for (const text of long('whole', 20)) Todo.create({ text });
    await jmap.sync.settled();
    const rows = () => texts(Todo.live().getSnapshot().rows).join();
    expect(rows()).toContain('whole 19 ');
    const objects = await read('objects');
    expect(objects).not.toContain('whole 19 ');
    for (const text of LISTED) expect(objects).toContain(text);
    await jmap.close();
    const again = await open({ store: kept, username: 'u1' }, 'all');
    expect(texts(again.account().Todo.live(SEARCH).getSnapshot().rows)).toEqual(ALL);
    await again.sync.settled();
    expect(texts(again.account().Todo.live().getSnapshot().rows).join()).toContain('whole 19 ');
  });
});
