import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgresqlSearchSql } from '../../scripts/generator/migrations/search.js';
import { blindCtype, migrate, openPool } from '../../src/database/postgresql/index.js';
import { createPostgresqlStore } from '../../src/store/postgresql/index.js';
import { conductor } from '../support/conductor.js';
import { usePostgresql } from '../support/postgresql.js';
import { condition, Gadget, gadget, gadgetTable, plan, queryIds, SEARCH } from './gadget.js';
import { A } from './suite/bench.js';

/** Search indexes are pg_trgm's, which knows letters by the database's LC_CTYPE. */

const MIGRATIONS = fileURLToPath(new URL('../../prisma/postgresql/migrations', import.meta.url));

/** The words of CREATE DATABASE, and the LC_CTYPE that the server warns of. */
const LOCALES: readonly (readonly [string, string, string | undefined])[] = [
  ['libc', `LOCALE_PROVIDER libc LOCALE 'C'`, 'C'],
  ['libc_utf8', `LOCALE_PROVIDER libc LOCALE 'C.UTF-8'`, undefined],
  ['icu', `LOCALE_PROVIDER icu ICU_LOCALE 'en' LC_COLLATE 'C' LC_CTYPE 'C'`, 'C'],
  ['icu_utf8', `LOCALE_PROVIDER icu ICU_LOCALE 'ru' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`, undefined],
];

describe('search on PostgreSQL', () => {
  const server = usePostgresql();
  let adminUrl: string | undefined;

  for (const [name, how, warning] of LOCALES) {
    it(`is exact in a database with ${how}; the server warns of ${warning}`, async () => {
      adminUrl ??= await server().createDatabase('admin');
      const admin = openPool({ url: adminUrl, size: 1 });
      await admin.query(`CREATE DATABASE "${name}" TEMPLATE template0 ENCODING 'UTF8' ${how}`);
      const url = adminUrl.replace(/[^/]+$/, name);
      await admin.end();
      const pool = openPool({ url, size: 1 });
      onTestFinished(() => pool.end());
      const own = openPool({ url, size: 2, pipeline: true });
      const store = createPostgresqlStore({ conductor, pool: own, types: [Gadget] });
      onTestFinished(() => store.close());
      await migrate(pool, MIGRATIONS);
      expect(await blindCtype(pool)).toBeUndefined();
      await pool.query(gadgetTable('TEXT COLLATE "C"', 'JSONB'));
      const { create } = postgresqlSearchSql({ table: Gadget.table, search: SEARCH });
      for (const statement of create) await pool.query(statement);
      expect(await blindCtype(pool)).toBe(warning);

      await pool.query(
        `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
          VALUES ('${A}', '', 'u', 1)`,
      );
      const soon = { deadline: performance.now() + 20_000 };
      const titles = ['Война и мир', '北京大学', 'İstanbul ΟΔΟΣ', 'Straße 😀😃😄', 'plain'];
      await store.write(A, soon, (transaction) =>
        transaction.writeRows(
          'insert',
          Gadget,
          titles.map((title, index) => gadget(`r${index}`, { title })),
        ),
      );
      const found = (needle: string) =>
        store.read(A, soon, (snapshot) =>
          queryIds(snapshot, Gadget, plan(condition('found', needle)), 0, 10),
        );
      expect(await found('ВОЙН')).toEqual(['r0']);
      expect(await found('京大学')).toEqual(['r1']);
      expect(await found('istanbul')).toEqual([]);
      expect(await found('STANBUL οδος')).toEqual(['r2']);
      expect(await found('strasse 😀😃')).toEqual(['r3']);
      expect(await found('😀😃😄')).toEqual(['r3']);
      expect(await found('LAI')).toEqual(['r4']);
    });
  }
});
