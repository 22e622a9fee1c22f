import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { migrate, openPool, type Pool } from '../../src/database/postgresql/index.js';
import type { Store } from '../../src/store/port.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { condition, Gadget, gadgetTable, plan, queryIds, TYPES } from './gadget.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));

const postgresql = usePostgresql();

/** The cost of one account's scan does not depend on what others store. */
describe('a scan of an account', () => {
  let url: string;
  let operator: Pool;

  beforeAll(async () => {
    url = await postgresql().createDatabase('planning');
    operator = openPool({ url, size: 1 });
    await migrate(operator, MIGRATIONS);
    await operator.query(gadgetTable('TEXT COLLATE "C"', 'JSONB'));
    await operator.query('ALTER TABLE "Gadget" SET (autovacuum_enabled = off)');
  });
  afterAll(() => operator.end());

  /** The planner knows of these accounts alone. */
  const filled = async (...accounts: readonly (readonly [string, number])[]): Promise<void> => {
    await operator.query('TRUNCATE "Gadget"');
    await add(...accounts);
    await operator.query('VACUUM ANALYZE "Gadget"');
  };

  const add = async (...accounts: readonly (readonly [string, number])[]): Promise<void> => {
    for (const [account, count] of accounts)
      await operator.query(
        `INSERT INTO "Gadget" ("accountId", "id", "created", "updated", "title", "title_folded",
           "title_casemap", "code_casemap", "code_folded", "done")
         SELECT $1, 'g01m80cpf646aen4n9bm' || to_char(n, 'FM000000'), 1, 1, 'Title ' || n,
         'title ' || n, 'TITLE ' || n, '', '', false
         FROM generate_series(1, $2) AS n`,
        [account, count],
      );
  };

  const open = (): { readonly store: Store; readonly pool: Pool } => {
    const pool = openPool({ url, size: 1, pipeline: true });
    const store = createPostgresqlStore({ conductor, pool, types: TYPES });
    onTestFinished(() => store.close());
    return { store, pool };
  };

  const few = condition('title', 'title 7');
  const soon = () => ({ deadline: performance.now() + 20_000 });

  const count = (store: Store, account: string): Promise<number> =>
    store.read(account, soon(), (snapshot) => snapshot.count(Gadget, few));

  const scan = (store: Store, account: string): Promise<readonly string[]> =>
    store.read(account, soon(), (snapshot) =>
      queryIds(snapshot, Gadget, plan(few, 'title'), 0, 10),
    );

  /** Rows that the pool's one connection has read by going through the whole table. */
  const readWhole = async (pool: Pool): Promise<number> => {
    await pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await pool.query<{ count: string }>(
      `SELECT seq_tup_read AS count FROM pg_stat_user_tables WHERE relname = 'Gadget'`,
    );
    return Number(rows[0]?.count);
  };

  it('reads nothing of the others where it has a third of the table', async () => {
    const [account, ...others] = ['a1', 'a2', 'a3'].map((name) => name.padEnd(27, '0')) as [
      string,
      string,
      string,
    ];
    await filled([account, 3000], ...others.map((other) => [other, 3000] as const));
    const { store, pool } = open();
    expect(await scan(store, account)).toHaveLength(10);
    const before = await readWhole(pool);
    expect(await scan(store, account)).toHaveLength(10);
    expect((await readWhole(pool)) - before).toBe(0);
  });

  it('reads only its own rows after many such reads of a large account', async () => {
    await filled(['large', 4000]);
    await add(['small', 40]);
    const { store, pool } = open();
    for (let time = 0; time < 12; time += 1) expect(await count(store, 'large')).toBe(111);
    const before = await readWhole(pool);
    expect(before).toBeGreaterThan(12 * 4000);
    expect(await count(store, 'small')).toBe(1);
    expect(await scan(store, 'small')).toHaveLength(1);
    expect((await readWhole(pool)) - before).toBe(0);
  });

  it('is planned as whoever runs the server has said', async () => {
    const settings = async (role: string): Promise<readonly string[]> => {
      const own = new URL(url);
      own.username = role;
      own.password = 'secret';
      const pool = openPool({ url: own.href, size: 1, pipeline: true });
      const store = createPostgresqlStore({ conductor, pool, types: TYPES });
      onTestFinished(() => store.close());
      await scan(store, 'a1');
      const { rows } = await pool.query<{ setting: string }>(
        `SELECT setting FROM pg_settings
         WHERE name IN ('random_page_cost', 'max_parallel_workers_per_gather') ORDER BY name`,
      );
      return rows.map(({ setting }) => setting);
    };
    await operator.query(
      `CREATE ROLE untold LOGIN PASSWORD 'secret'; CREATE ROLE told LOGIN PASSWORD 'secret';
       ALTER ROLE told SET max_parallel_workers_per_gather = 3;
       GRANT ALL ON ALL TABLES IN SCHEMA public TO told, untold`,
    );
    onTestFinished(async () => {
      await operator.query('DROP OWNED BY told, untold; DROP ROLE told, untold');
    });
    expect(await settings('untold')).toEqual(['0', '1.1']);
    expect(await settings('told')).toEqual(['3', '1.1']);
  });
});
