import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedProject } from '../support/shared-project.js';
import { ledgerSuite } from './ledger-suite.js';

let project: string;
let folder: string;
beforeAll(async () => {
  project = await sharedProject();
  folder = await mkdtemp(join(tmpdir(), 'jmapsmith-ledger-'));
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

ledgerSuite('SQLite');

test('the pages, schemas and types of clients name no internal property', async () => {
  const definitions = (await readdir(join(project, 'generated/ledger'))).filter((name) =>
    name.endsWith('.definition.ts'),
  );
  expect(definitions).toContain('Book.definition.ts');
  const files = [
    'docs/reference/capabilities/ledger.md',
    'generated/descriptor.schema.json',
    'generated/ledger/capability.ts',
    ...definitions.map((name) => `generated/ledger/${name}`),
  ];
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    // The types of the wire stand in front of those that only the server and its hooks see.
    const [text = ''] = (await readFile(join(project, file), 'utf8')).split(STORED);
    expect(text.length, file).toBeGreaterThan(100);
    expect(text, file).not.toMatch(/markup|vault|memo/);
  }
  const book = await readFile(join(project, 'generated/ledger/Book.definition.ts'), 'utf8');
  expect(book.split(STORED)[1]).toMatch(/markup/);
});

const STORED = /^export (?:type|interface) \w+Stored\b/m;

test('a server whose hook file lacks functions exits with 2 and names each place', async () => {
  const root = join(folder, 'lacking');
  await cp(project, root, { recursive: true, verbatimSymlinks: true });
  // A hook file that spreads `...rest` may export nothing, which the generator can't tell.
  await writeFile(join(root, 'dist/capabilities/ledger.hooks.js'), 'export const hooks = {};\n');
  const data = join(folder, 'data');
  const database = { DATA_DIR: data, DATABASE_URL: `file:${join(data, 'jmap.db')}` };
  const env = { PATH: process.env['PATH'], PORT: '0', ...database };
  const started = spawn(process.execPath, ['scripts/run.mjs', 'src/server/main'], {
    cwd: root,
    env,
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(started.stdout),
    text(started.stderr),
    once(started, 'close'),
  ]);
  expect([code, stdout]).toEqual([2, '']);
  const file = 'capabilities/ledger.hooks.ts needs';
  expect(stderr).toContain(`Nothing implements Ledger/run: ${file} methods['Ledger/run'].`);
  expect(stderr).toContain(`Nothing computes Book.slug: ${file} types.Book.compute.slug.`);
  expect(stderr).toContain(`Nothing computes Book.total: ${file} types.Book.computeOn.total.`);
  expect(stderr).not.toMatch(/^ +at /m);
  // Nothing was touched: no folder, no database.
  await expect(readdir(data)).rejects.toThrow('ENOENT');
});
