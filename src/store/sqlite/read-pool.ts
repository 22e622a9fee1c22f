import { statSync } from 'node:fs';
import { UnavailableError } from '../../protocol/errors.js';
import { inTime, lateError, requireTime } from '../../runtime/deadlines.js';
import { FairSlots } from '../../runtime/fair-slots.js';
import type { CallOptions, Snapshot } from '../port.js';
import { SqlSnapshot } from '../sql/snapshot.js';
import type { SnapshotServices } from '../sql/table-snapshot.js';
import { timeWork } from '../traced.js';
import type { Connection } from './connection.js';
import { reading } from './engine.js';
import type { Reader } from './reader.js';

/** Reads that may wait; beyond it a call is turned away at once. */
const MAY_WAIT = 1024;

const errors = Object.freeze({
  full: () => new UnavailableError('Too many reads are waiting.'),
  late: lateError,
  closed: () => new UnavailableError('The server is stopping.'),
});

/** The services of readers, and the log that all of them share. */
export interface PoolServices extends SnapshotServices {
  readonly log: WriteAheadLog;
}

/** The source of a pool's readers. */
export interface ReaderSource {
  /** How many there are at most. */
  readonly size: number;
  take(options: CallOptions): OwnReader;
  /** `completion`: resolves when all readers have been given back. */
  close(completion: Promise<void>): Promise<void>;
}

/** A reader that one work has for itself. */
export interface OwnReader {
  readonly reader: Reader;
  /** Ends its transaction; the next work may have it when the promise resolves. */
  readonly give: () => Promise<void> | void;
}

/** Snapshots on connections of their own, so that their works may pause or take long. */
export class ReadPool {
  readonly #services: PoolServices;
  readonly #source: ReaderSource;
  readonly #slots: FairSlots;

  constructor(services: PoolServices, source: ReaderSource) {
    this.#services = services;
    this.#source = source;
    this.#slots = createReadSlots(source.size);
  }

  /** Rejects with UnavailableError at the deadline, whatever runs by then. */
  run<T>(
    accountId: string,
    options: CallOptions,
    work: (snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    const { deadline, trace } = options;
    return timeWork(trace, work, 'waiting', (timedWork) => {
      // A turn lasts until the reader is free again, which may be after the deadline.
      return new Promise((resolve, reject) => {
        const read = async (): Promise<void> => {
          requireTime(deadline);
          const { reader, give } = this.#source.take(options);
          const snapshot = new SqlSnapshot(reading, this.#services, {
            connection: reader,
            accountId,
          });
          await inTime(deadline, timedWork(snapshot), lateError).then(resolve, reject);
          snapshot.end();
          await give();
        };
        const { log } = this.#services;
        this.#slots.run(accountId, deadline, () => log.read(deadline, read)).catch(reject);
      });
    });
  }

  /** Returns whether a read of the account would begin at once. */
  isFree(accountId: string): boolean {
    return this.#slots.isFree(accountId);
  }

  /** Counts a read that has its rows as one of these until its objects are decoded. */
  decode<T>(accountId: string, deadline: number, objects: () => Promise<T>): Promise<T> {
    return this.#slots.run(accountId, deadline, objects);
  }

  /** Lets running works end; turns away waiting and later ones. */
  async close(): Promise<void> {
    this.#slots.close();
    await this.#source.close(this.#slots.idle());
  }
}

/**
 * Returns turns for `size` reads at once. With room for several, no account has all of it: its
 * endless reads must not stop others.
 */
export function createReadSlots(size: number): FairSlots {
  return new FairSlots({ size, share: Math.max(1, size - 1), mayWait: MAY_WAIT, errors });
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
    close: async (completion) => {
      await completion;
      for (const { db } of idle.splice(0)) db.close();
    },
  };
}

/** Octets of log beyond which reads wait for it to begin anew: as many as a checkpoint leaves. */
const LIMIT = 64 * 1024 * 1024;
/** How long reads wait then, ms; twice as long for each limit more that it has. */
const PATIENCE = 500;

export interface WriteAheadLogOptions {
  /** The database's file. */
  readonly file: string;
  readonly limit?: number;
  /** Moves the log into the database and empties it, unless a read prevents that. */
  readonly checkpoint: () => Promise<unknown>;
}

/**
 * SQLite's write-ahead log begins anew only when no transaction reads it, so reads that overlap
 * without a gap would let it grow for ever. If it is long, new reads wait for a moment, until the
 * others have ended and it has been emptied.
 */
export class WriteAheadLog {
  readonly #file: string;
  readonly #limit: number;
  readonly #checkpoint: () => Promise<unknown>;
  #running = 0;
  #whenIdle: () => void = () => undefined;
  /** New reads wait for this. */
  #emptied: Promise<void> | null = null;
  /** The length at which it is tried: after a trial in vain, one limit more. */
  #next: number;

  constructor({ file, limit = LIMIT, checkpoint }: WriteAheadLogOptions) {
    this.#file = `${file}-wal`;
    this.#limit = limit;
    this.#next = limit;
    this.#checkpoint = checkpoint;
  }

  /**
   * Runs a work that reads in its own transaction, across turns of the event loop. Rejects with
   * UnavailableError if it can't begin by the deadline.
   */
  async read<T>(deadline: number, work: () => Promise<T>): Promise<T> {
    const length = this.#length();
    if (this.#emptied === null && length > this.#next) {
      this.#emptied = this.#empty(length).finally(() => {
        this.#emptied = null;
      });
    }
    if (this.#emptied !== null) await inTime(deadline, this.#emptied, lateError);
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#whenIdle();
    }
  }

  async #empty(length: number): Promise<void> {
    const longest = PATIENCE * 2 ** (length / this.#limit - 1);
    try {
      await inTime(performance.now() + longest, this.#idle(), lateError);
      await this.#checkpoint();
    } catch {
      // A long read, a full disk, another process that reads: the length tells when to try again.
    }
    this.#next = this.#length() + this.#limit;
  }

  /** Resolves when all reads have ended. */
  #idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
    });
  }

  /** None where there is no log; it is cut when it begins anew by itself (open.ts). */
  #length(): number {
    const length = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    if (length <= this.#limit) this.#next = this.#limit;
    return length;
  }
}
