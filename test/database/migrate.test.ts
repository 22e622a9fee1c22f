import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  MigrationError,
  migrate,
  migrationStatus,
  openDatabase,
} from '../../src/database/sqlite/index.js';
import { MIGRATIONS, temporaryFolder } from './folder.js';

function open(): Database {
  const db = openDatabase({ file: join(temporaryFolder(), 'test.db') });
  onTestFinished(() => void db.close());
  return db;
}

function folderOf(migrations: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'migration_lock.toml'), 'provider = "sqlite"\n');
  for (const [name, sql] of Object.entries(migrations)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'migration.sql'), sql);
  }
  return folder;
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof MigrationError) return error.message;
    throw error;
  }
  return '';
}

const tables = (db: Database) =>
  db
    .prepare<[], string>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'
       ORDER BY name`,
    )
    .pluck()
    .all();

const FIRST = 'CREATE TABLE "a" ("id" TEXT PRIMARY KEY, "n" INTEGER);';
const SECOND = 'CREATE TABLE "b" ("id" TEXT);\nCREATE INDEX "b_id" ON "b"("id");';

describe('migrations', () => {
  it("apply the project's own, once", () => {
    const db = open();
    const { applied } = migrate(db, MIGRATIONS);
    expect(applied[0]).toMatch(/^0001_/);
    expect(tables(db)).toContain('JmapChange');
    expect(migrate(db, MIGRATIONS)).toEqual({ applied: [], pending: [] });
    expect(migrationStatus(db, MIGRATIONS)).toEqual({ applied, pending: [] });
  });

  it('apply what is pending in order of number', () => {
    const db = open();
    migrate(db, folderOf({ '0001_a': FIRST }));
    const folder = folderOf({ '0002_b': SECOND, '0001_a': FIRST, '0003_c': 'DROP TABLE "b";' });
    expect(migrationStatus(db, folder)).toEqual({
      applied: ['0001_a'],
      pending: ['0002_b', '0003_c'],
    });
    expect(tables(db)).toEqual(['a']);
    expect(migrate(db, folder).applied).toEqual(['0002_b', '0003_c']);
    expect(tables(db)).toEqual(['a']);
  });

  it("are recorded in Prisma's own table", () => {
    const db = open();
    migrate(db, folderOf({ '0001_a': FIRST }));
    const rows = db.prepare('SELECT * FROM "_prisma_migrations"').all();
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: createHash('sha256').update(FIRST).digest('hex'),
        finished_at: expect.any(Number),
        migration_name: '0001_a',
        logs: null,
        rolled_back_at: null,
        started_at: expect.any(Number),
        applied_steps_count: 1,
      },
    ]);
  });

  it('that fail leave nothing behind, and keep those before them', () => {
    const db = open();
    const broken = 'CREATE TABLE "b" ("id" TEXT); INSERT INTO "nowhere" VALUES (1);';
    const folder = folderOf({ '0001_a': FIRST, '0002_b': broken });
    expect(() => migrate(db, folder)).toThrow(/0002_b failed: .*nowhere/);
    expect(db.inTransaction).toBe(false);
    expect(tables(db)).toEqual(['a']);
    expect(migrationStatus(db, folder)).toEqual({ applied: ['0001_a'], pending: ['0002_b'] });
  });

  it('that end their transaction are refused', () => {
    const db = open();
    const folder = folderOf({ '0001_a': `${FIRST} COMMIT;` });
    expect(() => migrate(db, folder)).toThrow(/0001_a ended the transaction/);
  });

  it('that redefine a table as Prisma does keep its rows', () => {
    const db = open();
    migrate(db, folderOf({ '0001_a': `${FIRST} INSERT INTO "a" VALUES ('x', 1);` }));
    const redefine = `-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_a" ("id" TEXT PRIMARY KEY, "n" INTEGER, "m" TEXT NOT NULL DEFAULT '');
INSERT INTO "new_a" ("id", "n") SELECT "id", "n" FROM "a";
DROP TABLE "a";
ALTER TABLE "new_a" RENAME TO "a";
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;`;
    const first = `${FIRST} INSERT INTO "a" VALUES ('x', 1);`;
    migrate(db, folderOf({ '0001_a': first, '0002_m': redefine }));
    expect(db.prepare('SELECT * FROM "a"').all()).toEqual([{ id: 'x', n: 1, m: '' }]);
    expect(db.pragma('foreign_keys', { simple: true })).toBe(0);
  });

  it('are refused by name where the database has one that the folder lacks', () => {
    const db = open();
    migrate(db, folderOf({ '0001_a': FIRST, '0002_b': SECOND }));
    const older = folderOf({ '0001_a': FIRST });
    expect(() => migrate(db, older)).toThrow(MigrationError);
    expect(() => migrate(db, older)).toThrow(/0002_b/);
    expect(() => migrationStatus(db, older)).toThrow(/0002_b/);
  });

  it('are refused by name where one was altered after it was applied', () => {
    const db = open();
    migrate(db, folderOf({ '0001_a': FIRST }));
    const altered = folderOf({ '0001_a': `${FIRST}\n`, '0002_b': SECOND });
    expect(() => migrate(db, altered)).toThrow(/0001_a was applied .* another content/);
    expect(tables(db)).toEqual(['a']);
  });

  it('are refused where a new one has a number that lies before an applied one', () => {
    const db = open();
    migrate(db, folderOf({ '0001_a': FIRST, '0003_b': SECOND }));
    const late = folderOf({ '0001_a': FIRST, '0002_c': 'SELECT 1;', '0003_b': SECOND });
    expect(() => migrate(db, late)).toThrow(/0002_c/);
  });

  it('are refused where one was begun and did not end, and the message says the way out', () => {
    const db = open();
    const folder = folderOf({ '0001_a': FIRST });
    migrate(db, folder);
    db.exec('UPDATE "_prisma_migrations" SET "finished_at" = NULL');
    const message = messageOf(() => migrate(db, folder));
    expect(message).toContain('began the migration 0001_a');
    expect(message).toContain('Restore a backup');
    db.exec('DROP TABLE "a"');
    db.exec(/UPDATE .*;/.exec(message)?.[0] ?? '');
    expect(migrate(db, folder).applied).toEqual(['0001_a']);
    expect(tables(db)).toEqual(['a']);
    expect(migrate(db, folder).applied).toEqual([]);
  });

  it('with a wrong folder name are refused', () => {
    expect(() => migrate(open(), folderOf({ '20260101_a': FIRST }))).toThrow(/0001_name/);
  });
});
