import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { openPrisma } from '../../src/database/postgresql/prisma.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random, withSeeds } from '../support/random.js';
import type { Logic } from './rig.js';
import { runShared, sharedFolders, USERS } from './shared-folders.js';
import { GROUP_ROWS } from './viewers-groups.js';
import { folders, runTree } from './viewers-tree.js';
import { runOpen, runTrace } from './viewers-widgets.js';
import { WIDGET_TABLE } from './widget.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const ENGINE_TABLES = [
  ...['JmapState', 'JmapChange', 'JmapScope', 'JmapGrant', 'JmapReference', 'JmapUserValue'],
  'JmapMember',
];
const traces = Number(process.env['ACCESS_TRACES'] ?? 100);

const postgresql = usePostgresql();

interface Kind {
  readonly name: string;
  readonly run: (random: Random, steps: number, logic?: Logic) => Promise<void>;
  /** The SQL of its tables, for SQLite. */
  readonly tables: string;
  readonly names: readonly string[];
}

const KINDS: readonly Kind[] = [
  {
    name: 'users who see parts of a type',
    ...{ run: runTrace, tables: WIDGET_TABLE, names: ['Widget'] },
  },
  {
    name: 'users who have values of their own',
    ...{ run: runOpen, tables: WIDGET_TABLE, names: ['Widget'] },
  },
  {
    name: 'users who see objects by those that they follow',
    ...{ run: runTree, tables: folders().tables, names: ['Folder', 'Paper', 'Remark'] },
  },
  {
    name: 'users who are given rights by `shareWith`',
    ...{ run: runShared, tables: sharedFolders().tables, names: ['Folder', 'Paper', 'Remark'] },
  },
];

describe.each(KINDS)('$name', ({ run, tables, names }) => {
  it('synchronise exactly, on SQLite', async () => {
    const seeds = await withSeeds(traces, (seed) => run(new Random(seed), 8));
    process.stdout.write(`${seeds}\n`);
    expect(seeds).not.toBe('');
  }, 3_600_000);

  it('synchronise exactly, on PostgreSQL', async () => {
    const url = await postgresql().createDatabase('viewers');
    const operator = openPool({ url, size: 1 });
    await migrate(operator, MIGRATIONS);
    const own = tables.replaceAll(' TEXT', ' TEXT COLLATE "C"');
    await operator.query(own.replaceAll(' REAL', ' DOUBLE PRECISION'));
    await operator.query(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
      VALUES ('a1', '', 'u', 1)`);
    await operator.query(USERS);
    await operator.query(GROUP_ROWS);
    const engine = openPrisma(operator);
    const all = [...names, ...ENGINE_TABLES].map((name) => `"${name}"`);
    const seeds = await withSeeds(Math.ceil(traces / 5), async (seed) => {
      await operator.query(`TRUNCATE ${all.join(', ')}`);
      await run(new Random(seed), 6, {
        engine,
        store: (types, now) => {
          const pool = openPool({ url, size: 4, pipeline: true });
          return createPostgresqlStore({ conductor, pool, types, now });
        },
      });
    });
    await engine.$disconnect();
    await operator.end();
    process.stdout.write(`${seeds}\n`);
    expect(seeds).not.toBe('');
  }, 3_600_000);
});
