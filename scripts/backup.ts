import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { openBlobStore } from '../src/blobs/index.js';
import { UnavailableError } from '../src/protocol/errors.js';
import { type Config, readConfig } from '../src/server/config.js';
import { inWords } from './backup/errors.js';
import { removeDatabase } from './backup/from-sqlite.js';
import { whileHeld } from './backup/hold.js';
import { type Manifest, verify } from './backup/manifest.js';
import { openOrigin } from './backup/origin.js';
import { inUnits, Progress } from './backup/progress.js';
import { onSignals } from './backup/signals.js';
import { packageVersion } from './backup/version.js';
import { place, requireFree, writeArchive } from './backup/write.js';
import { EXIT, parseOptions, printError, printLine, runTool, UsageError } from './cli.js';
import { asUsageError } from './directory.js';
import { command } from './invocation.js';

const HELP = `
Usage: ${command('backup', 'FILE [--force]')}

Copies the database of DATABASE_URL and the blobs of BLOB_STORE into one FILE, a tar archive, also
while the server runs: one state of the database, with the octets of every blob that it names. What
was acknowledged before the command began is in it. FILE is read back and verified before it gets
its name. SECRETS_KEY is not in it: keep it apart.

  --force   replaces FILE where it is there already

${command('restore', 'FILE')} brings it back into an empty place.
Exit codes: 0 fine, 1 FILE is written but octets of blobs were missing (each is named), 2 an
argument or the environment is wrong or the disk is full, 70 the database stays busy, or a defect.
With 2 and 70 there is no new FILE.
`;

await runTool('backup', HELP, async (argv) => {
  const { values, positionals } = parseOptions(argv, {
    options: { force: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    throw new UsageError('Takes one FILE (--help tells more).');
  }
  process.umask(0o077);
  const file = resolve(name);
  const force = values.force ?? false;
  if (existsSync(file) && statSync(file).isDirectory()) {
    throw new UsageError(`${file} is a folder: name a file in it.`);
  }
  requireFree(file, force);
  const config = readConfig(process.env, process.cwd());
  try {
    return tell(file, await backUp(config, file, force));
  } catch (error) {
    if (error instanceof UnavailableError) {
      printError(`${error.message} Try again.`);
      return EXIT.defect;
    }
    throw asUsageError(inWords(`No backup ${file}`, error), config.database);
  }
});

async function backUp(config: Config, file: string, force: boolean): Promise<Manifest> {
  const partial = `${file}.partial-${randomBytes(4).toString('hex')}`;
  const copy = `${partial}.database`;
  const cleanUp = (): void => {
    rmSync(partial, { force: true });
    removeDatabase(copy);
  };
  const origin = await openOrigin(config.database);
  const ignoreSignals = onSignals(cleanUp);
  try {
    const blobs = await openBlobStore(config.blobStore);
    await whileHeld(origin.prisma, async (alive) => {
      const created = new Date();
      const source = await origin.copy(copy, new Progress('database'));
      try {
        const progress = new Progress('blobs');
        const jmapsmith = packageVersion();
        await writeArchive({ source, blobs, partial, jmapsmith, created, progress, alive });
      } finally {
        await source.close();
      }
    });
    const manifest = await verify(partial, new Progress('verifying'));
    await place(partial, file, force);
    return manifest;
  } finally {
    cleanUp();
    ignoreSignals();
    await origin.close();
  }
}

function tell(file: string, { database, blobs, contents }: Manifest): number {
  const octets = database.parts.reduce((sum, part) => sum + part.octets, 0);
  printLine(
    `${file}: ${inUnits(contents.octets)}, verified; database ${inUnits(octets)}, ` +
      `${blobs.count} blobs of ${inUnits(blobs.octets)}`,
  );
  if (blobs.missingCount === 0) return EXIT.fine;
  for (const { accountId, blobId } of blobs.missing) {
    printError(`backup: blob ${blobId} of account ${accountId} has no octets in the blob store`);
  }
  printError(`backup: octets of ${blobs.missingCount} blobs are missing; all else is in the file`);
  return EXIT.found;
}
