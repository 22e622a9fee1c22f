import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate, openDatabase, Writer } from '../../src/database/sqlite/index.js';
import { createSqliteStore } from '../../src/store/sqlite/index.js';
import { storeSuite } from './suite.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/sqlite/migrations', import.meta.url));

/** As the generator's migration would declare it: Prisma's SQLite types, affinities included. */
const GADGET = `CREATE TABLE "Gadget" (
  "accountId" TEXT NOT NULL, "id" TEXT NOT NULL, "created" BIGINT NOT NULL,
  "updated" BIGINT NOT NULL, "title" TEXT NOT NULL, "code" TEXT, "done" BOOLEAN NOT NULL,
  "rank" BIGINT, "score" REAL, "due" BIGINT, "meta" JSONB, "blobId" TEXT,
  "title_folded" TEXT NOT NULL DEFAULT '', "title_casemap" TEXT NOT NULL DEFAULT '',
  "code_folded" TEXT, "code_casemap" TEXT, PRIMARY KEY ("accountId", "id"))`;

storeSuite('SQLite', async ({ now }) => {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  const file = join(folder, 'jmap.db');
  const writerDatabase = openDatabase({ file });
  migrate(writerDatabase, MIGRATIONS);
  writerDatabase.exec(GADGET);
  const reader = openDatabase({ file, readonly: true });
  const writer = new Writer(writerDatabase);
  const statements: string[] = [];
  const onStatement = (sql: string): void => void statements.push(sql);
  const store = createSqliteStore({ writer, writerDatabase, reader, now, onStatement });
  return {
    store,
    statements,
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
