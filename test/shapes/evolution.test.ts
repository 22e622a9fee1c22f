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
  size: { type: integer, access: internal, default: 0 }
`;
const SECOND = `unknownProperties: keep
properties:
  raw: { type: string, maxLength: 20, onRequest: true, default: '' }
  topic: { type: string, maxLength: 20, default: '' }
  size: { type: integer, access: internal, default: 0 }
answered:
  preview: { type: string, from: [raw] }
  weight: { type: integer, onRequest: true, from: [size] }
  'header:*': { from: [raw], parts: [{ name: field }] }
query: { collapse: { argument: once, by: topic } }
`;
const COUNTED = SECOND.replace('internal,', 'internal, computed: { from: [raw] },');
const HOOKS = `
export const hooks = {
  types: {
    Thing: {
COMPUTE
      answer: (objects) =>
        new Map(objects.map(({ id, raw, size }) => [id, { preview: raw + '!', weight: size }])),
    },
  },
};
`;

async function version(text: string, before?: Project): Promise<Project> {
  const compute = text === COUNTED ? 'compute: { size: ({ raw }) => raw.length },' : '';
  const files = {
    'things.yaml': thing(text),
    ...(text === FIRST ? {} : { 'things.hooks.ts': HOOKS.replace('COMPUTE', compute) }),
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
    expect((await things.get(id, ['weight'])).weight).toBe(0);
    const once = await things.call('query', { once: true, calculateTotal: true });
    expect([once.ids.length, once.total]).toEqual([1, 1]);
    await things.update(id, { topic: 'u', other: 3 });
    expect(await things.get(id)).toMatchObject({ topic: 'u', other: 3, preview: 'a!' });
  });
  const { state } = await use(second, (things) => things.call('get', { ids: [] }));
  const counted = await version(COUNTED, second);
  await use(counted, async (things) => {
    expect((await things.get(id, ['weight'])).weight).toBe(1);
    // The start has computed what `weight` follows, although no client sees that itself.
    expect(await things.call('changes', { sinceState: state })).toMatchObject({
      error: 'cannotCalculateChanges',
    });
  });
  const third = await version(FIRST, counted);
  await use(third, async (things) => {
    expect(await things.get(id)).toMatchObject({
      raw: 'a',
      other: 3,
      'undeclared:preview': 'mine',
    });
    expect(await things.call('query', { once: true })).toMatchObject({ error: 'invalidArguments' });
  });
});
