import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { regenerate, serveType, type Typed } from '../language/rig.js';
import { createProject, type Project, thing } from '../scripts/generator/project.js';
import { usePostgresql } from '../support/postgresql.js';

const postgresql = usePostgresql();

const FIRST = `unknownProperties: keep
properties:
  raw: { type: string, maxLength: 20, default: '' }
  topic: { type: string, maxLength: 20, default: '' }
`;
const SECOND = `unknownProperties: keep
properties:
  raw: { type: string, maxLength: 20, onRequest: true, default: '' }
  topic: { type: string, maxLength: 20, default: '' }
answered:
  preview: { type: string, from: [raw] }
  'header:*': { from: [raw], parts: [{ name: field }] }
query: { collapse: { argument: once, by: topic } }
`;
const HOOKS = `
export const hooks = {
  types: {
    Thing: {
      answer: (objects) => new Map(objects.map(({ id, raw }) => [id, { preview: raw + '!' }])),
    },
  },
};
`;

async function version(text: string, before?: Project): Promise<Project> {
  const files = {
    'things.yaml': thing(text),
    ...(text === SECOND ? { 'things.hooks.ts': HOOKS } : {}),
  };
  const project = await createProject(files);
  for (const [path, content] of Object.entries((await before?.tree('prisma')) ?? {}))
    await project.write(join('prisma', path), content);
  project.release();
  await regenerate(project);
  return project;
}

it.each(['SQLite', 'PostgreSQL'])('the words come and go on existing data, on %s', async (name) => {
  const url = name === 'SQLite' ? undefined : await postgresql().createDatabase('shaping');
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-shapes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const use = async <T>(project: Project, work: (things: Typed) => Promise<T>): Promise<T> => {
    const things = await serveType(project, 'Thing', { url, folder });
    try {
      return await work(things);
    } finally {
      await things.served.close();
    }
  };
  const first = await version(FIRST);
  const undeclared = { preview: 'mine', 'header:A': 1, other: 2 };
  const id = await use(first, async (things) => {
    await things.create({ raw: 'b', topic: 't' });
    return (await things.create({ raw: 'a', topic: 't', ...undeclared }))[0];
  });
  const second = await version(SECOND, first);
  expect(Object.keys(await second.tree('prisma'))).toEqual(Object.keys(await first.tree('prisma')));
  await use(second, async (things) => {
    const { created, updated, ...shown } = await things.get(id);
    const kept = { other: 2, 'undeclared:preview': 'mine', 'undeclared:header:A': 1 };
    expect(shown).toEqual({ id, topic: 't', preview: 'a!', ...kept });
    const once = await things.call('query', { once: true, calculateTotal: true });
    expect([once.ids.length, once.total]).toEqual([1, 1]);
    await things.update(id, { topic: 'u', other: 3 });
    expect(await things.get(id)).toMatchObject({ topic: 'u', other: 3, preview: 'a!' });
  });
  const third = await version(FIRST, second);
  await use(third, async (things) => {
    expect(await things.get(id)).toMatchObject({
      raw: 'a',
      other: 3,
      'undeclared:preview': 'mine',
    });
    expect(await things.call('query', { once: true })).toMatchObject({ error: 'invalidArguments' });
  });
});
