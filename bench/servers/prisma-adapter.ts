import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
} from '@prisma/driver-adapter-utils';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import {
  executePrisma,
  executePrismaScript,
  queryPrisma,
} from '../../src/database/sqlite/prisma-values.js';

/**
 * A driver adapter as Prisma's own for SQLite is: one connection, a plain BEGIN, one transaction
 * at a time. Prisma's own takes no driver that runs on every Node without a compiler.
 */
export function createAdapter(file: string): SqlDriverAdapterFactory {
  const named = { provider: 'sqlite', adapterName: 'plain' } as const;
  return { ...named, connect: async () => connect(new SqliteDatabase(file), named) };
}

function connect(
  db: SqliteDatabase,
  named: Pick<SqlDriverAdapter, 'provider' | 'adapterName'>,
): SqlDriverAdapter {
  const statements = {
    ...named,
    queryRaw: async (query: SqlQuery) => queryPrisma(db, query),
    executeRaw: async (query: SqlQuery) => executePrisma(db, query),
  };
  let last = Promise.resolve();
  return {
    ...statements,
    executeScript: async (script) => executePrismaScript(db, script),
    async startTransaction() {
      const before = last;
      const { promise, resolve } = withResolvers();
      last = promise;
      await before;
      db.prepare('BEGIN').run();
      const end = async (): Promise<void> => resolve();
      // Prisma sends COMMIT and ROLLBACK itself.
      return { ...statements, options: { usePhantomQuery: false }, commit: end, rollback: end };
    },
    dispose: async () => void db.close(),
  };
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
