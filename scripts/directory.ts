import { join } from 'node:path';
import { DirectoryError } from '../src/accounts/index.js';
import { type Config, readConfig } from '../src/config.js';
import {
  MigrationError,
  migrate,
  migrationStatus,
  openDatabase,
} from '../src/database/sqlite/index.js';
import { openPrismaStandalone, type PrismaClient } from '../src/database/sqlite/prisma.js';
import { UnavailableError } from '../src/protocol/errors.js';
import { EXIT, printError, UsageError } from './cli.js';

/** Where a project's migrations for SQLite lie. */
export function migrationsFolder(root: string): string {
  return join(root, 'prisma', 'sqlite', 'migrations');
}

/**
 * Runs a command on the database that the environment names, beside a running server or before the
 * first start: a new database is migrated as the server would. Resolves to the exit code; what the
 * caller gave wrong becomes a UsageError.
 */
export async function withDirectory(
  work: (prisma: PrismaClient, config: Config) => Promise<void>,
): Promise<number> {
  // What a command creates is as private as what the server does.
  process.umask(0o077);
  const root = process.cwd();
  const config = readConfig(process.env, root);
  try {
    prepare(config.database.file, migrationsFolder(root));
    const prisma = openPrismaStandalone(config.database.file);
    try {
      await work(prisma, config);
      return EXIT.fine;
    } finally {
      await prisma.$disconnect();
    }
  } catch (error) {
    if (error instanceof UnavailableError) {
      printError(`${error.message} Try again.`);
      return EXIT.defect;
    }
    throw asUsageError(error, config.database.file);
  }
}

/**
 * Mistakes of the caller or its environment, as what `runTool` answers with exit code 2; others as
 * they are.
 */
export function asUsageError(error: unknown, file: string): unknown {
  if (error instanceof DirectoryError || error instanceof MigrationError) {
    return new UsageError(error.message);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^(SQLITE_(CANTOPEN|NOTADB|READONLY)|EACCES|EEXIST|ENOTDIR|EROFS|EPERM)/.test(code)) {
    return new UsageError(`The database ${file} can't be used (${code}): see DATABASE_URL.`);
  }
  return error;
}

/**
 * A new database gets its tables; one that is behind is left to `npm run migrate`: an older server
 * may use it.
 */
function prepare(file: string, folder: string): void {
  const db = openDatabase({ file });
  try {
    const { applied, pending } = migrationStatus(db, folder);
    if (pending.length === 0) return;
    if (applied.length > 0) {
      throw new UsageError(
        `The database lacks ${pending.join(', ')}: run "npm run migrate", or start the server, first.`,
      );
    }
    migrate(db, folder);
  } finally {
    db.close();
  }
}
