import { existsSync } from 'node:fs';
import { openDatabase } from '../../src/database/sqlite/index.js';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';
import type { Config } from '../../src/server/config.js';
import { UsageError } from '../cli.js';
import { copySqlite } from './from-sqlite.js';
import type { Progress } from './progress.js';
import type { DatabaseSource } from './source.js';

/** A database that is copied, while others use it. */
export interface Origin {
  readonly prisma: PrismaClient;
  /** `temporary`: the name of a file that may be made. */
  copy(temporary: string, progress: Progress): Promise<DatabaseSource>;
  close(): Promise<void>;
}

/**
 * Opens the database of DATABASE_URL as it is: it may be behind or ahead of this version. Makes
 * none.
 */
export async function openOrigin(database: Config['database']): Promise<Origin> {
  if (database.kind === 'postgresql') return openPostgresql(database.url);
  const { file } = database;
  if (!existsSync(file)) {
    throw new UsageError(`There is no database ${file} to copy: see DATABASE_URL and DATA_DIR.`);
  }
  requireTables(file);
  const prisma = openPrismaStandalone(file);
  return {
    prisma,
    copy: (temporary, progress) => copySqlite(file, temporary, progress),
    close: () => prisma.$disconnect(),
  };
}

async function openPostgresql(url: string): Promise<Origin> {
  const { hasTable, openPool, requireRestored } = await import(
    '../../src/database/postgresql/index.js'
  );
  const { openPrisma } = await import('../../src/database/postgresql/prisma.js');
  const { copyPostgresql } = await import('./from-postgresql.js');
  const pool = openPool({ url, size: 3 });
  try {
    await requireRestored(pool);
    if (!(await hasTable(pool, 'JmapBlob'))) throw notOurs('The database');
  } catch (error) {
    await pool.end();
    throw error;
  }
  const prisma = openPrisma(pool);
  return {
    prisma,
    copy: (temporary, progress) => copyPostgresql(pool, temporary, progress),
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

function requireTables(file: string): void {
  const db = openDatabase({ file, readonly: true });
  try {
    const ours = `SELECT 1 FROM sqlite_master WHERE "type" = 'table' AND "name" = 'JmapBlob'`;
    if (db.prepare(ours).get() === undefined) throw notOurs(file);
  } finally {
    db.close();
  }
}

function notOurs(what: string): UsageError {
  return new UsageError(`${what} has no tables of jmapsmith: see DATABASE_URL.`);
}
