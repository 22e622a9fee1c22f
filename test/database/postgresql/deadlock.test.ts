import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migrate, openPool } from '../../../src/database/postgresql/index.js';
import { eventually } from '../../support/poll.js';
import { usePostgresql } from '../../support/postgresql.js';

const postgresql = usePostgresql();

function folderOf(migrations: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-migrations-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, sql] of Object.entries(migrations)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'migration.sql'), sql);
  }
  return folder;
}

test('a migration that PostgreSQL undoes for the sake of a writer is applied again', async () => {
  const pool = openPool({ url: await postgresql().createDatabase('deadlock'), size: 3 });
  onTestFinished(() => pool.end());
  await pool.query('CREATE TABLE "A" ("id" INT); CREATE TABLE "B" ("id" INT)');
  const folder = folderOf({
    '0001_both': 'ALTER TABLE "A" ADD COLUMN "x" INT;\nALTER TABLE "B" ADD COLUMN "x" INT;\n',
  });
  const writer = await pool.connect();
  // The migration finds out first that the two wait for each other.
  await writer.query(`SET deadlock_timeout = '60s'`);
  await writer.query('BEGIN');
  await writer.query('INSERT INTO "B" VALUES (1)');
  const migrating = migrate(pool, folder);
  await eventually(async () => {
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT "granted" AND "relation" = '"B"'::regclass
      AND "database" = (SELECT "oid" FROM pg_database WHERE "datname" = current_database())`;
    expect((await writer.query(waiting)).rowCount).toBe(1);
  });
  await writer.query('INSERT INTO "A" VALUES (1)');
  await writer.query('COMMIT');
  writer.release();
  expect(await migrating).toEqual({ applied: ['0001_both'], pending: [] });
  const { rows } = await pool.query('SELECT "A"."x" FROM "A", "B" WHERE "A"."id" = "B"."id"');
  expect(rows).toHaveLength(1);
});
