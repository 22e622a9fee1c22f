import { lateError, setDeadline } from '../../database/sqlite/deadline.js';
import type { Writer } from '../../database/sqlite/writer.js';
import { UnavailableError } from '../../protocol/errors.js';
import { inTime } from '../../runtime/deadlines.js';
import type { SqliteTransaction } from './engine.js';

/**
 * Runs a work that may await anything in a transaction that it shares with nobody: with the writer's
 * lock, from BEGIN to COMMIT. At the deadline the transaction is revoked, rolled back and the lock
 * given on, whether or not the work ever settles: so it is ended here, while the lock is held.
 */
export function runExclusive<T>(
  writer: Writer,
  { accountId, deadline }: { readonly accountId: string; readonly deadline: number },
  open: () => SqliteTransaction,
  work: (transaction: SqliteTransaction) => Promise<T>,
): Promise<T> {
  return writer.exclusive(
    async (db) => {
      await writer.begin(deadline);
      setDeadline(db, deadline);
      const transaction = open();
      try {
        const value = await inTime(deadline, work(transaction), lateError);
        transaction.assertOpen();
        // A read that the work has left running would keep the database from the commit.
        transaction.end();
        commitWith(writer);
        return value;
      } finally {
        // The writer rolls back what is still open: by then nobody may add to it.
        transaction.end();
      }
    },
    { accountId, deadline },
  );
}

function commitWith(writer: Writer): void {
  try {
    writer.commit();
  } catch (error) {
    throw new UnavailableError('The database could not commit.', { cause: error });
  }
}
