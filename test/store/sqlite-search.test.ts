import type { Database } from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sqliteSearchSql } from '../../scripts/generator/migrations/search.js';
import { raw, render } from '../../src/store/sql/fragment.js';
import { countQuery, windowQuery } from '../../src/store/sql/query-statements.js';
import { sqlite } from '../../src/store/sqlite/dialect.js';
import { condition, Gadget, gadgets, operator, plan, SEARCH } from './gadget.js';
import { openSqlite } from './open-sqlite.js';
import { A, B, Bench } from './suite/bench.js';

/**
 * Tests what the suite can't see: how SQLite keeps the search index, and that it reads nothing
 * else.
 */

const SQL = sqliteSearchSql({ table: Gadget.table, search: SEARCH });

async function filled(count: number) {
  const bench = new Bench();
  await bench.open(openSqlite);
  onTestFinished(() => bench.close());
  const { writerDatabase: db } = bench.engine as Awaited<ReturnType<typeof openSqlite>>;
  await bench.insert(gadgets(count, (index) => ({ title: `Text ${index}`, code: `c${index}` })));
  await bench.insert(
    gadgets(5, (index) => ({ title: `Text ${index}` })),
    B,
  );
  return { bench, db };
}

function rowsOf(db: Database): readonly unknown[] {
  return db.prepare('SELECT * FROM "Gadget_search_row" ORDER BY "docid"').raw().all();
}

describe('the search index on SQLite', () => {
  const find = condition('found', 'ext 42');

  const queries = {
    'in order of id': windowQuery(
      { type: Gadget, accountId: A, dialect: sqlite },
      plan(find),
      { position: 0, limit: 10 },
      { list: raw('"id"') },
    ),
    'in another order': windowQuery(
      { type: Gadget, accountId: A, dialect: sqlite },
      plan(find, '-title', 'rank'),
      { position: 0, limit: 10 },
      { list: raw('"id"') },
    ),
    'by the indexed order': windowQuery(
      { type: Gadget, accountId: A, dialect: sqlite },
      plan(find, 'rank'),
      { position: 0, limit: 10 },
      { list: raw('"id"') },
    ),
    'with another condition': countQuery(
      { type: Gadget, accountId: A, dialect: sqlite },
      operator('AND', find, condition('minRank', 2)),
    ),
    'with words': countQuery(
      { type: Gadget, accountId: A, dialect: sqlite },
      condition('foundText', 'text 424'),
    ),
    'in one of two': countQuery(
      { type: Gadget, accountId: A, dialect: sqlite },
      operator('OR', find, condition('foundCode', 'c42')),
    ),
  };

  for (const [what, query] of Object.entries(queries)) {
    it(`is what a lookup reads ${what}: the data table by key alone`, async () => {
      const { db } = await filled(10);
      db.exec('CREATE INDEX "Gadget_rank" ON "Gadget" ("accountId", "rank", "id")');
      const steps = db
        .prepare<unknown[], { readonly detail: string }>(
          `EXPLAIN QUERY PLAN ${render(query, sqlite.placeholder)}`,
        )
        .all(...query.values)
        .map(({ detail }) => detail);
      const data = steps.filter((step) => /(SCAN|SEARCH) Gadget( |$)/.test(step));
      expect(data.length, steps.join('\n')).toBeGreaterThan(0);
      for (const step of data) expect(step).toMatch(/\(accountId=\? AND id=\?\)/);
      expect(steps.join('\n')).toMatch(/Gadget_search VIRTUAL TABLE/);
    });
  }

  it('reads the part of one account', async () => {
    const { bench, db } = await filled(300);
    const numbers = db.prepare(
      'SELECT "docid" >> 32, count(*) FROM "Gadget_search_row" GROUP BY 1',
    );
    expect(numbers.raw().all()).toEqual([
      [1, 300],
      [2, 5],
    ]);
    expect(await bench.found(condition('found', 'text 1'))).toHaveLength(111);
  });

  it('outlives VACUUM', async () => {
    const { bench, db } = await filled(50);
    await bench.write((transaction) =>
      transaction.destroy(Gadget, ['r000000', 'r000010', 'r000020']),
    );
    const before = rowsOf(db);
    db.exec('VACUUM');
    expect(rowsOf(db)).toEqual(before);
    expect(await bench.found(condition('found', 'Text 11'))).toEqual(['r000011']);
    await bench.write((transaction) => transaction.destroy(Gadget, ['r000011']));
    expect(await bench.found(condition('found', 'Text 11'))).toEqual([]);
    await bench.insert(gadgets(1, () => ({ title: 'Text 110' })));
    expect(await bench.found(condition('found', 'Text 11'))).toEqual(['r000000']);
  });

  it("goes with its account's rows, and leaves no trigram", async () => {
    const { bench, db } = await filled(20);
    db.prepare('DELETE FROM "Gadget" WHERE "accountId" = ?').run(A);
    expect(rowsOf(db)).toHaveLength(5);
    const matching = db.prepare(
      `SELECT rowid >> 32 FROM "Gadget_search" WHERE "Gadget_search" MATCH ?`,
    );
    expect(new Set(matching.pluck().all('"tex"'))).toEqual(new Set([2]));
    await bench.insert(gadgets(1, () => ({ title: 'Text anew' })));
    expect(await bench.found(condition('found', 'text'))).toEqual(['r000000']);
  });

  it('takes in the rows of a table that exists, and can go and come back', async () => {
    const { bench, db } = await filled(120);
    const before = await bench.found(condition('found', 'text 1'));
    for (const statement of SQL.drop) db.exec(statement);
    await bench.insert([...gadgets(121, () => ({ title: 'text 1 late' }))].slice(-1));
    for (const statement of [...SQL.create, ...SQL.fill]) db.exec(statement);
    expect(await bench.found(condition('found', 'text 1'))).toEqual([...before, 'r000120']);
    await bench.write((transaction) => transaction.destroy(Gadget, ['r000001', 'r000120']));
    expect(await bench.found(condition('found', 'text 1'))).toEqual(before.slice(1));
    db.exec(`INSERT INTO "Gadget_search" ("Gadget_search") VALUES ('integrity-check')`);
  });

  it('is written again only if its columns change', async () => {
    const { db } = await filled(3);
    const changes = () => db.prepare('SELECT total_changes()').pluck().get() as number;
    const before = changes();
    db.exec(`UPDATE "Gadget" SET "rank" = 5`);
    expect(changes() - before).toBe(8);
  });
});
