import { join } from 'node:path';
import {
  migrate as migratePostgresql,
  openPool,
  type Pool,
} from '../../../src/database/postgresql/index.js';
import { migrate as migrateSqlite, openDatabase } from '../../../src/database/sqlite/index.js';
import type { PostgresqlServer } from '../../support/postgresql.js';
import type { Evolving } from './evolving.js';
import { temporaryRoot } from './project.js';

/** Empty databases for releases alone: nothing is started on them. */
const closing: (() => unknown)[] = [];
let databases = 0;

export async function openSqlite(): Promise<Evolving> {
  const db = openDatabase({ file: join(temporaryRoot(), 'test.db') });
  closing.push(() => db.close());
  return {
    migrate: async (of) => migrateSqlite(db, join(of, 'prisma/sqlite/migrations')).applied,
    run: async (statement) => void db.exec(statement),
    rows: async (statement) => db.prepare(statement).all() as Record<string, unknown>[],
    start: async () => undefined,
    isShared: false,
  };
}

export async function openPostgresql(server: PostgresqlServer): Promise<Evolving> {
  databases += 1;
  const url = await server.createDatabase(`releases${databases}`);
  const pool = openPool({ url, size: 2 });
  closing.push(() => pool.end());
  return {
    migrate: async (of) =>
      (await migratePostgresql(pool, join(of, 'prisma/postgresql/migrations'))).applied,
    run: async (statement) => void (await pool.query(statement)),
    rows: (statement) => rowsOf(pool, statement),
    start: async () => undefined,
    isShared: true,
  };
}

export async function closeAll(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

/** Numbers as numbers: the driver gives 64-bit integers as text. */
export async function rowsOf(
  pool: Pool,
  statement: string,
): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await pool.query<Record<string, unknown>>(statement);
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value,
      ]),
    ),
  );
}
