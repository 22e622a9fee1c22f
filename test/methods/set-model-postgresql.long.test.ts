import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { withSeeds } from '../support/random.js';
import { Comparison } from './set-against-model.js';
import { WIDGET_TABLE } from './widget.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const TABLE = WIDGET_TABLE.replaceAll(' TEXT', ' TEXT COLLATE "C"').replaceAll(
  ' REAL',
  ' DOUBLE PRECISION',
);
const RUNS = 10;

const postgresql = usePostgresql();

it('calls of /set that share transactions of PostgreSQL answer as a naive model does', async () => {
  const url = await postgresql().createDatabase('model');
  const operator = openPool({ url, size: 1 });
  await migrate(operator, MIGRATIONS);
  await operator.query(TABLE);
  await operator.query(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
    VALUES ('a1', '', 'u', 1)`);
  let calls = 0;
  const seeds = await withSeeds(RUNS, async (seed) => {
    await operator.query('TRUNCATE "Widget", "JmapState", "JmapChange"');
    const comparison = new Comparison(seed, {
      store: (types, now) =>
        createPostgresqlStore({
          conductor,
          pool: openPool({ url, size: 8, pipeline: true }),
          types,
          now,
        }),
    });
    await comparison.run(60);
    calls += comparison.counts.calls;
  });
  await operator.end();
  process.stdout.write(`${calls} calls, ${seeds}\n`);
  expect(calls).toBeGreaterThan(1000);
}, 600_000);
