import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { resetAllAtOnce, resetStates } from '../../scripts/backup/reset-states.js';
import {
  createAccount,
  createAuthenticator,
  createToken,
  deleteAccount,
  grantAccess,
  listAccounts,
} from '../../src/accounts/index.js';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import { createIdGenerator } from '../../src/protocol/ids.js';
import { openTestDatabase, type TestDatabase } from './database.js';

const ids = createIdGenerator();
let database: TestDatabase;
let first: string;
let second: string;

/** A data table as the generator emits them, under a name that needs its quotes. */
const TABLE = 'Order "new"';
const quoted = '"Order ""new"""';

beforeEach(async () => {
  database = openTestDatabase();
  database.db.exec(
    `CREATE TABLE ${quoted} ("accountId" TEXT, "id" TEXT, PRIMARY KEY ("accountId", "id"))`,
  );
  first = await createAccount(database.prisma, ids, { name: 'First', user: 'alice' });
  second = await createAccount(database.prisma, ids, { name: 'Second', user: 'alice' });
  for (const accountId of [first, second]) fill(accountId, 1234);
});

afterEach(() => database.close());

/**
 * Rows in every table that an account's data are in: `count` objects with a change, a blob and a
 * reference each.
 */
function fill(accountId: string, count: number): void {
  const { db } = database;
  const insert = (table: string, columns: number) =>
    db.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill('?').join(', ')})`);
  const object = insert(quoted, 2);
  const change = db.prepare(
    `INSERT INTO "JmapChange" ("accountId", "type", "number", "objectId", "kind", "at")
     VALUES (?, 'Order', ?, ?, 0, 0)`,
  );
  const blob = db.prepare(
    `INSERT INTO "JmapBlob" ("accountId", "id", "type", "size", "uploaderId", "created")
     VALUES (?, ?, 'text/plain', 1, 'u', 0)`,
  );
  const reference = db.prepare(
    `INSERT INTO "JmapBlobReference" ("accountId", "blobId", "type", "objectId")
     VALUES (?, ?, 'Order', ?)`,
  );
  db.transaction(() => {
    for (let number = 1; number <= count; number += 1) {
      object.run(accountId, `r${number}`);
      change.run(accountId, number, `r${number}`);
      blob.run(accountId, `b${number}`);
      reference.run(accountId, `b${number}`, `r${number}`);
    }
    db.prepare(
      `INSERT INTO "JmapState" ("accountId", "type", "number") VALUES (?, 'Order', ?)`,
    ).run(accountId, count);
  })();
}

/** How many rows of the account each table has, by name. */
function rows(accountId: string): Readonly<Record<string, unknown>> {
  const tables = [
    quoted,
    'JmapBlobReference',
    'JmapBlob',
    'JmapChange',
    'JmapState',
    'JmapAccess',
    'JmapTokenAccount',
  ];
  return Object.fromEntries(
    tables.map((table) => [
      table,
      database.db
        .prepare(`SELECT count(*) FROM ${table} WHERE "accountId" = ?`)
        .pluck()
        .get(accountId),
    ]),
  );
}

const none = {
  [quoted]: 0,
  JmapBlobReference: 0,
  JmapBlob: 0,
  JmapChange: 0,
  JmapState: 0,
  JmapAccess: 0,
  JmapTokenAccount: 0,
};

function remove(id: string, deleteBlobs: (accountId: string) => Promise<void>): Promise<void> {
  return deleteAccount(database.prisma, { id, tables: [TABLE], database: 'sqlite', deleteBlobs });
}

describe('deleting an account', () => {
  it('removes every row and file of it, and none of another', async () => {
    await createToken(database.prisma, ids, {
      user: 'alice',
      accounts: [{ accountId: first, readOnly: false }],
    });
    const before = rows(second);
    const blobsOf: string[] = [];
    await remove(first, async (accountId) => void blobsOf.push(accountId));
    expect(rows(first)).toEqual(none);
    expect(rows(second)).toEqual(before);
    expect(blobsOf).toEqual([first]);
    expect((await listAccounts(database.prisma)).map(({ id }) => id)).toEqual([second]);
  });

  it('ends access before it touches data, and removes files after the rows', async () => {
    const token = await createToken(database.prisma, ids, { user: 'alice' });
    await grantAccess(database.prisma, ids, { accountId: first, user: 'bob', readOnly: false });
    const by = createAuthenticator(database.prisma, { accessVersion: database.accessVersion });
    database.db.exec(
      `CREATE TRIGGER "order" BEFORE DELETE ON ${quoted}
       WHEN EXISTS (SELECT 1 FROM "JmapAccess" WHERE "accountId" = OLD."accountId")
       BEGIN SELECT RAISE(ABORT, 'data went before access'); END`,
    );
    await remove(first, async () => {
      expect(rows(first)).toEqual(none);
      const principal = await by.authenticate(token);
      expect([...(principal?.accounts.keys() ?? [])]).toEqual([second]);
    });
    expect(rows(first)).toEqual(none);
  });

  it('goes in small steps, between which others write', async () => {
    const other = new SqliteDatabase(database.db.name);
    onTestFinished(() => void other.close());
    const left = other.prepare(`SELECT count(*) FROM ${quoted} WHERE "accountId" = ?`).pluck();
    const write = other.prepare(`INSERT INTO ${quoted} VALUES (?, ?)`);
    const seen = new Set<unknown>();
    let isDone = false;
    const removal = remove(first, async () => undefined).finally(() => {
      isDone = true;
    });
    for (let number = 0; !isDone; number += 1) {
      write.run(second, `beside${number}`);
      seen.add(left.get(first));
      await setImmediate();
    }
    await removal;
    const steps = Array.from({ length: 13 }, (_, n) => 1234 - n * 100);
    expect([...seen]).toEqual([...steps, 0]);
  });

  it('can be called again where it was interrupted', async () => {
    const failure = new Error('the power went');
    await expect(remove(first, () => Promise.reject(failure))).rejects.toBe(failure);
    await remove(first, async () => undefined);
    expect(await listAccounts(database.prisma)).toHaveLength(1);
    await expect(remove(first, async () => undefined)).rejects.toThrow('no account');
  });

  it('removes the objects that a running call writes meanwhile', async () => {
    // The last of the objects goes: that is when a slow call commits another.
    database.db.exec(
      `CREATE TRIGGER "late" AFTER DELETE ON "JmapState" WHEN OLD."type" = 'Order'
       BEGIN INSERT INTO ${quoted} VALUES (OLD."accountId", 'late');
             INSERT INTO "JmapState" VALUES (OLD."accountId", 'Late', 1, 1); END`,
    );
    await remove(first, async () => undefined);
    expect(rows(first)).toEqual(none);
  });
});

describe('resetting states', () => {
  const state = (accountId: string, type: string): unknown =>
    database.db
      .prepare(`SELECT "number" FROM "JmapState" WHERE "accountId" = ? AND "type" = ?`)
      .pluck()
      .get(accountId, type);

  it('raises every counter, even of unchanged types, and keeps no change record', async () => {
    await resetStates(database.prisma, ['Order', 'Quiet']);
    for (const accountId of [first, second]) {
      expect(state(accountId, 'Order')).toBe(1_000_001_234);
      expect(state(accountId, 'Quiet')).toBe(1_000_000_000);
      expect(rows(accountId)).toMatchObject({ JmapChange: 0, [quoted]: 1234, JmapState: 2 });
    }
  });

  it('removes records in short transactions, but none that is written meanwhile', async () => {
    const { db } = database;
    const write = db.prepare(
      `INSERT INTO "JmapChange" ("accountId", "type", "number", "objectId", "kind", "at")
        VALUES (?, 'Order', ?, 'late', 0, 0) ON CONFLICT DO NOTHING`,
    );
    const removal = resetStates(database.prisma, ['Order']);
    let writes = 0;
    let isOver = false;
    void removal.then(() => {
      isOver = true;
    });
    const seen = new Set<unknown>();
    while (!isOver) {
      await setImmediate();
      const number = state(first, 'Order') as number;
      if (number < 1_000_000_000) continue;
      seen.add(rows(first)['JmapChange']);
      if (writes > 0) continue;
      writes = 1;
      write.run(first, number + 1);
      db.prepare('UPDATE "JmapState" SET "number" = ? WHERE "accountId" = ?').run(
        number + 1,
        first,
      );
    }
    await removal;
    expect(seen.size).toBeGreaterThan(2);
    expect(db.prepare('SELECT "accountId", "number" FROM "JmapChange"').raw().all()).toEqual([
      [first, 1_000_001_235],
    ]);
  });

  it('happens at once in a database that nobody uses yet', async () => {
    await resetAllAtOnce(database.prisma, ['Order', 'Quiet']);
    expect(state(first, 'Order')).toBe(1_000_001_234);
    expect(state(second, 'Quiet')).toBe(1_000_000_000);
    expect(rows(first)).toMatchObject({ JmapChange: 0, [quoted]: 1234, JmapState: 2 });
  });

  it('reaches every account in any number of steps, deleted ones too', async () => {
    const { db } = database;
    const count = 200 - Number(db.prepare('SELECT count(*) FROM "JmapAccount"').pluck().get());
    db.exec(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
      WITH RECURSIVE "all"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM "all" WHERE n < ${count})
      SELECT 'n' || n, '', 'u', 1 FROM "all"`);
    db.exec(`INSERT INTO "JmapState" ("accountId", "type", "number")
      VALUES ('gone', 'Order', 3), ('zzz', 'Order', 3), ('A', 'Order', 3)`);
    await resetStates(database.prisma, ['Order']);
    const states = db.prepare('SELECT count(*) FROM "JmapState" WHERE "number" >= ?').pluck();
    // And the four types of the directory.
    expect(states.get(1_000_000_000)).toBe(203 + 4);
    expect(states.get(2_000_000_000)).toBe(0);
  });

  it('raises counters beyond those of the last time', async () => {
    await resetStates(database.prisma, ['Order', 'Quiet']);
    await resetStates(database.prisma, ['Order', 'Quiet']);
    expect(state(first, 'Order')).toBe(2_000_001_234);
    expect(state(first, 'Quiet')).toBe(2_000_000_000);
  });

  it('raises counters of types that are registered no more', async () => {
    await resetStates(database.prisma, []);
    expect(state(first, 'Order')).toBe(1_000_001_234);
  });
});
