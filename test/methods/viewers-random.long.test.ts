import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { Random, withSeeds } from '../support/random.js';
import { runTrace } from './viewers.js';
import { WIDGET_TABLE } from './widget.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const TABLE = WIDGET_TABLE.replaceAll(' TEXT', ' TEXT COLLATE "C"').replaceAll(
  ' REAL',
  ' DOUBLE PRECISION',
);
const TABLES = ['Widget', 'JmapState', 'JmapChange', 'JmapScope', 'JmapGrant'];
const traces = Number(process.env['ACCESS_TRACES'] ?? 100);

const postgresql = usePostgresql();

it('users who see parts of a type synchronise exactly, on SQLite', async () => {
  const seeds = await withSeeds(traces, (seed) => runTrace(new Random(seed), 8));
  process.stdout.write(`${seeds}\n`);
  expect(seeds).not.toBe('');
}, 3_600_000);

it('users who see parts of a type synchronise exactly, on PostgreSQL', async () => {
  const url = await postgresql().createDatabase('viewers');
  const operator = openPool({ url, size: 1 });
  await migrate(operator, MIGRATIONS);
  await operator.query(TABLE);
  await operator.query(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
    VALUES ('a1', '', 'u', 1)`);
  const seeds = await withSeeds(Math.ceil(traces / 5), async (seed) => {
    await operator.query(`TRUNCATE ${TABLES.map((name) => `"${name}"`).join(', ')}`);
    await runTrace(new Random(seed), 6, {
      store: (types, now) => {
        const pool = openPool({ url, size: 4, pipeline: true });
        return createPostgresqlStore({ conductor, pool, types, now });
      },
    });
  });
  await operator.end();
  process.stdout.write(`${seeds}\n`);
  expect(seeds).not.toBe('');
}, 3_600_000);
