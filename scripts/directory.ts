import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DirectoryError } from '../src/accounts/index.js';
import { isUnavailable, isUnusable } from '../src/database/postgresql/driver-errors.js';
import type { Pool } from '../src/database/postgresql/index.js';
import {
  DatabaseFileError,
  DriverError,
  MigrationError,
  migrate,
  migrationStatus,
  openDatabase,
} from '../src/database/sqlite/index.js';
import { patiently } from '../src/database/sqlite/open.js';
import { openPrismaStandalone, type PrismaClient } from '../src/database/sqlite/prisma.js';
import { UnavailableError } from '../src/protocol/errors.js';
import { type Config, readConfig } from '../src/server/config.js';
import { projectRoot } from '../src/server/package-root.js';
import { messageOf } from '../src/server/unavailable.js';
import { EXIT, printError, UsageError } from './cli.js';
import { command } from './invocation.js';

/** Where a project's migrations lie. Throws UsageError where it has none yet. */
export function migrationsFolder(
  root: string,
  kind: Config['database']['kind'] = 'sqlite',
): string {
  const folder = join(root, 'prisma', kind, 'migrations');
  if (existsSync(folder)) return folder;
  throw new UsageError(`There are no migrations in ${folder}: run ${command('generate')}.`);
}

/**
 * Runs a command on the database that the environment names, beside a running server or before the
 * first start: a new database is migrated as the server would. Resolves to the exit code; what the
 * caller gave wrong becomes a UsageError.
 */
export async function withDirectory(
  work: (prisma: PrismaClient, config: Config) => Promise<void>,
): Promise<number> {
  // The files that a command creates are as private as those of the server.
  process.umask(0o077);
  const config = readConfig(process.env, process.cwd());
  try {
    const directory = await openDirectory(config.database, projectRoot());
    try {
      await work(directory.prisma, config);
      return EXIT.fine;
    } finally {
      await directory.close();
    }
  } catch (error) {
    if (error instanceof UnavailableError) {
      printError(`${error.message} Try again.`);
      return EXIT.defect;
    }
    throw asUsageError(error, config.database);
  }
}

interface Directory {
  readonly prisma: PrismaClient;
  close(): Promise<void>;
}

async function openDirectory(database: Config['database'], root: string): Promise<Directory> {
  if (database.kind === 'postgresql') return openPostgresqlDirectory(database.url, root);
  prepare(database.file, migrationsFolder(root));
  const prisma = openPrismaStandalone(database.file);
  return { prisma, close: () => prisma.$disconnect() };
}

async function openPostgresqlDirectory(url: string, root: string): Promise<Directory> {
  const postgresql = await import('../src/database/postgresql/index.js');
  const { openPrisma } = await import('../src/database/postgresql/prisma.js');
  const pool = postgresql.openPool({ url, size: 4 });
  try {
    const folder = migrationsFolder(root, 'postgresql');
    const isNew = await isNewPostgresql(pool);
    const { pending } = await postgresql.migrationStatus(pool, folder);
    if (pending.length > 0 && !isNew) throw behind(pending);
    if (pending.length > 0) await postgresql.migrate(pool, folder);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const prisma = openPrisma(pool);
  const close = async (): Promise<void> => {
    await prisma.$disconnect();
    await pool.end();
  };
  return { prisma, close };
}

/**
 * Mistakes of the caller or its environment, as what `runTool` answers with exit code 2; others as
 * they are.
 */
export function asUsageError(error: unknown, database: Config['database']): unknown {
  if (
    error instanceof DirectoryError ||
    error instanceof MigrationError ||
    error instanceof DatabaseFileError ||
    error instanceof DriverError
  ) {
    return new UsageError(error.message);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(SQLITE_(CANTOPEN|NOTADB|READONLY)|EACCES|EEXIST|ENOTDIR|EROFS|EPERM)/.test(code)) {
    const which = database.kind === 'sqlite' ? ` ${database.file}` : '';
    return new UsageError(`The database${which} can't be used (${code}): see DATABASE_URL.`);
  }
  if (database.kind === 'postgresql' && (isUnusable(error) || isUnavailable(error))) {
    const reason = messageOf(error) || code;
    return new UsageError(`The database can't be used (${reason}): see DATABASE_URL.`);
  }
  return error;
}

/**
 * A new database gets its tables; one that is behind is left to `npm run migrate`: an older server
 * may use it. New is what has no user. That is looked at first: another process may be in the
 * middle of the same migrations, and who makes a user has ended them.
 */
function prepare(file: string, folder: string): void {
  const db = openDatabase({ file });
  try {
    const isNew = isNewSqlite(db);
    const { pending } = migrationStatus(db, folder);
    if (pending.length === 0) return;
    if (!isNew) throw behind(pending);
    migrate(db, folder);
  } finally {
    db.close();
  }
}

const ANY_USER = 'SELECT 1 FROM "JmapUser" LIMIT 1';

function isNewSqlite(db: ReturnType<typeof openDatabase>): boolean {
  return patiently(db, () => {
    const table = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'JmapUser'`;
    return db.prepare(table).get() === undefined || db.prepare(ANY_USER).get() === undefined;
  });
}

async function isNewPostgresql(pool: Pool): Promise<boolean> {
  const table = `SELECT 1 WHERE to_regclass('"JmapUser"') IS NOT NULL`;
  if ((await pool.query(table)).rowCount === 0) return true;
  return (await pool.query(ANY_USER)).rowCount === 0;
}

function behind(pending: readonly string[]): UsageError {
  return new UsageError(
    `The database lacks ${pending.join(', ')}: run "${command('migrate')}", or start the server, ` +
      'first.',
  );
}
