import type { SqlDriverAdapter, SqlQuery, Transaction } from '@prisma/driver-adapter-utils';
import type { Database } from 'better-sqlite3';
import { UnavailableError } from '../../protocol/errors.js';
import { translateError } from './driver-errors.js';
import { openDatabase } from './open.js';
import { executePrisma, executePrismaScript, queryPrisma } from './prisma-values.js';
import type { Writer } from './writer.js';

/**
 * How long a Prisma write waits for the lock, ms. Less than Prisma's `maxWait`, so that our error
 * is the one.
 */
const LOCK_WAIT = 9_000;

/** Of all adapters and transactions here, to Prisma. */
export const NAMED = Object.freeze({
  provider: 'sqlite',
  adapterName: 'jmapsmith',
} as const);

/** The factory that PrismaClient calls to get its connection. */
type SharedAdapterFactory = typeof NAMED & { connect(): Promise<SqlDriverAdapter> };

/** Runs one of Prisma's statements on the connection that it gives to `statement`. */
export type Run = <T>(query: SqlQuery, statement: (db: Database) => T) => Promise<T>;

/** Returns the members that adapters and transactions share. */
export function statements(run: Run) {
  return {
    ...NAMED,
    queryRaw: (query: SqlQuery) => run(query, (db) => queryPrisma(db, query)),
    executeRaw: (query: SqlQuery) => run(query, (db) => executePrisma(db, query)),
  };
}

/** Phantom: Prisma calls commit and rollback, and sends no COMMIT or ROLLBACK of its own. */
export const OPTIONS = Object.freeze({ usePhantomQuery: true });

/**
 * Returns a driver adapter that writes on the engine's own writing connection, under the writer's
 * lock. Two writing connections of one process can deadlock, since a synchronous writer blocks the
 * event loop that the other needs to go on.
 *
 * Reads outside of a transaction have a read-only connection of their own: on the writing one they
 * could see what a group of works has not committed yet. They wait for nobody and see all that is
 * committed.
 */
export function sharedAdapter(
  writerDatabase: Database,
  writer: Writer,
  onDispose?: () => Promise<void>,
): SharedAdapterFactory {
  return {
    ...NAMED,
    connect: async () => {
      const reader = openDatabase({ file: writerDatabase.name, readonly: true, isReopened: true });
      const run: Run = (query, statement) =>
        isReadOnly(reader, query.sql)
          ? translated(() => statement(reader))
          : writer.transaction(async () => statement(writerDatabase), lockWait());
      return {
        ...statements(run),
        executeScript: (script) =>
          writer.transaction(async () => executePrismaScript(writerDatabase, script), lockWait()),
        startTransaction: () => startTransaction(writerDatabase, writer),
        dispose: async () => {
          reader.close();
          await onDispose?.();
        },
      };
    },
  };
}

/** A work during which the reading client is inside the writing connection's transaction. */
export interface JoinScope {
  /** False once the work has settled, though something of it may still run. */
  readonly open: boolean;
}

/**
 * Returns a driver adapter that only reads. Inside a scope it reads on the writing connection, so
 * that it sees what its transaction has not committed yet; otherwise on a connection of its own.
 * Nothing is begun or committed: inside a scope, a transaction of Prisma's is the engine's.
 */
export function readingAdapter(
  writerDatabase: Database,
  open: () => Database,
  scopeOf: () => JoinScope | undefined,
): SharedAdapterFactory {
  return {
    ...NAMED,
    connect: async () => {
      const reader = open();
      const run: Run = async (query, statement) => {
        const scope = scopeOf();
        if (scope?.open === false) throw new UnavailableError('The transaction is over.');
        if (!isReadOnly(reader, query.sql)) refuseWrite();
        if (scope !== undefined && !writerDatabase.inTransaction)
          throw new UnavailableError('The database rolled back the transaction.');
        return translated(() => statement(scope === undefined ? reader : writerDatabase));
      };
      const nothing = async (): Promise<void> => undefined;
      return {
        ...statements(run),
        executeScript: async () => refuseWrite(),
        startTransaction: async () => ({
          ...statements(run),
          options: OPTIONS,
          commit: nothing,
          rollback: nothing,
          createSavepoint: nothing,
          rollbackToSavepoint: nothing,
          releaseSavepoint: nothing,
        }),
        dispose: async () => {
          reader.close();
        },
      };
    },
  };
}

function refuseWrite(): never {
  throw new Error(
    'The Prisma client of hooks only reads: write objects by tx.set, which keeps change records.',
  );
}

function isReadOnly(reader: Database, sql: string): boolean {
  try {
    return reader.prepare(sql).readonly;
  } catch {
    // It fails on the other connection in the same way, and Prisma gets that error.
    return false;
  }
}

/** Failures that are the machine's come out as UnavailableError, not as an error of Prisma's. */
async function translated<T>(statement: () => T): Promise<T> {
  try {
    return statement();
  } catch (error) {
    throw translateError(error);
  }
}

/** Returns the deadline for a write's lock. Each write is a transaction: only BEGIN is retried. */
function lockWait(): { readonly deadline: number } {
  return { deadline: performance.now() + LOCK_WAIT };
}

/**
 * Takes the lock and begins; the lock is held until Prisma commits or rolls back (its time-out does
 * at last).
 */
function startTransaction(db: Database, writer: Writer): Promise<Transaction> {
  return new Promise((started, failed) => {
    const begun = (commit: () => void, rollBack: (reason: Error) => void): void =>
      started(transaction({ db, commit, rollBack, whole }));
    const whole = writer.transaction(() => new Promise<void>(begun), lockWait());
    whole.catch(failed);
  });
}

/** A transaction that has begun, and what has the writer end it. */
interface Begun {
  readonly db: Database;
  readonly commit: () => void;
  readonly rollBack: (reason: Error) => void;
  /** Settles when it has ended. */
  readonly whole: Promise<void>;
}

function transaction({ db, commit, rollBack, whole }: Begun): Transaction {
  let isOpen = true;
  const end = async (how: () => void): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    how();
    await whole;
  };
  const undone = new Error('Prisma rolled back the transaction.');
  const rollback = (): Promise<void> =>
    end(() => rollBack(undone)).catch((error) => {
      if (error !== undone) throw error;
    });
  // After its end, or a rollback by the database, a statement would commit by itself or join
  // another's work.
  const inside = async <T>(statement: () => T): Promise<T> => {
    if (!isOpen || !db.inTransaction) throw new UnavailableError('The transaction is over.');
    return translated(statement);
  };
  const run = (sql: string): Promise<void> => inside(() => void db.exec(sql));
  return {
    ...statements((_, statement) => inside(() => statement(db))),
    options: OPTIONS,
    commit: () => end(commit),
    rollback,
    createSavepoint: (name) => run(`SAVEPOINT ${name}`),
    rollbackToSavepoint: (name) => run(`ROLLBACK TO ${name}`),
    releaseSavepoint: (name) => run(`RELEASE ${name}`),
  };
}
