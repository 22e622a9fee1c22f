import type { TimedDatabase } from './timed-database.js';

/**
 * Returns a function that tells a number which is another one after other connections have
 * committed, and null where it can't be told now. On the writer's connection only other processes
 * move it; and the store, when it cuts a write-ahead log that has grown beyond its limit.
 */
export function watchDataVersion(db: TimedDatabase): () => number | null {
  const statement = db.prepare<[], number>('PRAGMA data_version').pluck();
  return () => {
    // Within a transaction the connection sees what there was at its beginning.
    if (!db.open || db.inTransaction) return null;
    try {
      return statement.get() ?? null;
    } catch {
      // Busy for a moment, or a disk that fails: whoever writes or reads next is told why.
      return null;
    }
  };
}
