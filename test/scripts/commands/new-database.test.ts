import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrate as migrateSqlite, openDatabase } from '../../../src/database/sqlite/index.js';
import { temporaryFolder } from '../../database/folder.js';
import { usePostgresql } from '../../support/postgresql.js';
import { ROOT } from '../../support/server.js';
import { BUILD_TIMEOUT, buildTools, type ToolResult, Workplace } from './tool.js';

const server = usePostgresql();
beforeAll(buildTools, BUILD_TIMEOUT);

let databases = 0;

interface Place {
  readonly create: (name: string) => Promise<ToolResult>;
  /** Applies the first migration alone, as whoever is in the middle of them has. */
  readonly begin: () => Promise<void>;
}

function place(env: Readonly<Record<string, string>>): [Workplace, Place['create']] {
  const workplace = new Workplace();
  onTestFinished(() => workplace.remove());
  return [workplace, (name) => workplace.run('account', ['create', '--name', name], env)];
}

/** The folder of migrations with the first one only. */
function firstOf(kind: 'sqlite' | 'postgresql'): string {
  const from = join(ROOT, 'prisma', kind, 'migrations');
  const [name = ''] = readdirSync(from).sort();
  const folder = temporaryFolder();
  cpSync(join(from, name), join(folder, name), { recursive: true });
  return folder;
}

const PLACES: readonly (readonly [string, () => Promise<Place>])[] = [
  [
    'SQLite',
    async () => {
      const [{ file }, create] = place({});
      const begin = async (): Promise<void> => {
        const db = openDatabase({ file });
        migrateSqlite(db, firstOf('sqlite'));
        db.close();
      };
      return { create, begin };
    },
  ],
  [
    'PostgreSQL',
    async () => {
      databases += 1;
      const url = await server().createDatabase(`new${databases}`);
      const [, create] = place({ DATABASE_URL: url });
      const begin = async (): Promise<void> => {
        const { migrate, openPool } = await import('../../../src/database/postgresql/index.js');
        const pool = openPool({ url, size: 1 });
        await migrate(pool, firstOf('postgresql'));
        await pool.end();
      };
      return { create, begin };
    },
  ],
];

describe.each(PLACES)('a command on a new database, on %s', (_, open) => {
  it('is not refused where others make its tables at the same time', async () => {
    const { create } = await open();
    const results = await Promise.all(['a', 'b', 'c', 'd'].map(create));
    for (const result of results) expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(new Set(results.map(({ stdout }) => stdout)).size).toBe(4);
  });

  it('goes on where another was in the middle of its migrations', async () => {
    const { begin, create } = await open();
    await begin();
    expect(await create('a')).toMatchObject({ code: 0, stderr: '' });
  });
});

it('leaves a used database that is behind to "migrate": an older server may use it', async () => {
  const [{ file }, create] = place({});
  const db = openDatabase({ file });
  migrateSqlite(db, firstOf('sqlite'));
  db.exec(`INSERT INTO "JmapUser" ("id", "name", "created") VALUES ('u1', 'alice', 1)`);
  db.close();
  const { code, stdout, stderr } = await create('a');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^account: The database lacks 0002_\w+(, \w+)*: run "npm run migrate"/);
});
