import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from 'better-sqlite3';
import { formatVersion } from '../../src/accounts/change.js';
import { migrate, openDatabase } from '../../src/database/sqlite/index.js';
import { openPrismaStandalone, type PrismaClient } from '../../src/database/sqlite/prisma.js';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/sqlite/migrations', import.meta.url));

/**
 * A database of its own, migrated, with a client as a command has it and a plain connection beside.
 */
export interface TestDatabase {
  readonly folder: string;
  readonly file: string;
  readonly prisma: PrismaClient;
  readonly db: Database;
  /**
   * The access version as a server reads it: by a prepared statement on a connection of its own.
   */
  readonly accessVersion: () => string;
  close(): Promise<void>;
}

export function openTestDatabase(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'accounts-'));
  const file = join(folder, 'jmap.db');
  const db = openDatabase({ file });
  migrate(db, MIGRATIONS);
  const prisma = openPrismaStandalone(file);
  const statement = db.prepare<[], Record<'key' | 'value', string>>(
    `SELECT "key", "value" FROM "JmapMeta" WHERE "key" IN ('accessVersion', 'shareVersion')`,
  );
  return {
    folder,
    file,
    prisma,
    db,
    accessVersion: () => formatVersion(statement.all()),
    close: async () => {
      await prisma.$disconnect();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
