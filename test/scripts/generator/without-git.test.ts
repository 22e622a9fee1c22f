import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { migrate, openDatabase } from '../../../src/database/sqlite/index.js';
import { createProject, type Project, thing } from './project.js';

/** A folder without git: what a database has applied is released, and nothing else. */

afterEach(() => {
  vi.unstubAllEnvs();
});

const PROPERTIES = ['text', 'more', 'most'];

/** A descriptor with the first of the properties. */
function first(count: number): string {
  const lines = PROPERTIES.slice(0, count).map(
    (name) => `  ${name}: { type: string, default: '' }`,
  );
  return thing(`properties:\n${lines.join('\n')}`);
}

async function migrations(project: Project): Promise<readonly string[]> {
  const files = Object.keys(await project.tree('prisma'));
  return files.filter((path) => path.endsWith('/migration.sql')).map((path) => path.slice(0, -14));
}

/** Both databases' migrations by name. */
function both(...names: readonly string[]): readonly string[] {
  return ['postgresql', 'sqlite'].flatMap((provider) =>
    names.map((name) => `${provider}/migrations/${name}`),
  );
}

/** Migrates a database as the server does at its start. */
async function start({ root }: Project, folder = 'data'): Promise<void> {
  await mkdir(join(root, folder), { recursive: true });
  const db = openDatabase({ file: join(root, folder, 'jmap.db') });
  migrate(db, join(root, 'prisma/sqlite/migrations'));
  db.close();
}

async function change(project: Project, count: number): Promise<void> {
  await project.write('capabilities/things.yaml', first(count));
  expect(await project.generate()).toMatchObject({ code: 0, stderr: '' });
}

describe('without git', () => {
  it('a migration that no database has applied is made again', async () => {
    const project = await createProject({ 'things.yaml': first(1) });
    await project.generate();
    await change(project, 2);
    expect(await migrations(project)).toEqual(both('0001_init'));
    const sql = await project.read('prisma/sqlite/migrations/0001_init/migration.sql');
    expect(sql).toContain('"more"');
    // Nothing is lost, so nothing has to be accepted.
    await change(project, 1);
    expect(await migrations(project)).toEqual(both('0001_init'));
  });

  it('a migration that a database has applied is kept, for both databases', async () => {
    const project = await createProject({ 'things.yaml': first(1) });
    await project.generate();
    const before = await project.tree('prisma/sqlite/migrations');
    await start(project);
    await change(project, 2);
    expect(await migrations(project)).toEqual(both('0001_init', '0002_thing_more'));
    expect(await project.tree('prisma/sqlite/migrations')).toMatchObject(before);
    await change(project, 3);
    expect(await migrations(project)).toEqual(both('0001_init', '0002_thing_more'));
    const sql = await project.read('prisma/sqlite/migrations/0002_thing_more/migration.sql');
    expect(sql, 'made anew').toContain('"most"');
    await start(project);
    await project.write('capabilities/things.yaml', first(2));
    expect((await project.generate()).stderr).toContain('[property-removed]');
  });

  it('the database is the one that the server would use', async () => {
    for (const [name, value] of [
      ['DATA_DIR', 'state'],
      ['DATABASE_URL', 'file:state/jmap.db'],
    ] as const) {
      const project = await createProject({ 'things.yaml': first(1) });
      vi.stubEnv(name, value.replace('file:', `file:${project.root}/`));
      await project.generate();
      await start(project, 'state');
      await change(project, 2);
      expect(await migrations(project), name).toEqual(both('0001_init', '0002_thing_more'));
      vi.unstubAllEnvs();
    }
  });

  it('nothing is made again, nor stale, if the descriptors have not changed', async () => {
    const project = await createProject({ 'things.yaml': first(1) });
    await project.generate();
    await start(project);
    await change(project, 2);
    // An image is built from the files alone.
    await project.remove('data');
    expect(await project.generate({ check: true })).toMatchObject({ code: 0, stderr: '' });
    expect((await project.generate()).stdout).toBe('0 written, 0 removed.\n');
  });

  it('all counts as released if a database can not be read, with a warning', async () => {
    const project = await createProject({ 'things.yaml': first(1) });
    await project.generate();
    vi.stubEnv('DATABASE_URL', 'postgresql://u:secret@127.0.0.1:1/none');
    await project.write('capabilities/things.yaml', first(2));
    const { code, stderr } = await project.generate();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^prisma:1:1: warning: the database of DATABASE_URL can't be read/);
    expect(stderr).not.toContain('secret');
    expect(await migrations(project)).toEqual(both('0001_init', '0002_thing_more'));
  });
});
