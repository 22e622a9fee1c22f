import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createProject, REPOSITORY } from '../scripts/generator/project.js';
import { CORE } from '../support/client.js';
import { makeFixtures } from '../support/fixtures.js';
import { startServer } from '../support/server.js';
import { descriptors, testedIn } from './samples.js';

const run = promisify(execFile);

/** Packages that samples import. */
const PACKAGES = ['@prisma', '@types'];

const CONFIG = {
  extends: 'jmapsmith/tsconfig.json',
  compilerOptions: { noUnusedLocals: true },
  include: ['capabilities', 'generated'],
};

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
type Json = any;

test('the TypeScript of all pages compiles in one project, and its hooks work', async () => {
  const project = await createProject(descriptors());
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
  // No error and no warning; a slow machine shows what it is at, and the package may have to be
  // built.
  expect(stderr.replace(/^(?:generate|building): .*\n/gm, '')).toBe('');
  // It makes the Prisma clients, and compiles what lies in capabilities/.
  const checked = await node(jmapsmith, 'check');
  expect(checked.stdout, checked.stderr).toMatch(/^ok +generated.*\nok +clients.*\nok +types/);
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  expect((await node(tsc, '-p', '.', '--pretty', 'false')).stdout).toBe('');
  await tryOut(project.root, jmapsmith);
});

/** Calls what the pages describe, on a server of their project. */
async function tryOut(project: string, bin: string): Promise<void> {
  const server = await startServer({ project, bin });
  try {
    const { A1: accountId, u1 } = await makeFixtures(server, []);
    const names = ['machines', 'messages', 'orders'];
    const using = names.map((name) => `https://example.com/jmap/${name}`);
    const client = u1.with([CORE, ...using]);
    const call = async (name: string, args: object): Promise<Json> =>
      (await client.call(name, { accountId, ...args }))[1];

    const { created } = await call('Machine/set', { create: { m: { title: 'Big Press' } } });
    const { id, slug, ownerId } = created.m;
    expect([slug, ownerId]).toEqual(['big-press', expect.stringMatching(/./)]);
    expect((await call('Machine/query', { mine: true })).ids).toEqual([id]);
    const { methodResponses }: Json = await client.api([
      ['Machine/rebuild', { accountId, id }, 'c'],
    ]);
    const [[, rebuilt], [following, oiled]] = methodResponses;
    expect([following, Object.keys(oiled.created)]).toEqual(['Entry/set', ['oil']]);
    const work = { machineId: id, what: 'Pressed.', hours: 3 };
    await call('Entry/set', { create: { e: work }, destroy: [rebuilt.entryId] });
    expect((await call('Machine/get', { ids: [id] })).list).toMatchObject([{ hours: 3 }]);
    const { notDestroyed } = await call('Machine/set', { destroy: [id] });
    expect(notDestroyed[id]).toMatchObject({ type: 'machineHasWorked', hours: 3 });

    const create = { m: { raw: 'Subject: Bolts\n\nAs asked.' }, n: {} };
    const { notCreated } = await call('Message/set', { create });
    expect(notCreated).toMatchObject({ n: { type: 'invalidProperties' } });
    const properties = ['header:Subject', 'header:Date:asDate'];
    const { list } = await call('Message/get', { ids: null, properties });
    expect(list).toMatchObject([{ 'header:Subject': 'Bolts', 'header:Date:asDate': null }]);
    const short = await call('Message/get', { ids: null, properties, maxLength: 2 });
    expect(short.list).toMatchObject([{ 'header:Subject': 'Bo' }]);

    // accountCreated gives each new account an order within a moment.
    const orders = async () => (await call('Order/get', { ids: null })).list;
    await expect.poll(orders, { timeout: 20_000 }).toMatchObject([{ isOld: false }]);
  } finally {
    await server.remove();
  }
}
