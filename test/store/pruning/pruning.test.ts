import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/database/sqlite/index.js';
import { ChangePruner } from '../../../src/store/sql/prune.js';
import { Connection } from '../../../src/store/sqlite/connection.js';
import { sqlite } from '../../../src/store/sqlite/dialect.js';
import { usePostgresql } from '../../support/postgresql.js';
import { openSqlite } from '../open-sqlite.js';
import { pruningCases } from './cases.js';
import { onPostgresql, onSqlite } from './open.js';

/** pruning.long.test.ts has a log of a million. */
const COUNT = 10_000;

describe('SQLite', () => {
  pruningCases(COUNT, onSqlite);

  it('pages that pruning frees are used again: the file doesn’t outgrow the log', async () => {
    const { writerDatabase: db, close } = await openSqlite({ now: Date.now });
    onTestFinished(close);
    const more = (from: number): void => {
      db.exec(`WITH RECURSIVE "numbers"(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM "numbers"
 WHERE n < ${from + COUNT - 1}) INSERT INTO "JmapChange" SELECT 'a', 'T', n, 'r' || (10000000 + n),
 0, 1, NULL, NULL, NULL FROM "numbers"`);
    };
    const size = () => db.pragma('page_count', { simple: true }) as number;
    more(1);
    const full = size();
    db.exec(`DELETE FROM "JmapChange" WHERE "number" <= ${COUNT}`);
    more(COUNT + 1);
    expect(size()).toBeLessThanOrEqual(full * 1.02);
  });
});

describe('PostgreSQL, two servers', () => {
  pruningCases(COUNT, onPostgresql(usePostgresql()));
});

/** Object, kind and scopes of a record. */
const REST = ['o', 1, null, null] as const;

describe('a step', () => {
  it('begins where the one before ended, and each log is walked once', async () => {
    const db = openDatabase({ file: ':memory:' });
    onTestFinished(() => void db.close());
    db.exec(`CREATE TABLE "JmapState" ("accountId", "type", "number", PRIMARY KEY ("accountId",
      "type"));
 CREATE TABLE "JmapChange" ("accountId", "type", "number", "at", "objectId" DEFAULT 'o',
 "kind" DEFAULT 1, "scopes", "scopesBefore", PRIMARY KEY ("accountId", "type", "number"));`);
    const logs = [
      ['a', 'T', 25],
      ['a', 'U', 10],
      ['b', 'T', 0],
      ['c', 'T', 12],
    ] as const;
    for (const [accountId, type, count] of logs) {
      db.prepare('INSERT INTO "JmapState" VALUES (?, ?, ?)').run(accountId, type, count + 3);
      const record = db.prepare(
        `INSERT INTO "JmapChange" ("accountId", "type", "number", "at") VALUES (?, ?, ?, ?)`,
      );
      // Three are too new.
      for (let n = 1; n <= count + 3; n += 1) record.run(accountId, type, n, n <= count ? 1 : 9);
    }
    const connection = new Connection(db);
    const deletes: unknown[][] = [];
    const pruner = new ChangePruner(
      {
        rows: async (query) => connection.query(query),
        remove(_, statement) {
          deletes.push([...statement.values]);
          return connection.query(statement);
        },
      },
      sqlite,
    );
    const steps: number[] = [];
    do steps.push(await pruner.prune(5, 10));
    while (steps.at(-1) === 10);
    expect(steps).toEqual([10, 10, 10, 10, 7]);
    expect(deletes).toEqual([
      ['a', 'T', 0, 10],
      ['a', 'T', 10, 20],
      ['a', 'T', 20, 25],
      ['a', 'U', 0, 5],
      ['a', 'U', 5, 10],
      ['c', 'T', 0, 5],
      ['c', 'T', 5, 12],
    ]);
    const left = db.prepare('SELECT count(*), min("at") FROM "JmapChange"').raw().get();
    expect(left).toEqual([12, 9]);
  });

  it('costs the same for any number of accounts: the walk goes on with the next', async () => {
    const db = openDatabase({ file: ':memory:' });
    onTestFinished(() => void db.close());
    db.exec(`CREATE TABLE "JmapState" ("accountId", "type", "number", PRIMARY KEY ("accountId",
      "type"));
 CREATE TABLE "JmapChange" ("accountId", "type", "number", "at", "objectId" DEFAULT 'o',
 "kind" DEFAULT 1, "scopes", "scopesBefore", PRIMARY KEY ("accountId", "type", "number"));
 WITH RECURSIVE "numbers"(n) AS (SELECT 100001 UNION ALL SELECT n + 1 FROM "numbers"
 WHERE n < 145000)
 INSERT INTO "JmapState" SELECT 'a' || n, 'T', 9 FROM "numbers";
 INSERT INTO "JmapChange" ("accountId", "type", "number", "at")
 VALUES ('a100001', 'T', 1, 1), ('a145000', 'T', 1, 1);`);
    const connection = new Connection(db);
    let asked = 0;
    const pruner = new ChangePruner(
      {
        async rows(query) {
          asked += 1;
          return connection.query(query);
        },
        remove: (_, statement) => connection.query(statement),
      },
      sqlite,
    );
    const costs: number[] = [];
    const gone: number[] = [];
    for (let call = 0; call < 4; call += 1) {
      asked = 0;
      gone.push(await pruner.prune(5, 500));
      costs.push(asked);
    }
    expect(gone).toEqual([1, 0, 1, 0]);
    // Of the 90 pages and one that is empty; then from the beginning.
    expect(costs).toEqual([41, 40, 12, 40]);
  });

  it('goes on behind what another server has removed, and from where it failed', async () => {
    const rows = [
      [
        [1, 1, ...REST],
        [2, 1, ...REST],
      ],
      [
        [3, 1, ...REST],
        [4, 9, ...REST],
      ],
    ];
    const asked: unknown[] = [];
    let failing = true;
    const pruner = new ChangePruner(
      {
        async rows({ values }) {
          asked.push(values[2]);
          if (values.length === 3) return values[0] === '' ? [['a', 'T', 1]] : [];
          return (values[2] === 0 ? rows[0] : rows[1]) ?? [];
        },
        async remove() {
          if (!failing) return [];
          failing = false;
          throw new Error('no disk');
        },
      },
      sqlite,
    );
    await expect(pruner.prune(5, 2)).rejects.toThrow('no disk');
    expect(await pruner.prune(5, 2)).toBe(2);
    expect(await pruner.prune(5, 2)).toBe(1);
    expect(asked.filter((after) => typeof after === 'number' && after < 500)).toEqual([0, 0, 2]);
  });
});
