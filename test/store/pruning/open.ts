import { fileURLToPath } from 'node:url';
import { migrate, openPool } from '../../../src/database/postgresql/index.js';
import { createPostgresqlStore } from '../../../src/store/postgresql/index.js';
import { conductor } from '../../support/conductor.js';
import type { PostgresqlServer } from '../../support/postgresql.js';
import { TYPES } from '../gadget.js';
import { openSqlite } from '../open-sqlite.js';
import { A, B, type Open } from './cases.js';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/postgresql/migrations', import.meta.url));

export const onSqlite: Open = async (now) => {
  const opened = await openSqlite({ now });
  return { ...opened, exec: async (sql) => opened.writerDatabase.exec(sql) };
};

/** With two servers on the database. */
export function onPostgresql(server: () => PostgresqlServer): Open {
  return async (now) => {
    const url = await server().createDatabase('pruning');
    const pool = openPool({ url, size: 1 });
    await migrate(pool, MIGRATIONS);
    await pool.query(`INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
 VALUES ('${A}', '', 'u', 1), ('${B}', '', 'u', 1)`);
    const statements: string[] = [];
    const onStatement = (sql: string): void => void statements.push(sql);
    const storeOf = () =>
      createPostgresqlStore({
        conductor,
        pool: openPool({ url, size: 8, pipeline: true }),
        ...{ types: TYPES, now, onStatement },
      });
    const [store, other] = [storeOf(), storeOf()];
    return {
      ...{ store, other, statements },
      exec: (sql) => pool.query(sql),
      close: async () => {
        await Promise.all([pool.end(), store.close(), other.close()]);
      },
    };
  };
}
