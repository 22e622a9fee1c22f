import { chmodSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { findBinaries, makeOpenFolder, packageName } from './postgresql-binaries.js';
import { freePort, testCluster } from './postgresql-cluster.js';

const folder = makeOpenFolder('jmapsmith-postgresql-no-libraries-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('binaries without their libraries: the error names the command that mends them', async () => {
  const installed = findBinaries();
  // PostgreSQL's user may be another.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'data'));
  cpSync(join(installed.folder, 'initdb'), join(folder, 'bin', 'initdb'));
  installed.remove();
  const cluster = testCluster(join(folder, 'bin'), join(folder, 'data'), await freePort());
  await expect(cluster.create()).rejects.toThrow(`npm rebuild ${packageName()}, or set`);
});
