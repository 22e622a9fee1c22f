import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newDescriptor } from '../../scripts/generator/new-descriptor.js';
import { createProject, REPOSITORY } from '../scripts/generator/project.js';
import { descriptors, testedIn } from './samples.js';

const run = promisify(execFile);

/** What samples import beside the package. */
const PACKAGES = ['@prisma', '@types', 'jmap-client-ts', 'jmap-jam', 'partysocket', 'ws'];

const CONFIG = {
  extends: 'jmapsmith/tsconfig.json',
  // docs/clients.md: jmap-jam needs it.
  compilerOptions: { allowImportingTsExtensions: true, noUnusedLocals: true },
  include: ['capabilities', 'client', 'generated'],
};

test('the TypeScript of all pages compiles in a project of their descriptors', async () => {
  // docs/package.md begins with `npx jmapsmith new Invoice`.
  const files = { ...descriptors(), 'invoices.yaml': newDescriptor('Invoice') };
  const project = await createProject(files);
  for (const name of PACKAGES)
    await symlink(join(REPOSITORY, 'node_modules', name), join(project.root, 'node_modules', name));
  const samples = testedIn('ts');
  for (const { words, text } of samples) await project.write(words, text);
  expect(new Set(samples.map(({ words }) => words)).size).toBe(samples.length);
  await project.write('tsconfig.json', JSON.stringify(CONFIG));
  const node = (...args: readonly string[]) =>
    run(process.execPath, args, { cwd: project.root }).catch(
      (error: { readonly stdout: string; readonly stderr: string }) => error,
    );
  const jmapsmith = join(REPOSITORY, 'bin/jmapsmith.mjs');
  const { stderr } = await node(jmapsmith, 'generate');
  // No error and no warning; a slow machine shows what it is at.
  expect(stderr.replace(/^generate: .* \.\.\.\n/gm, '')).toBe('');
  // It makes the Prisma clients, and compiles what lies in capabilities/.
  const checked = await node(jmapsmith, 'check');
  expect(checked.stdout, checked.stderr).toMatch(/^ok +generated.*\nok +clients.*\nok +types/);
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  expect((await node(tsc, '-p', '.', '--pretty', 'false')).stdout).toBe('');
});
