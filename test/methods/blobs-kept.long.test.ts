import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { migrate, openPool } from '../../src/database/postgresql/index.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { keepBlobs } from './blobs-kept.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));
const RUNS = Number(process.env['BLOBS_RUNS'] ?? 300);

const postgresql = usePostgresql();

it('octets that an object names stay, and all others go: many random types on SQLite', async () => {
  const named = await keepBlobs(RUNS);
  process.stdout.write(`${named} blobs that objects name were read\n`);
  expect(named).toBeGreaterThan(10 * RUNS);
}, 600_000);

it('octets that an object names stay, and all others go, on PostgreSQL', async () => {
  const url = await postgresql().createDatabase('kept');
  const operator = openPool({ url, size: 1 });
  await migrate(operator, MIGRATIONS);
  await operator.query(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
    VALUES ('a1', '', 'u', 1), ('a2', '', 'u', 1)`);
  const runs = Math.ceil(RUNS / 5);
  const named = await keepBlobs(runs, async (tables) => {
    await operator.query('DROP TABLE IF EXISTS "Page"');
    await operator.query('TRUNCATE "JmapBlob", "JmapBlobReference", "JmapState", "JmapChange"');
    await operator.query(tables.replaceAll(' TEXT', ' TEXT COLLATE "C"'));
    return {
      store: (types, now) =>
        createPostgresqlStore({
          conductor,
          pool: openPool({ url, size: 8, pipeline: true }),
          types,
          now,
        }),
    };
  });
  await operator.end();
  process.stdout.write(`${named} blobs that objects name were read\n`);
  expect(named).toBeGreaterThan(10 * runs);
}, 600_000);
