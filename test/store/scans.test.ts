import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UnavailableError } from '../../src/protocol/errors.js';
import type { CallOptions, FilterNode, Snapshot } from '../../src/store/port.js';
import { ALL, FILTERS, Gadget, gadgets, plan, queryIds } from './gadget.js';
import { openSqlite } from './open-sqlite.js';

const MODULE = new URL('./scan-thread.mjs', import.meta.url);

/** An account of the running test alone: tests share stores, since threads take time to start. */
let A: string;
let accounts = 0;

/** More than any statement of these tests takes. */
const ENOUGH = 60_000;

const WINDOW = { position: 0, limit: 5 };

type Opened = Awaited<ReturnType<typeof openSqlite>>;
let opened: Opened;

async function open(slice = ENOUGH): Promise<void> {
  opened = await openSqlite({ now: Date.now, scans: { module: MODULE, slice } });
}

function account(): string {
  accounts += 1;
  const id = `test${accounts}`;
  opened.writerDatabase
    .prepare(
      `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created") VALUES (?, '', 'u', 1)`,
    )
    .run(id);
  return id;
}

beforeEach(async () => {
  A = account();
  await insert(gadgets(20, (index) => ({ title: `title ${index}`, rank: index })));
});

afterEach(() => free());

/** Threads are started from sources here, which takes long on a busy machine. */
const soon = (): CallOptions => ({ deadline: performance.now() + ENOUGH });
const scanning = (): CallOptions => ({ ...soon(), mayScan: true });

function insert(objects: ReturnType<typeof gadgets>): Promise<void> {
  return opened.store.write(A, soon(), async (transaction) => {
    await transaction.writeRows('insert', Gadget, objects);
    const created = objects.map(({ id }) => ({ objectId: id, kind: 'created' as const }));
    await transaction.record(Gadget, created);
  });
}

const contains = (value: string): FilterNode => ({
  kind: 'condition',
  filter: FILTERS.title,
  value,
});

/** The state, and how many objects have the text. */
const counted =
  (text = 'title') =>
  async (snapshot: Snapshot) => {
    const state = await snapshot.stateNumber(Gadget);
    return [state, await snapshot.count(Gadget, contains(text))];
  };

function scan(of = A, options = scanning()): Promise<number[]> {
  return opened.store.read(of, options, counted());
}

/** Keeps threads in statements with the text. */
const hold = (text = 'instr('): void => writeFileSync(`${opened.file}.hold`, text);
const free = (): void => rmSync(`${opened.file}.hold`, { force: true });

/** Does `work`, and expects that it is done before `late` has ended. */
async function meanwhile<T>(late: Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let ended = false;
  const end = (): void => {
    ended = true;
  };
  late.then(end, end);
  const value = await work();
  expect(ended).toBe(false);
  return value;
}

