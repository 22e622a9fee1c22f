import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqliteSearchSql } from '../../scripts/generator/migrations/search.js';
import { migrate, openDatabase, Writer } from '../../src/database/sqlite/index.js';
import { createSqliteStore } from '../../src/store/sqlite/index.js';
import type { ScanOptions } from '../../src/store/sqlite/scans/index.js';
import { conductor } from '../support/conductor.js';
import { Gadget, gadgetTable, SEARCH, TYPES } from './gadget.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/sqlite/migrations', import.meta.url));

interface OpenOptions {
  readonly now: () => number;
  readonly scans?: ScanOptions;
  readonly logLimit?: number;
}

/** A store on a new SQLite file with the tables of the service and of Gadget. */
export async function openSqlite({ now, scans, logLimit }: OpenOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  const file = join(folder, 'jmap.db');
  const writerDatabase = openDatabase({ file });
  migrate(writerDatabase, MIGRATIONS);
  // The accounts of the suite (`A`, `B`), and those of the tests of SQLite alone.
  const accounts = ['aone', 'atwo', 'a', 'b'].map((id) => `('${id}', '', 'u', 1)`).join(', ');
  writerDatabase.exec(
    `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created") VALUES ${accounts}`,
  );
  writerDatabase.exec(gadgetTable('TEXT', 'JSONB'));
  const search = sqliteSearchSql({ table: Gadget.table, search: SEARCH });
  for (const statement of search.create) writerDatabase.exec(statement);
  const reader = openDatabase({ file, readonly: true });
  const writer = new Writer(writerDatabase, conductor);
  const statements: string[] = [];
  const onStatement = (sql: string): void => void statements.push(sql);
  const store = createSqliteStore({
    ...{ writer, writerDatabase, reader, now, onStatement },
    types: TYPES,
    ...(scans === undefined ? {} : { scans }),
    ...(logLimit === undefined ? {} : { logLimit }),
  });
  return {
    store,
    writer,
    statements,
    writerDatabase,
    file,
    run: async (sql: string) => writerDatabase.exec(sql),
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
