import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  migrate as migratePostgresql,
  openPool,
  type Pool,
} from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { migrate, openDatabase } from '../../src/database/sqlite/index.js';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';
import { TaskRows } from '../../src/database/task-rows.js';
import { type PostgresqlServer, usePostgresql } from '../support/postgresql.js';
import { MIGRATIONS } from './folder.js';

const POSTGRESQL = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const NOW = 1_000 * HOUR;
const SHORT = 'afterCommit:Gadget';
const LONG = 'afterCommit:Setting';
const HOLDS = new Map([
  [SHORT, SECOND],
  [LONG, HOUR],
]);

interface Opened {
  readonly prisma: PrismaClient;
  close(): Promise<void>;
}

function onSqlite(): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'tasks-'));
  const file = join(folder, 'jmap.db');
  const db = openDatabase({ file });
  migrate(db, MIGRATIONS);
  db.close();
  const prisma = openPrismaStandalone(file);
  return {
    prisma,
    async close() {
      await prisma.$disconnect();
      rmSync(folder, { recursive: true });
    },
  };
}

async function onPostgresql(server: PostgresqlServer): Promise<Opened> {
  const pool: Pool = openPool({ url: await server.createDatabase('tasks'), size: 4 });
  await migratePostgresql(pool, POSTGRESQL);
  const prisma = openPrisma(pool);
  return {
    prisma,
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

const postgresql = usePostgresql();

describe.each(['SQLite', 'PostgreSQL'])('tasks on %s', (database) => {
  let opened: Opened;
  let rows: TaskRows;
  beforeAll(async () => {
    opened = database === 'SQLite' ? onSqlite() : await onPostgresql(postgresql());
    rows = new TaskRows(opened.prisma);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await opened.prisma.jmapTask.deleteMany();
    await opened.prisma.jmapMeta.deleteMany();
  });

  const keep = (id: string, due: number, kind = SHORT) =>
    opened.prisma.jmapTask.create({
      data: { accountId: 'a', id, kind, payload: '{}', due: BigInt(due), attempts: 0n },
    });
  const take = async (now: number, limit = 8, except: readonly string[] = []) => {
    const taken = await rows.take(HOLDS, { now, longestPause: HOUR, limit, except });
    return taken.map(({ id, attempt }) => [id, attempt]);
  };

  it('one server begins a period, and others are told when the next one begins', async () => {
    expect(await rows.beginPeriod('job', NOW, HOUR)).toBe(0);
    expect(await rows.beginPeriod('job', NOW + 1000, HOUR)).toBe(HOUR - 1000);
    expect(await rows.beginPeriod('job', NOW - 1000, HOUR), 'another clock').toBe(HOUR + 1000);
    expect(await rows.beginPeriod('job', NOW + HOUR, HOUR)).toBe(0);
  });

  it('a period that a wrong clock began in the far future ends at once', async () => {
    await rows.beginPeriod('job', NOW + 1000 * HOUR, HOUR);
    expect(await rows.beginPeriod('job', NOW, HOUR)).toBe(0);
  });

  it('each task is held for the time of its kind', async () => {
    await keep('long', NOW - 1, LONG);
    await keep('short', NOW);
    await keep('other', NOW, 'afterCommit:Other');
    expect(await take(NOW)).toEqual([
      ['long', 1],
      ['short', 1],
    ]);
    expect(await take(NOW + SECOND - 1)).toEqual([]);
    expect(await take(NOW + SECOND)).toEqual([['short', 2]]);
    expect(await take(NOW + HOUR)).toEqual([
      ['short', 3],
      ['long', 2],
    ]);
  });

  it('a task that a wrong clock put into the far future is due', async () => {
    await keep('right', NOW + HOUR + SECOND);
    await keep('wrong', NOW + HOUR + SECOND + 1);
    await keep('held', NOW + 2 * HOUR, LONG);
    expect(await rows.take(HOLDS, { now: NOW, longestPause: null, limit: 1, except: [] })).toEqual(
      [],
    );
    expect(await take(NOW, 1)).toEqual([['wrong', 1]]);
    expect(await take(NOW)).toEqual([]);
    await keep('due', NOW);
    await keep('later', NOW + 10 * HOUR);
    expect(await take(NOW, 1)).toEqual([['due', 1]]);
    expect(await take(NOW, 1)).toEqual([['later', 1]]);
  });

  it('a server leaves out the tasks that it still works at', async () => {
    await keep('own', NOW);
    await keep('beyond', NOW + 10 * HOUR);
    await keep('free', NOW);
    expect(await take(NOW, 8, ['own', 'beyond'])).toEqual([['free', 1]]);
    expect(await take(NOW)).toEqual([
      ['own', 1],
      ['beyond', 1],
    ]);
  });

  it('a late server changes no task that another one has taken over, but ends it', async () => {
    await keep('t', NOW);
    const how = { longestPause: HOUR, limit: 1, except: [] };
    const [late] = await rows.take(HOLDS, { ...how, now: NOW });
    const [next] = await rows.take(HOLDS, { ...how, now: NOW + SECOND });
    if (late === undefined || next === undefined) throw new Error('nothing was taken');
    const held = await opened.prisma.jmapTask.findMany();
    await rows.postpone(late, NOW, 'Error: late');
    await rows.release([late], NOW);
    expect(await opened.prisma.jmapTask.findMany()).toEqual(held);
    await rows.postpone(next, NOW + 1, 'Error: no');
    const [postponed] = await opened.prisma.jmapTask.findMany();
    expect(postponed).toMatchObject({ due: BigInt(NOW + 1), attempts: 2n, error: 'Error: no' });
    await rows.finish(late);
    expect(await opened.prisma.jmapTask.count()).toBe(0);
  });
});