describe('a read that may scan, in a thread of its own', () => {
  beforeAll(() => open());
  afterAll(() => opened.close());

  it('keeps nobody else waiting: reads, writes and pings are answered while it runs', async () => {
    hold();
    const late = scan();
    await meanwhile(late, async () => {
      const read = await opened.store.read(A, soon(), (snapshot) =>
        snapshot.get(Gadget, { first: 5 }, Gadget.properties, 1e9),
      );
      expect(read).toHaveLength(5);
      await insert(
        gadgets(1, () => ({ title: 'title' })).map((object) => ({ ...object, id: 'new' })),
      );
      await opened.store.ping();
    });
    free();
    expect((await late).at(1)).toBeGreaterThanOrEqual(20);
  });

  it('sees one state of the data, whatever is committed meanwhile', async () => {
    const both = opened.store.read(A, scanning(), async (snapshot) => {
      const state = await snapshot.stateNumber(Gadget);
      const more = gadgets(5, () => ({ title: 'title' })).map((object, index) => ({
        ...object,
        id: `later${index}`,
      }));
      // Not what a work may wait for; here it is what is looked at.
      if (state === 20) await insert(more);
      return [state, await snapshot.count(Gadget, ALL), await snapshot.stateNumber(Gadget)];
    });
    expect(await both).toEqual([20, 20, 20]);
    expect(await opened.store.read(A, scanning(), counted())).toEqual([25, 25]);
  });

  it('answers every operation of a snapshot as the thread of all requests does', async () => {
    const all = async (snapshot: Snapshot) => {
      const order = plan(contains('1'), '-rank');
      const ids = await queryIds(snapshot, Gadget, order, 0, 100);
      return {
        ids,
        state: await snapshot.stateNumber(Gadget),
        objects: await snapshot.get(Gadget, ids, Gadget.properties, 1e9),
        first: await snapshot.get(Gadget, { first: 3 }, Gadget.properties, 1e9),
        changes: await snapshot.changes(Gadget, 0, 7),
        rank: await snapshot.rank(Gadget, order, ids[3] ?? ''),
        ranks: await snapshot.ranks(Gadget, order, ids),
        count: await snapshot.count(Gadget, order.filter),
        existing: await snapshot.existing(Gadget, [...ids, 'none']),
        objectCount: await snapshot.objectCount(Gadget),
        blobs: await snapshot.blobs(['none']),
        links: await snapshot.links(Gadget, ids),
        referrers: await snapshot.referrers([{ type: 'Gadget', ids }], [], 10),
      };
    };
    const there = await opened.store.read(A, scanning(), all);
    expect(there).toEqual(await opened.store.read(A, soon(), all));
    expect(there.ids).toHaveLength(11);
    const few = (snapshot: Snapshot) =>
      snapshot.get(Gadget, { first: 20 }, Gadget.properties, 1000);
    await expect(opened.store.read(A, scanning(), few)).rejects.toMatchObject({
      type: 'requestTooLarge',
    });
  });

  it('is given up at its deadline, and the thread is there for the next one', async () => {
    await scan();
    fill(40_000);
    const late = opened.store.read(
      A,
      { deadline: performance.now() + 3, mayScan: true },
      (snapshot) => snapshot.count(Gadget, contains('nowhere')),
    );
    await expect(late).rejects.toBeInstanceOf(UnavailableError);
    hold();
    const held = { deadline: performance.now() + 100, mayScan: true };
    const ranks = (snapshot: Snapshot) =>
      snapshot.ranks(Gadget, plan(contains('title 1'), 'rank'), ['r000001']);
    await expect(opened.store.read(A, held, ranks)).rejects.toBeInstanceOf(UnavailableError);
    free();
    expect((await scan()).at(0)).toBe(20);
  });

  it('fails with a thread that dies, and the next one has a new thread', async () => {
    hold();
    const two = Promise.allSettled([scan(), scan(account())]);
    writeFileSync(`${opened.file}.die`, '');
    free();
    for (const outcome of await two)
      expect(outcome).toMatchObject({ reason: expect.any(UnavailableError) });
    rmSync(`${opened.file}.die`);
    expect(await scan()).toEqual([20, 20]);
  });

  it('goes on in a new thread if the file has a hard link since it was opened', async () => {
    writeFileSync(`${opened.file}.die`, '');
    await Promise.allSettled([scan(), scan(account())]);
    rmSync(`${opened.file}.die`);
    linkSync(opened.file, `${opened.file}.link`);
    try {
      expect(await scan()).toEqual([20, 20]);
    } finally {
      rmSync(`${opened.file}.link`);
    }
  });

  it('passes on the database’s error of a statement', async () => {
    const wrong = { ...Gadget, table: 'Nowhere' };
    const read = opened.store.read(A, scanning(), (snapshot) => snapshot.count(wrong, ALL));
    await expect(read).rejects.toThrow('no such table: Nowhere');
    expect(await scan()).toEqual([20, 20]);
  });

  it('leaves one of them to other accounts', async () => {
    const other = account();
    await Promise.all([scan(), scan(other)]);
    hold('ORDER BY');
    const held = (snapshot: Snapshot) =>
      queryIds(snapshot, Gadget, plan(contains('title'), 'rank'), 0, 5);
    const first = opened.store.read(A, scanning(), held);
    const second = opened.store.read(A, scanning(), held);
    await meanwhile(Promise.race([first, second]), () => scan(other));
    free();
    expect(await first).toEqual(await second);
  });

  it('ends before the store is closed', async () => {
    hold();
    const last = scan();
    const closed = opened.store.close();
    await meanwhile(closed, async () => free());
    expect(await last).toEqual([20, 20]);
    await closed;
    rmSync(dirname(opened.file), { recursive: true });
    await open();
  });
});

