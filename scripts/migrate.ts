import { existsSync } from 'node:fs';
import { readConfig } from '../src/config.js';
import { readMigrations } from '../src/database/migrations.js';
import { migrate, migrationStatus, openDatabase } from '../src/database/sqlite/index.js';
import { EXIT, parseOptions, printLine, runTool } from './cli.js';
import { asUsageError, migrationsFolder } from './directory.js';

const HELP = `
Usage: npm run migrate [-- --status]

Applies the migrations in prisma/ that the database of DATABASE_URL lacks, each in one transaction, and prints
the name of each. The server does the same at its start.

  --status   changes nothing; prints a line "applied NAME" or "pending NAME" for each migration,
             and exits with 1 where one is pending

Exit codes: 0 fine, 1 something is pending (--status), 2 the database or DATABASE_URL is wrong, 70 a defect.
`;

await runTool('migrate', HELP, async (argv) => {
  const { values } = parseOptions(argv, { options: { status: { type: 'boolean' } } });
  process.umask(0o077);
  const root = process.cwd();
  const { file } = readConfig(process.env, root).database;
  const folder = migrationsFolder(root);
  try {
    return values.status === true ? status(file, folder) : apply(file, folder);
  } catch (error) {
    throw asUsageError(error, file);
  }
});

function apply(file: string, folder: string): number {
  const db = openDatabase({ file });
  try {
    const { applied } = migrate(db, folder);
    for (const name of applied) printLine(`applied ${name}`);
    if (applied.length === 0) printLine('Nothing is pending.');
    return EXIT.fine;
  } finally {
    db.close();
  }
}

function status(file: string, folder: string): number {
  const { applied, pending } = statusOf(file, folder);
  for (const name of applied) printLine(`applied ${name}`);
  for (const name of pending) printLine(`pending ${name}`);
  return pending.length === 0 ? EXIT.fine : EXIT.found;
}

/** Opens an existing file for reading only, and makes none. */
function statusOf(file: string, folder: string): ReturnType<typeof migrationStatus> {
  if (!existsSync(file)) {
    return { applied: [], pending: readMigrations(folder).map((migration) => migration.name) };
  }
  const db = openDatabase({ file, readonly: true });
  try {
    return migrationStatus(db, folder);
  } finally {
    db.close();
  }
}
