import type { SqlDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils';
import type { Database } from 'better-sqlite3';
import { openDatabase, setBusyTimeout } from './open.js';
import { NAMED, OPTIONS, type Run, statements } from './prisma-adapter.js';
import { executePrismaScript } from './prisma-values.js';

/** How long a report may wait for another process, ms. Nobody else waits for its thread. */
const PATIENCE = 10_000;

/**
 * Returns a driver adapter whose connections SQLite itself opened for reading: every statement that
 * writes fails in it, whatever the client sends. A transaction has a connection of its own, and
 * sees one state of the database.
 */
export function reportAdapter(file: string): SqlDriverAdapterFactory {
  const open = (): Database => {
    const db = openDatabase({ file, readonly: true });
    setBusyTimeout(db, PATIENCE);
    return db;
  };
  return {
    ...NAMED,
    connect: async () => {
      const db = open();
      return {
        ...statements(runOn(db)),
        executeScript: async (script) => executePrismaScript(db, script),
        startTransaction: async () => beginOn(open()),
        dispose: async () => void db.close(),
      };
    },
  };
}

function runOn(db: Database): Run {
  return async (_, statement) => statement(db);
}

function beginOn(db: Database): Transaction {
  const run = async (sql: string): Promise<void> => executePrismaScript(db, sql);
  const end = async (): Promise<void> => {
    if (db.open && db.inTransaction) await run('ROLLBACK');
    db.close();
  };
  db.exec('BEGIN');
  return {
    ...statements(runOn(db)),
    options: OPTIONS,
    // Nothing was written: both ends give up the state that was read.
    commit: end,
    rollback: end,
    createSavepoint: (name) => run(`SAVEPOINT ${name}`),
    rollbackToSavepoint: (name) => run(`ROLLBACK TO ${name}`),
    releaseSavepoint: (name) => run(`RELEASE ${name}`),
  };
}