/** A page in the order of an index, which isn't known to look at all objects. */
async function page(filter: FilterNode): Promise<readonly string[]> {
  const asked = { accountId: A, ...soon(), type: Gadget, plan: plan(filter, '-created') };
  const { ids } = await opened.store.readPage({ ...asked, window: WINDOW, selection: null });
  return ids;
}

describe('a page by an index', () => {
  beforeAll(() => open());
  afterAll(() => opened.close());

  it('is read where all requests are, by one statement', async () => {
    opened.statements.length = 0;
    hold('json_quote');
    expect(await page(contains('title'))).toHaveLength(5);
    expect(opened.statements).toHaveLength(1);
  });

  it('is read in a thread if its statement takes long to prepare', async () => {
    const conditions = Array.from({ length: 400 }, (_, index) => contains(`title ${index}`));
    hold('json_quote');
    const late = page({ kind: 'operator', operator: 'OR', conditions });
    await meanwhile(late, () => opened.store.ping());
    free();
    expect(await late).toHaveLength(5);
  });
});

describe('a page that looks at more than it finds', () => {
  beforeAll(() => open(5));
  afterAll(() => opened.close());

  it('is stopped, and begins again in the thread', async () => {
    fill(120_000);
    let stopped = 0;
    // Nothing is remembered: other values may be found at once. On a busy machine its time may be
    // over before its statement begins, and then that is run in the thread alone.
    for (let time = 0; stopped < 2; time += 1) {
      opened.statements.length = 0;
      hold('json_quote');
      const late = page(contains('nowhere'));
      await meanwhile(late, () => opened.store.ping());
      free();
      expect(await late).toEqual([]);
      const run = opened.statements.filter((text) => text.includes('json_quote')).length;
      expect(run).toBeGreaterThanOrEqual(time < 20 ? 1 : 2);
      expect(run).toBeLessThanOrEqual(2);
      if (run === 2) stopped += 1;
    }
  });

  it('is given up at its deadline, whether it is stopped first or not', async () => {
    fill(40_000);
    const late = { accountId: A, deadline: performance.now() + 1, type: Gadget, selection: null };
    const asked = { plan: plan(contains('nowhere'), '-created'), window: WINDOW };
    await expect(opened.store.readPage({ ...late, ...asked })).rejects.toThrow('REQUEST_TIMEOUT');
  });
});

/** More objects, made by the database itself. */
function fill(count: number): void {
  const columns = (
    opened.writerDatabase.pragma(`table_info("${Gadget.table}")`) as readonly { name: string }[]
  ).map(({ name }) => name);
  const values = columns.map((name) => (name === 'id' ? `'more' || "n"` : `"t"."${name}"`));
  const list = columns.map((name) => `"${name}"`).join(', ');
  opened.writerDatabase.exec(`WITH RECURSIVE "numbers"("n") AS (
 SELECT 1 UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" < ${count})
 INSERT INTO "${Gadget.table}" (${list}) SELECT ${values.join(', ')} FROM "numbers"
 CROSS JOIN (SELECT * FROM "${Gadget.table}" WHERE "accountId" = '${A}' LIMIT 1) AS "t"`);
}
