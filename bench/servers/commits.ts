import type { Database } from 'better-sqlite3';

/** Runs a write in a transaction; resolves when it is on disk. */
export type Commits = <T>(work: () => T) => T | Promise<T>;

/** A transaction for each write: what everybody writes. */
export function commitEach(db: Database): Commits {
  const transaction = db.transaction((work: () => unknown) => work());
  return <T>(work: () => T): T => transaction.immediate(work) as T;
}

interface Waiting {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes that wait at the same time share a transaction, and so an fsync. */
export function commitShared(db: Database): Commits {
  const transaction = db.transaction((works: readonly Waiting[]) =>
    works.map(({ work }) => work()),
  );
  let waiting: Waiting[] = [];

  const flush = (): void => {
    const group = waiting;
    waiting = [];
    try {
      const results = transaction.immediate(group);
      group.forEach(({ resolve }, index) => {
        resolve(results[index] as never);
      });
    } catch {
      // One of them failed and took the others along: each gets a transaction of its own.
      for (const one of group) alone(one);
    }
  };

  const alone = (one: Waiting): void => {
    try {
      one.resolve(transaction.immediate([one])[0] as never);
    } catch (error) {
      one.reject(error);
    }
  };

  return <T>(work: () => T): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ work, resolve: resolve as (value: never) => void, reject });
    });
}
