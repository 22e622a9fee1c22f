import { checkDeadline, lateError } from '../../database/sqlite/timed-database.js';
import { UnavailableError } from '../../protocol/errors.js';
import { inTime } from '../../runtime/deadlines.js';
import { FairTurns } from '../../runtime/fair-turns.js';
import type { CallOptions, Snapshot } from '../port.js';
import type { SnapshotServices } from '../sql/snapshot.js';
import { type Connection, inPhases } from './connection.js';
import { SqliteSnapshot } from './engine.js';
import type { Log } from './log.js';
import type { Reader } from './reader.js';

/** Reads that may wait; beyond it a call is turned away at once (D6). */
const MAY_WAIT = 1024;

const errors = Object.freeze({
  full: () => new UnavailableError('Too many reads are waiting.'),
  late: lateError,
  closed: () => new UnavailableError('The server is stopping.'),
});

/** What readers read with, and what all of them share. */
export interface PoolServices extends SnapshotServices {
  readonly log: Log;
}

/** What readers are taken from. */
export interface ReaderSource {
  /** How many there are at most. */
  readonly size: number;
  take(options: CallOptions): OwnReader;
  /** `given`: resolves when all readers have been given back. */
  close(given: Promise<void>): Promise<void>;
}

/** A reader that one work has for itself. */
export interface OwnReader {
  readonly reader: Reader;
  /** Ends its transaction; the next work may have it when the promise resolves. */
  readonly give: () => Promise<void> | void;
}

/** Snapshots on connections that no other work has meanwhile, so that their works may pause or take long. */
export class ReadPool {
  readonly #services: PoolServices;
  readonly #source: ReaderSource;
  readonly #turns: FairTurns;

  constructor(services: PoolServices, source: ReaderSource) {
    this.#services = services;
    this.#source = source;
    this.#turns = createReadTurns(source.size);
  }

  /** Rejects with UnavailableError at the deadline, whatever runs by then. */
  run<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const { deadline, trace } = options;
    return inPhases(trace, () => {
      // A turn lasts until the reader is free again, which may be after the deadline.
      return new Promise((resolve, reject) => {
        const read = async (): Promise<void> => {
          checkDeadline(deadline);
          trace?.phase('working');
          const { reader, give } = this.#source.take(options);
          const snapshot = new SqliteSnapshot(this.#services, { connection: reader, accountId });
          await inTime(deadline, work(snapshot), lateError).then(resolve, reject);
          snapshot.end();
          await give();
        };
        const { log } = this.#services;
        this.#turns.run(accountId, deadline, () => log.read(deadline, read)).catch(reject);
      });
    });
  }

  /** Whether a read of the account would begin at once. */
  isFree(accountId: string): boolean {
    return this.#turns.isFree(accountId);
  }

  /** Counts a read that has its rows as one of these until its objects are decoded. */
  decode<T>(accountId: string, deadline: number, objects: () => Promise<T>): Promise<T> {
    return this.#turns.run(accountId, deadline, objects);
  }

  /** What runs ends; what waits, or comes later, is turned away. */
  async close(): Promise<void> {
    this.#turns.close();
    await this.#source.close(this.#turns.idle());
  }
}

/**
 * Makes turns of so many reads at once. Where there is place for several reads no account has all of
 * it: one that reads without end keeps nobody else from reading.
 */
export function createReadTurns(size: number): FairTurns {
  return new FairTurns({ size, share: Math.max(1, size - 1), mayWait: MAY_WAIT, errors });
}

/** Connections of this thread, each opened when it is first needed. */
export function ownConnections(size: number, open: () => Connection): ReaderSource {
  const idle: Connection[] = [];
  return {
    size,
    take: ({ deadline, trace }) => {
      const connection = idle.pop() ?? open();
      const { db } = connection;
      db.setDeadline(deadline);
      connection.trace = trace ?? null;
      db.exec('BEGIN');
      const give = (): void => {
        connection.endReads();
        connection.trace = null;
        if (db.inTransaction) db.exec('COMMIT');
        idle.push(connection);
      };
      return { reader: connection, give };
    },
    close: async (given) => {
      await given;
      for (const { db } of idle.splice(0)) db.close();
    },
  };
}
