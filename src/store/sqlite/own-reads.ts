import type { Database } from 'better-sqlite3';
import { checkDeadline, setDeadline } from '../../database/sqlite/deadline.js';
import type { Snapshot, Trace } from '../port.js';
import type { SnapshotServices } from '../sql/snapshot.js';
import type { Connection } from './connection.js';
import { SqliteSnapshot } from './engine.js';
import type { Log } from './log.js';
import { createReadTurns } from './read-turns.js';

/** Connections, each opened when it is first needed. */
const CONNECTIONS = 4;

/**
 * Snapshots on connections that no other work has meanwhile, so that their works may pause: hooks
 * wait for the world outside, large reads for their slices.
 */
export class OwnReads {
  readonly #services: SnapshotServices;
  readonly #log: Log;
  readonly #open: () => Connection;
  readonly #turns = createReadTurns(CONNECTIONS);
  readonly #idle: Connection[] = [];

  constructor(services: SnapshotServices, log: Log, open: () => Connection) {
    this.#services = services;
    this.#log = log;
    this.#open = open;
  }

  async run<T>(
    accountId: string,
    deadline: number,
    work: (snapshot: Snapshot) => Promise<T>,
    trace?: Trace,
  ): Promise<T> {
    const read = async (): Promise<T> => {
      checkDeadline(deadline);
      trace?.phase('working');
      const connection = this.#idle.pop() ?? this.#open();
      const { db } = connection;
      setDeadline(db, deadline);
      connection.trace = trace ?? null;
      const snapshot = new SqliteSnapshot(this.#services, { connection, accountId });
      try {
        db.exec('BEGIN');
        return await work(snapshot);
      } finally {
        snapshot.end();
        connection.endReads();
        connection.trace = null;
        end(db);
        this.#idle.push(connection);
      }
    };
    trace?.phase('waiting');
    try {
      return await this.#turns.run(accountId, deadline, () => this.#log.read(deadline, read));
    } finally {
      trace?.phase('elsewhere');
    }
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
    await this.#turns.idle();
    for (const { db } of this.#idle.splice(0)) db.close();
  }
}

function end(db: Database): void {
  if (db.inTransaction) db.exec('COMMIT');
}
