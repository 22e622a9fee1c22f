import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { todoType } from '../../generated/todos/Todo.definition.js';
import type { Storage, StorageOptions } from '../../src/server/storage.js';
import { openPostgresqlStorage } from '../../src/server/storage-postgresql.js';
import { openSqliteStorage } from '../../src/server/storage-sqlite.js';
import type { StoredObject } from '../../src/store/port.js';
import { conductor } from '../support/conductor.js';
import { ROOT } from '../support/server.js';

/** Storage as a server has it, with all its connections; closed when the test has finished. */
async function open(make: (options: StorageOptions) => Promise<Storage>): Promise<Storage> {
  const opened: StorageOptions['opened'] = [];
  onTestFinished(async () => {
    for (const close of opened.reverse()) await close();
  });
  return make({
    root: ROOT,
    types: [todoType],
    conductor,
    log: pino({ level: 'silent' }),
    opened,
    hookClient: (database) =>
      database === 'sqlite'
        ? import('../../build/prisma/sqlite/client.js')
        : import('../../build/prisma/postgresql/client.js'),
  });
}

export function onSqlite(): Promise<Storage> {
  const folder = mkdtempSync(join(tmpdir(), 'storage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return open((options) => openSqliteStorage(join(folder, 'jmap.db'), options));
}

export function onPostgresql(url: string): Promise<Storage> {
  return open((options) => openPostgresqlStorage(url, options));
}

/** Accounts that the store lets write. */
export async function addAccounts({ prisma }: Storage, ids: readonly string[]): Promise<void> {
  const rows = ids.map((id) => ({ id, name: '', ownerId: 'u', created: 1n }));
  await prisma.jmapAccount.createMany({ data: rows });
}

export function todo(id: string, text: string): StoredObject {
  const dates = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' };
  return { id, ...dates, text, done: false };
}
