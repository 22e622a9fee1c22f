import { fileURLToPath } from 'node:url';
import { postgresqlSearchSql } from '../../../scripts/generator/migrations/search.js';
import { migrate, openPool } from '../../../src/database/postgresql/index.js';
import { openPrisma } from '../../../src/database/postgresql/prisma.js';
import { openPrismaStandalone } from '../../../src/database/sqlite/prisma.js';
import { createPostgresqlStore } from '../../../src/store/postgresql/index.js';
import { Gadget, gadgetTable, SEARCH, TYPES } from '../../store/gadget.js';
import { openSqlite } from '../../store/open-sqlite.js';
import { conductor } from '../../support/conductor.js';
import type { PostgresqlServer } from '../../support/postgresql.js';
import type { Opened } from './cases.js';

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/postgresql/migrations', import.meta.url));

/** A command beside the server: it has a connection of its own. */
export async function onSqlite(): Promise<Opened> {
  const { store, writerDatabase, file, close } = await openSqlite({ now: Date.now });
  writerDatabase.exec('DELETE FROM "JmapAccount"');
  const prisma = openPrismaStandalone(file);
  return {
    ...{ database: 'sqlite', store, prisma },
    explain: async ({ sql, values }) =>
      writerDatabase
        .prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...values)
        .map(({ detail }) => detail)
        .join('\n'),
    async close() {
      await prisma.$disconnect();
      await close();
    },
  };
}

let databases = 0;

export function onPostgresql(server: () => PostgresqlServer): () => Promise<Opened> {
  return async () => {
    databases += 1;
    const url = await server().createDatabase(`deletion${databases}`);
    const pool = openPool({ url, size: 4 });
    await migrate(pool, MIGRATIONS);
    await pool.query(gadgetTable('TEXT COLLATE "C"', 'JSONB'));
    const search = postgresqlSearchSql({ table: Gadget.table, search: SEARCH });
    for (const statement of search.create) await pool.query(statement);
    const store = createPostgresqlStore({
      conductor,
      pool: openPool({ url, size: 8, pipeline: true }),
      types: TYPES,
    });
    const prisma = openPrisma(pool);
    return {
      ...{ database: 'postgresql', store, prisma },
      async explain({ text, values }) {
        const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, [...values]);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      },
      async close() {
        await prisma.$disconnect();
        await pool.end();
        await store.close();
      },
    };
  };
}
