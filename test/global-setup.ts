import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { makeMemoryFolder } from './support/memory-folder.js';
import { offerPostgresql } from './support/postgresql-of-run.js';
import { sharedProject } from './support/shared-project.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const script = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));

/**
 * Once for a run: builds what tests stand on, which is nothing where it is current. A whole run
 * gets dist/, since black-box tests start the server as a user does. A run of some files (`npx
 * vitest run test/blobs`) gets the Prisma client alone, and a test that starts the server builds by
 * that. A whole run also ends here, within seconds, where PostgreSQL can't start. It begins the
 * shared project as well: the files that serve it wait less, since others run meanwhile.
 */
export default async function prepareRun({ name }: TestProject): Promise<() => Promise<void>> {
  // The long tier kills and fills: it keeps to the disk.
  const memory = name === 'fast' ? makeMemoryFolder() : undefined;
  // Workers and the servers that they start inherit it.
  if (memory !== undefined) process.env['TMPDIR'] = memory;
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-run-'));
  // Workers inherit it; test/support/shared-project.ts fills it once.
  process.env['JMAPSMITH_TEST_RUN'] = folder;
  const postgresql = await offerPostgresql();
  let project: Promise<unknown> | undefined;
  const end = async (): Promise<void> => {
    // Nothing may write into the folder that is removed.
    await project;
    await postgresql.close();
    rmSync(memory ?? folder, { recursive: true, force: true });
  };
  if (!existsSync(script)) return end;
  const partial = process.argv
    .slice(2)
    .some((argument) => /^(\.\/)?test\/|\.test\.ts$/.test(argument));
  run(['--clients']);
  if (partial) return end;
  await postgresql.start().catch(async (error: Error) => {
    await end();
    // One line and the end: of an error that is thrown here the runner prints a page.
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  run([]);
  // A run of a folder may have no file that serves it. Each that does throws the error, too.
  if (!process.argv.slice(2).some((argument) => /\btest\b/.test(argument)))
    project = sharedProject().catch((error: Error) => process.stderr.write(`${error.message}\n`));
  return end;
}

function run(options: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [script, ...options], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0)
    throw new Error(`scripts/build.mjs ended with ${status}: see what it said above.`);
}
