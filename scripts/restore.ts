import { resolve } from 'node:path';
import type { BlobStore } from '../src/blobs/blob-store.js';
import { openBlobStore } from '../src/blobs/index.js';
import { compareMigrations, readMigrations } from '../src/database/migrations.js';
import { UnavailableError } from '../src/protocol/errors.js';
import { type Config, readConfig } from '../src/server/config.js';
import { projectRoot } from '../src/server/package-root.js';
import { loadProject } from '../src/server/project.js';
import { openDestination } from './backup/destination.js';
import { inWords } from './backup/errors.js';
import { type Manifest, verify } from './backup/manifest.js';
import { inUnits, Progress } from './backup/progress.js';
import { readArchive } from './backup/read.js';
import { EXIT, parseOptions, printError, printLine, runTool, UsageError } from './cli.js';
import { asUsageError, migrationsFolder } from './directory.js';
import { command } from './invocation.js';

const HELP = `
Usage: ${command('restore', 'FILE')}

Brings back what ${command('backup', 'FILE')} has written: the database to DATABASE_URL, the blobs
to BLOB_STORE. Both must be empty. FILE is verified first, as a whole; a database that is newer than
this version is refused, and an older one is migrated. All states that clients hold are then refused
(as account reset-states does), so that they synchronise anew: some may have seen what came after
the backup. Where it fails, the place is empty again. Where it is killed, no server starts there
until it has run again.

Start the server afterwards, with the SECRETS_KEY of the time of the backup.
Exit codes: 0 fine, 2 FILE, another argument or the environment is wrong, the place is not empty or
the disk is full, 70 the database stays busy, or a defect.
`;

await runTool('restore', HELP, async (argv) => {
  const { positionals } = parseOptions(argv, { options: {}, allowPositionals: true });
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    throw new UsageError('Takes one FILE (--help tells more).');
  }
  process.umask(0o077);
  const config = readConfig(process.env, process.cwd());
  try {
    return await restore(config, projectRoot(), resolve(name));
  } catch (error) {
    if (error instanceof UnavailableError) {
      printError(`${error.message} Try again.`);
      return EXIT.defect;
    }
    throw asUsageError(inWords('Nothing is restored', error), config.database);
  }
});

async function restore(config: Config, root: string, file: string): Promise<number> {
  const manifest = await verify(file, new Progress('verifying'));
  const { kind } = config.database;
  if (manifest.database.kind !== kind) {
    throw new UsageError(
      `${file} holds a database of ${manifest.database.kind}, and DATABASE_URL names one of ` +
        `${kind}.`,
    );
  }
  const folder = migrationsFolder(root, kind);
  compareMigrations(manifest.database.migrations, readMigrations(folder));
  const { registry } = await loadProject(root);
  const tables = registry.flatMap(({ dataTypes }) => dataTypes.map(({ table }) => table));
  const database = await openDestination(config.database, folder, manifest);
  try {
    const blobs = await openBlobStore(config.blobStore);
    const { occupied, resumes } = await database.claim(blobPlace(config));
    requireEmpty([...occupied, ...(resumes ? [] : await firstBlob(config, blobs))]);
    if (resumes) printError('restore: an earlier one was cut short; what it left is written over');
    const options = { tables, progress: new Progress('restoring') };
    const { applied } = await readArchive(file, manifest, { database, blobs }, options);
    for (const table of database.leftOut) {
      printError(`restore: the table ${table} is none of jmapsmith's: it is left out`);
    }
    tell(file, manifest, database.place, applied);
    return EXIT.fine;
  } finally {
    await database.close();
  }
}

async function firstBlob(config: Config, blobs: BlobStore): Promise<readonly string[]> {
  for await (const { accountId, blobId } of blobs.list()) {
    return [`blobs in ${blobPlace(config)} (${blobId} of account ${accountId}, for one)`];
  }
  return [];
}

function blobPlace({ blobStore }: Config): string {
  if (blobStore.kind === 'file') return blobStore.folder;
  return `s3://${blobStore.bucket}/${blobStore.prefix}`;
}

function requireEmpty(found: readonly string[]): void {
  if (found.length === 0) return;
  throw new UsageError(
    `The place is not empty: there is ${found.join(', ')}. Name another by DATABASE_URL, ` +
      'BLOB_STORE or DATA_DIR, or move away what is there.',
  );
}

function tell(file: string, manifest: Manifest, place: string, applied: readonly string[]): void {
  const { created, jmapsmith, blobs } = manifest;
  printLine(`restored ${file}, of ${created}, by jmapsmith ${jmapsmith}`);
  printLine(`database ${place}; ${blobs.count} blobs of ${inUnits(blobs.octets)}`);
  for (const name of applied) printLine(`applied ${name}`);
  printLine('All states that clients hold are refused from now on: they synchronise anew.');
  if (blobs.missingCount === 0) return;
  printError(`restore: octets of ${blobs.missingCount} blobs were missing at the backup already`);
}
