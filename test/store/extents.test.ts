import { afterEach, describe, expect, it } from 'vitest';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import { openDatabase } from '../../src/database/sqlite/index.js';
import type { FilterNode, QueryPlan } from '../../src/store/port.js';
import { sql } from '../../src/store/sql/fragment.js';
import { boundOf, LONGEST } from '../../src/store/sqlite/brief.js';
import { Connection } from '../../src/store/sqlite/connection.js';
import { type Extent, Extents, numberedTables } from '../../src/store/sqlite/extents.js';
import { readPageIn } from '../../src/store/sqlite/page.js';
import { Gadget, gadget, PROPERTIES } from './gadget.js';
import { openSqlite } from './open-sqlite.js';

/** Which scans on SQLite are known to be brief, whatever their rows hold (extents.ts). */

const A = 'aone';
const MODULE = new URL('./scan-thread.mjs', import.meta.url);
/** No statement is too long for the thread of all requests. */
const SCANS = { module: MODULE, threads: 2, slice: 60_000, moment: 60_000 };
const title = PROPERTIES.title;
const filter: FilterNode = {
  kind: 'condition',
  filter: { name: 'x', property: title, operator: 'contains', column: 'title' },
  value: 'word',
};
const plan: QueryPlan = {
  filter,
  sort: [{ sort: { property: PROPERTIES.rank }, ascending: true, collation: 'i;octet' }],
};
const WINDOW = { position: 0, limit: 50 };
/** One row may take a tenth of what a scan may. */
const type: DataTypeDefinition = { ...Gadget, characters: longestRow(LONGEST / 10), shadows: [] };

function longestRow(ns: number): number {
  const of = (characters: number) => boundOf({ ...Gadget, shadows: [] }, plan, 50, characters);
  return Math.floor((ns - of(0)) / (of(1) - of(0)));
}

const page = (number: number, objects: number) => ({ number, objects, ids: [], found: null });

function extents(...measured: readonly (Extent | Error)[]) {
  const all = new Extents();
  const asked: string[] = [];
  const left = [...measured];
  all.measureBy(async (accountId) => {
    asked.push(accountId);
    const next = left.shift();
    if (next === undefined || next instanceof Error) throw next ?? new Error('Not expected.');
    return next;
  });
  const wanted = async (): Promise<void> => {
    all.wanted('a', type, plan, 50);
    await new Promise(setImmediate);
  };
  return { all, asked, wanted, statesOf: () => all.statesOf('a', type, plan, 50) };
}

describe('What is known of an account', () => {
  it('is nothing before its first page; then texts are taken to be as long as they may be', () => {
    const { all, statesOf } = extents();
    expect(statesOf()).toBeNull();
    expect(all.note('a', type, page(20, 10))).toEqual({ number: 20, ids: [], found: null });
    expect(statesOf()).toEqual({ from: 20, until: 20 });
    all.note('a', type, page(21, 11));
    expect(statesOf()).toBeNull();
    all.note('a', type, page(25, 7));
    expect(statesOf()).toEqual({ from: 25, until: 28 });
    expect(all.statesOf('b', type, plan, 50)).toBeNull();
  });

  it('is what the table holds, and the longest that was written since', async () => {
    const { all, statesOf, wanted } = extents({ number: 1000, objects: 1000, octets: 30 });
    all.note('a', type, page(1000, 1000));
    expect(statesOf()).toBeNull();
    await wanted();
    const { characters = 0 } = type;
    const short = 1000 * boundOf(type, plan, 50, 30 / 1000);
    const written = Math.floor((LONGEST - short) / boundOf(type, plan, 50, characters));
    expect(written).toBeGreaterThan(1);
    expect(statesOf()).toEqual({ from: 1000, until: 1000 + written });
    // Pages of later states leave it: each of those changes counts as the longest row.
    all.note('a', type, page(1002, 1001));
    expect(statesOf()).toEqual({ from: 1000, until: 1000 + written });
    // Few objects are known better by their number.
    all.note('a', type, page(2001, 2));
    expect(statesOf()).toEqual({ from: 2001, until: 2009 });
    // A state from before, of an account that began anew.
    all.note('a', type, page(3, 3));
    expect(statesOf()).toEqual({ from: 3, until: 10 });
  });

  it('is measured once, again after what was written, and not where it would change nothing', async () => {
    const { all, asked, wanted } = extents(new Error('no thread'), {
      number: 50,
      objects: 50,
      octets: 100,
    });
    await wanted();
    expect(asked).toEqual([]);
    all.note('a', type, page(50, 50));
    await wanted();
    await wanted();
    expect(asked).toEqual(['a', 'a']);
    // Not again so soon.
    await wanted();
    // Too many, however short they are; none whose rows have no bound; none that an index puts in order.
    all.note('b', type, page(1e6, 1e6));
    all.wanted('b', type, plan, 50);
    const { characters: _, ...boundless } = type;
    all.note('c', boundless, page(50, 50));
    all.wanted('c', boundless, plan, 50);
    all.note('d', type, page(50, 50));
    all.wanted('d', type, { filter, sort: [] }, 50);
    expect(asked).toEqual(['a', 'a']);
  });

  it('is measured no more where the texts are as long as they may be, of several octets each', async () => {
    const { characters = 0 } = type;
    const { all, asked, wanted, statesOf } = extents({
      ...{ number: 50, objects: 50 },
      octets: 50 * characters * 4,
    });
    for (let n = 0; n < 3; n += 1) {
      all.note('a', type, page(50, 50));
      await wanted();
    }
    expect(asked).toEqual(['a']);
    expect(statesOf()).toBeNull();
  });

  it('reads nothing for a page of another state', () => {
    const db = openDatabase({ file: ':memory:' });
    let touched = 0;
    db.function('touched', () => {
      touched += 1;
      return 1;
    });
    db.exec(`CREATE TABLE "JmapState" ("accountId", "type", "number", "objects");
 CREATE TABLE "T" ("accountId", "id"); INSERT INTO "T" VALUES ('a', 'x'), ('a', 'y');
 INSERT INTO "JmapState" VALUES ('a', '${type.table}', 5, 2)`);
    const scope = { connection: new Connection(db), accountId: 'a' };
    const read = (from: number, until: number, accountId = 'a') =>
      readPageIn(
        { from, until },
        { ...scope, accountId },
        type,
        (list) => sql`SELECT ${list} FROM "T" WHERE touched() + length("id") ORDER BY "id" LIMIT 9`,
        9,
        null,
      );
    expect([read(6, 9), read(1, 4), read(1, 9, 'b')]).toEqual([null, null, null]);
    expect(touched).toBe(0);
    for (const [from, until] of [
      [5, 5],
      [4, 5],
      [5, 6],
    ] as const)
      expect(read(from, until)).toEqual({ number: 5, objects: 2, ids: ['x', 'y'], found: null });
    expect(touched).toBeGreaterThan(0);
    db.close();
  });
});

