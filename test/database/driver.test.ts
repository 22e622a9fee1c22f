import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { driverBinary, driverPackage } from '../../src/database/sqlite/driver.js';
import { temporaryFolder } from './folder.js';

// Each test runs driver.ts in a process of its own, beside packages that the test has installed.

const ROOT = join(import.meta.dirname, '../..');
const { napi } = process.versions;
const NAME = driverPackage(Number(napi));
const OTHER = NAME === 'better-sqlite3' ? 'better-sqlite3-13' : 'better-sqlite3';
const COMPILE = {
  'better-sqlite3': 'npm explore better-sqlite3 -- npm run install',
  'better-sqlite3-13': 'npm explore better-sqlite3-13 -- npm run build-release',
}[NAME];
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const PROGRAM = `
  import { SqliteDatabase } from './driver.ts';
  try {
    const db = new SqliteDatabase(':memory:');
    console.log('opened', db.prepare('SELECT 1').pluck().get());
  } catch (error) {
    console.log(error.name, error.message);
  }
`;

function project(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules'));
  cpSync(join(ROOT, 'src/database/sqlite/driver.ts'), join(folder, 'driver.ts'));
  writeFileSync(join(folder, 'open.mjs'), PROGRAM);
  return folder;
}

/** Installs the driver's code, and no binary. */
function installCode(folder: string): string {
  const installed = join(ROOT, 'node_modules');
  const place = join(folder, 'node_modules', NAME);
  const isCode = (path: string): boolean =>
    dirname(path) !== join(installed, NAME) ||
    !['build', 'deps', 'prebuilds', 'src'].includes(basename(path));
  cpSync(join(installed, NAME), place, { recursive: true, filter: isCode });
  if (NAME === 'better-sqlite3')
    for (const name of ['bindings', 'file-uri-to-path'])
      cpSync(join(installed, name), join(folder, 'node_modules', name), { recursive: true });
  return place;
}

function open(folder: string): string {
  const { stdout, stderr, signal } = spawnSync(
    process.execPath,
    ['--import', TSX, join(folder, 'open.mjs')],
    { encoding: 'utf8' },
  );
  return `${signal ?? ''}${stderr}${stdout}`.trim();
}

describe("the driver's package", () => {
  it('follows the Node-API: Node 20 and 22.13 have 9, 22.14 has 10', () => {
    expect([8, 9, 10, 11].map(driverPackage)).toEqual([
      ...['better-sqlite3', 'better-sqlite3'],
      ...['better-sqlite3-13', 'better-sqlite3-13'],
    ]);
  });

  it('has one binary for every Node from 22.14 on, and one for each ABI before', () => {
    const binaryOf = (napi: string, modules: string): string =>
      driverBinary({ ...process.versions, napi, modules });
    expect(binaryOf('9', '115')).toBe('better-sqlite3 115');
    expect(binaryOf('9', '127')).toBe('better-sqlite3 127');
    expect(binaryOf('10', '127')).toBe(binaryOf('10', '137'));
  });

  it('is loaded without a look at the one that crashes this Node', () => {
    const folder = project();
    symlinkSync(join(ROOT, 'node_modules', NAME), join(folder, 'node_modules', NAME), 'junction');
    const other = join(folder, 'node_modules', OTHER);
    mkdirSync(other);
    writeFileSync(join(other, 'index.js'), 'process.abort();');
    expect(open(folder)).toBe('opened 1');
  });
});

describe('a database that is opened', () => {
  it('without the driver: the error names the command that installs it', () => {
    const told = open(project());
    expect(told).toContain(`DriverError The SQLite driver ${NAME} is not installed.`);
    expect(told).toContain('npm ci');
  });

  it('without a binary: the error names the command that compiles it', () => {
    const folder = project();
    installCode(folder);
    const told = open(folder);
    expect(told).toContain(`DriverError The SQLite driver ${NAME} has no binary for Node`);
    expect(told).toContain(COMPILE);
  });

  it('with a binary that does not load: the error has the reason and the command', () => {
    const folder = project();
    const release = join(installCode(folder), 'build/Release');
    mkdirSync(release, { recursive: true });
    writeFileSync(join(release, 'better_sqlite3.node'), 'not a binary of this machine');
    const told = open(folder);
    expect(told).toContain(`DriverError The SQLite driver ${NAME} has no binary for Node`);
    expect(told).toContain(join(release, 'better_sqlite3.node'));
    expect(told).toContain(COMPILE);
  });
});
