import { existsSync } from 'node:fs';
import type { ConversionNote } from '../src/backfill/conversions.js';
import { keptObjects, openBackfillDatabase } from '../src/database/backfill-database.js';
import { clientNames, uniquesIn } from '../src/database/client-names.js';
import { findDuplicates } from '../src/database/duplicate-search.js';
import { type MigrationStatus, readMigrations } from '../src/database/migrations.js';
import { migrate, migrationStatus, openDatabase } from '../src/database/sqlite/index.js';
import { openPrismaStandalone, type PrismaClient } from '../src/database/sqlite/prisma.js';
import { readConfig } from '../src/server/config.js';
import { projectRoot } from '../src/server/package-root.js';
import { EXIT, parseOptions, printLine, runTool, UsageError } from './cli.js';
import { asUsageError, migrationsFolder, withDirectory } from './directory.js';
import { command } from './invocation.js';

const HELP = `
Usage: ${command('migrate', '[--status | --duplicates]')}

Applies the migrations in prisma/ that the database of DATABASE_URL lacks, each in one transaction,
and prints the name of each. The server does the same at its start.

  --status       changes nothing; prints a line "applied NAME" or "pending NAME" for each
                 migration and for each file of evolve/ that is not done, and exits with 1 where one
                 is pending
  --duplicates   applies nothing; prints a line with type, property, account and ids for objects
                 that share a value which must be unique, and exits with 1 where there are some

Exit codes: 0 fine, 1 something is pending (--status) or shared (--duplicates), 2 the database or
DATABASE_URL is wrong, 70 a defect.
`;

await runTool('migrate', HELP, async (argv) => {
  const options = { status: { type: 'boolean' }, duplicates: { type: 'boolean' } } as const;
  const { values } = parseOptions(argv, { options });
  if (values.status === true && values.duplicates === true)
    throw new UsageError('--status and --duplicates are two questions: ask one at a time.');
  if (values.duplicates === true) return listDuplicates();
  process.umask(0o077);
  const { database } = readConfig(process.env, process.cwd());
  const folder = migrationsFolder(projectRoot(), database.kind);
  const wanted = values.status === true;
  try {
    if (database.kind === 'postgresql') return await onPostgresql(database.url, folder, wanted);
    return wanted ? await status(database.file, folder) : await apply(database.file, folder);
  } catch (error) {
    throw asUsageError(error, database);
  }
});

async function apply(file: string, folder: string): Promise<number> {
  const db = openDatabase({ file });
  try {
    const { applied } = migrate(db, folder);
    return await tell(folder, applied, openPrismaStandalone(file));
  } finally {
    db.close();
  }
}

async function onPostgresql(url: string, folder: string, wanted: boolean): Promise<number> {
  const postgresql = await import('../src/database/postgresql/index.js');
  const pool = postgresql.openPool({ url, size: 1 });
  try {
    const { openPrisma } = await import('../src/database/postgresql/prisma.js');
    if (wanted)
      return await report(await postgresql.migrationStatus(pool, folder), openPrisma(pool));
    const progress = (migration: string, type: string, rows: number): void =>
      printLine(`${migration}: ${rows} rows of ${type} filled`);
    const { applied } = await postgresql.migrate(pool, folder, progress);
    return await tell(folder, applied, openPrisma(pool));
  } finally {
    await pool.end();
  }
}

async function tell(
  folder: string,
  applied: readonly string[],
  prisma: PrismaClient,
): Promise<number> {
  const notes = await openBackfillDatabase(prisma).notes();
  await prisma.$disconnect();
  for (const name of applied) printLine(`applied ${name}`);
  if (applied.length === 0) printLine('Nothing is pending.');
  const names = clientNames(readMigrations(folder).at(-1)?.folder ?? folder);
  // Functions of the team do it, and the server runs those.
  for (const { key, value } of notes) {
    const [kind, table = '', column = ''] = key.split(/[:/]/);
    if (kind === 'compute') {
      const property = `${names.type(table)}.${names.property(table, column)}`;
      printLine(`${property} is computed at the server's next start`);
    } else if (kind === 'evolve')
      printLine(
        `${names.type(column)} is converted by ${fileOf(value)} at the server's next start`,
      );
  }
  return EXIT.fine;
}

function fileOf(value: string): string {
  return (JSON.parse(value) as ConversionNote).file ?? '';
}

/** Tells what is applied, what is pending, and how far the conversions of objects are. */
async function report(
  { applied, pending }: MigrationStatus,
  prisma: PrismaClient | null,
): Promise<number> {
  for (const name of applied) printLine(`applied ${name}`);
  for (const name of pending) printLine(`pending ${name}`);
  // Before the first migration there are no notes.
  const notes =
    prisma === null || applied.length === 0 ? [] : await openBackfillDatabase(prisma).notes();
  await prisma?.$disconnect();
  const left = notes.filter(({ key }) => key.startsWith('evolve:'));
  for (const { value } of left) {
    const note = JSON.parse(value) as ConversionNote;
    const { file, done, of, refused = [], refusedCount = refused.length } = note;
    const progress = of === undefined ? '' : `, ${done} of ${of} objects`;
    const failed = refusedCount === 0 ? '' : `, ${refusedCount} refused`;
    printLine(`pending ${file}${progress}${failed}`);
    for (const { accountId, id, reason } of refused)
      printLine(`  ${id} in account ${accountId}: ${reason}`);
  }
  return pending.length + left.length === 0 ? EXIT.fine : EXIT.found;
}

async function listDuplicates(): Promise<number> {
  let found = 0;
  const tell = (line: string): void => {
    printLine(line);
    found += 1;
  };
  const code = await withDirectory(async (prisma, { database }) => {
    const folder = migrationsFolder(projectRoot(), database.kind);
    const last = readMigrations(folder).at(-1)?.folder ?? folder;
    for (const unique of uniquesIn(last))
      for await (const duplicates of findDuplicates(prisma, unique))
        for (const { type, property, accountId, ids, count } of duplicates) {
          const more = count > ids.length ? ` and ${count - ids.length} more` : '';
          tell(`${type}.${property} in account ${accountId}: ${ids.join(' ')}${more}`);
        }
    for (const { table, accountId, id } of await keptObjects(prisma)) {
      const type = clientNames(last).type(table);
      tell(`${type} in account ${accountId}: ${id} is not normalised, since another has the value`);
    }
  });
  if (code !== EXIT.fine) return code;
  if (found === 0) printLine('No objects share a value that must be unique.');
  return found === 0 ? EXIT.fine : EXIT.found;
}

/** Opens an existing file for reading only, and makes none. */
async function status(file: string, folder: string): Promise<number> {
  if (!existsSync(file)) {
    const pending = readMigrations(folder).map((migration) => migration.name);
    return report({ applied: [], pending }, null);
  }
  const db = openDatabase({ file, readonly: true });
  try {
    return await report(migrationStatus(db, folder), openPrismaStandalone(file));
  } finally {
    db.close();
  }
}
