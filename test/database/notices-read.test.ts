import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { migrate as migratePostgresql, openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { migrate, openDatabase } from '../../src/database/sqlite/index.js';
import { OpenFiles } from '../../src/database/sqlite/open-files.js';
import { sharedAdapter } from '../../src/database/sqlite/prisma-adapter.js';
import { Writer } from '../../src/database/sqlite/writer.js';
import { TaskRows } from '../../src/database/task-rows.js';
import { Conductor } from '../../src/runtime/slices.js';
import { usePostgresql } from '../support/postgresql.js';
import { MIGRATIONS } from './folder.js';

/** Servers often ask for whom there are notices: other tasks that wait cost nothing then. */

const POSTGRESQL = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const postgresql = usePostgresql();

/** Three notices for two users. */
const rows = [
  ['p-u1', '1'],
  ['p-u1', '2'],
  ['p-u2', '1'],
].map(([accountId = '', id = '']) => ({
  ...{ accountId, id, kind: 'shareNotice', payload: '{}', due: 0n, attempts: 0n },
}));
const FOUND = ['p-u1', 'p-u2'];

it('PostgreSQL reads no task of others to find notices', async () => {
  const pool = openPool({ url: await postgresql().createDatabase('notices'), size: 1 });
  const prisma = openPrisma(pool);
  onTestFinished(async () => {
    await prisma.$disconnect();
    await pool.end();
  });
  await migratePostgresql(pool, POSTGRESQL);
  await prisma.jmapTask.createMany({ data: rows });
  await pool.query(
    `INSERT INTO "JmapTask" ("accountId", "id", "kind", "payload", "due", "attempts")
     SELECT chr(97 + n % 26) || n, 't', 'afterCommit:T', '{}', 0, 0
     FROM generate_series(1, 20000) AS n`,
  );
  await pool.query('VACUUM ANALYZE "JmapTask"');
  const readWhole = async (): Promise<number> => {
    await pool.query('SELECT pg_stat_force_next_flush()');
    const { rows: found } = await pool.query<{ count: string }>(
      `SELECT seq_tup_read AS count FROM pg_stat_user_tables WHERE relname = 'JmapTask'`,
    );
    return Number(found[0]?.count);
  };
  const before = await readWhole();
  expect(await new TaskRows(prisma).accountsWithNotices(10)).toEqual(FOUND);
  expect((await readWhole()) - before).toBe(0);
});

it('SQLite finds notices by the key of tasks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'notices-'));
  const file = join(folder, 'jmap.db');
  const db = openDatabase({ file });
  migrate(db, MIGRATIONS);
  const writer = new Writer(db, new Conductor(), { files: new OpenFiles(file) });
  const prisma = new PrismaClient({
    adapter: sharedAdapter(db, writer, () => writer.close()),
    log: [{ emit: 'event', level: 'query' }],
  });
  onTestFinished(async () => {
    await prisma.$disconnect();
    db.close();
    rmSync(folder, { recursive: true });
  });
  await prisma.jmapTask.createMany({ data: rows });
  const asked: string[] = [];
  prisma.$on('query', ({ query }) => asked.push(query));
  expect(await new TaskRows(prisma).accountsWithNotices(10)).toEqual(FOUND);
  expect(asked).toHaveLength(1);
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${asked[0]}`);
  const steps = plan.all(...Array.from(asked[0]?.match(/\?/g) ?? [], () => '')) as {
    readonly detail: string;
  }[];
  expect(steps.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH .*\(accountId>\? AND accountId<\?\)$/),
  ]);
});
