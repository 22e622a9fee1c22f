import { fileURLToPath } from 'node:url';
import { migrate, openPool, type Pool } from '../../src/database/postgresql/index.js';
import { gadgetTable } from './gadget.js';
import { A, B } from './suite/bench.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));

/** Makes the tables of a store of gadgets in an empty database, and two accounts. */
export async function makeGadgets(pool: Pool): Promise<void> {
  await migrate(pool, MIGRATIONS);
  await pool.query(gadgetTable('TEXT COLLATE "C"', 'JSONB'));
  await pool.query(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
    VALUES ('${A}', 'one', 'u', 1), ('${B}', 'two', 'u', 2)`);
}

/** A pool of the test's own beside the store's, on a database with gadgets. */
export async function openGadgets(url: string): Promise<Pool> {
  const pool = openPool({ url, size: 2 });
  await makeGadgets(pool);
  return pool;
}
