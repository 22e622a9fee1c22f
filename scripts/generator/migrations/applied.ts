import { existsSync } from 'node:fs';
import type { Problem } from '../../../src/descriptor/model.js';
import { type Config, readConfig } from '../../../src/server/config.js';

export interface Applied {
  /** Names of migrations that a database of the project has applied. */
  readonly names: readonly string[];
  /** Databases that could not be asked, as warnings. */
  readonly problems: readonly Problem[];
}

type Database = Config['database'];
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Asks the databases that a server of the project would use: DATABASE_URL, and the file in
 * DATA_DIR.
 */
export async function readApplied(root: string, environment: Environment): Promise<Applied> {
  const names: string[] = [];
  const problems: Problem[] = [];
  for (const database of databasesOf(root, environment)) {
    try {
      names.push(...(await namesIn(database)));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      problems.push(unread(database, error));
    }
  }
  return { names, problems };
}

function databasesOf(root: string, { DATABASE_URL, DATA_DIR }: Environment): readonly Database[] {
  const { database } = readConfig({ DATABASE_URL, DATA_DIR }, root);
  if (DATABASE_URL === undefined || DATABASE_URL === '') return [database];
  // A team that turns to another database may still have the first one.
  return [database, readConfig({ DATA_DIR }, root).database];
}

async function namesIn(database: Database): Promise<readonly string[]> {
  if (database.kind === 'sqlite') return namesInFile(database.file);
  const { appliedMigrations, openPool } = await import('../../../src/database/postgresql/index.js');
  const pool = openPool({ url: database.url, size: 1, readOnly: true });
  try {
    const client = await pool.connect();
    try {
      return (await appliedMigrations(client)).map(({ name }) => name);
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
}

async function namesInFile(file: string): Promise<readonly string[]> {
  if (!existsSync(file)) return [];
  const { appliedMigrations, openDatabase } = await import('../../../src/database/sqlite/index.js');
  const db = openDatabase({ file, readonly: true });
  try {
    return appliedMigrations(db).map(({ name }) => name);
  } finally {
    db.close();
  }
}

/** Returns a warning without the URL of the database, which may hold a password. */
function unread(database: Database, { message }: Error): Problem {
  const which = database.kind === 'sqlite' ? database.file : 'of DATABASE_URL';
  return {
    at: { file: 'prisma', line: 1, column: 1 },
    code: 'unread-database',
    severity: 'warning',
    message:
      `the database ${which} can't be read (${message}), so nobody knows which migrations it ` +
      'has: all count as released. Start the database; or run git init and commit them.',
  };
}
