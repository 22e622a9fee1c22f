import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { migrate, openPool } from '../../../src/database/postgresql/index.js';
import { usePostgresql } from '../../support/postgresql.js';
import { createProject, thing } from './project.js';

const postgresql = usePostgresql();

it('without git, migrations that the database of DATABASE_URL has are released', async () => {
  const url = await postgresql().createDatabase('without-git');
  const properties = "properties:\n  text: { type: string, default: '' }";
  const project = await createProject({ 'things.yaml': thing(properties) });
  const names = () => readdirSync(join(project.root, 'prisma/sqlite/migrations'));
  vi.stubEnv('DATABASE_URL', url);
  try {
    await project.generate();
    await project.write(
      'capabilities/things.yaml',
      thing(`${properties}\n  more: { type: integer, default: 0 }`),
    );
    expect((await project.generate()).stderr).toBe('');
    expect(names()).toEqual(['0001_init']);
    const pool = openPool({ url, size: 1 });
    await migrate(pool, join(project.root, 'prisma/postgresql/migrations'));
    await pool.end();
    await project.write('capabilities/things.yaml', thing(properties.replace('text', 'more')));
    expect((await project.generate()).stderr).toContain('[property-removed]');
    await project.write(
      'capabilities/things.yaml',
      thing(
        `${properties}\n  more: { type: integer, default: 0 }\n  n: { type: integer, default: 0 }`,
      ),
    );
    expect((await project.generate()).stderr).toBe('');
    expect(names()).toEqual(['0001_init', '0002_thing_n']);
  } finally {
    vi.unstubAllEnvs();
  }
});