describe('A scan of an account on SQLite', () => {
  let opened: Awaited<ReturnType<typeof openSqlite>>;
  afterEach(() => opened.close());

  const soon = () => performance.now() + 20_000;

  async function insert(count: number, text: string): Promise<void> {
    await opened.store.write(A, { deadline: soon() }, async (transaction) => {
      const from = await transaction.stateNumber(Gadget);
      const objects = Array.from({ length: count }, (_, n) =>
        gadget(`g${from + n}`, { title: text, rank: n }),
      );
      await transaction.insert(Gadget, objects);
      return transaction.record(
        Gadget,
        objects.map(({ id }) => ({ objectId: id, kind: 'created' as const })),
      );
    });
  }

  /** Whether each statement of a page asked for the time. */
  async function ticks(): Promise<readonly boolean[]> {
    opened.statements.length = 0;
    await opened.store.readPage({
      ...{ accountId: A, deadline: soon(), type, plan, window: WINDOW },
      wanted: null,
    });
    return opened.statements
      .filter((text) => text.includes('group_concat'))
      .map((text) => text.includes('jmap_tick'));
  }

  it('asks for the time until the table was measured, and again behind the bound', async () => {
    opened = await openSqlite({ now: Date.now, scans: SCANS });
    await insert(20, 'a word');
    // Twenty might take twice as long as they may; they are short.
    expect(await ticks()).toEqual([true]);
    await expect.poll(ticks, { timeout: 10_000 }).toEqual([false]);
    await insert(9, 'another word');
    expect(await ticks()).toEqual([false]);
    await insert(1, 'one more word');
    // The tenth that may be as long as it may: the state tells, before anything is read.
    expect(await ticks()).toEqual([false, true]);
  });

  it('counts with rows among those of other accounts where the table is not in the order of its key', async () => {
    opened = await openSqlite({ now: Date.now, scans: SCANS });
    const numbered = numberedTables(opened.writerDatabase);
    expect([numbered.has(Gadget.table), numbered.has('JmapState')]).toEqual([true, false]);
    const short = { ...type, characters: 10 };
    const brief = [new Extents(), new Extents(numbered)].map((all) => {
      all.note(A, short, page(20_000, 20_000));
      return all.statesOf(A, short, plan, 50) !== null;
    });
    expect(brief).toEqual([true, false]);
  });

  it('knows what another process has written', async () => {
    opened = await openSqlite({ now: Date.now, scans: SCANS });
    await insert(5, 'a word');
    expect(await ticks()).toEqual([true]);
    expect(await ticks()).toEqual([false]);
    const other = openDatabase({ file: opened.file });
    other.exec(`UPDATE "JmapState" SET "number" = "number" + 6, "objects" = "objects" + 6`);
    other.close();
    expect(await ticks()).toEqual([false, true]);
    expect(await ticks()).toEqual([true]);
  });
});
