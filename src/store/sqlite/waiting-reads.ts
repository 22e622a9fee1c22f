import type { Database } from 'better-sqlite3';
import { checkDeadline, setDeadline } from '../../database/sqlite/deadline.js';
import type { Snapshot, Trace } from '../port.js';
import type { StorageNames } from '../sql/names.js';
import { Turns } from '../turns.js';
import type { Connection } from './connection.js';
import { GradualReader } from './gradual.js';
import type { Log } from './log.js';
import { SqliteSnapshot } from './snapshot.js';
import { tracedReader } from './traced-connection.js';

/** Connections for works that wait, each opened when it is first needed. */
const CONNECTIONS = 4;

/**
 * Snapshots for works that wait for other things than the database (hooks), and for those that read
 * much. Each has a connection of its own meanwhile, so that the other reads needn't wait for it.
 */
export class WaitingReads {
  readonly #names: StorageNames;
  readonly #log: Log;
  readonly #open: () => Connection;
  readonly #turns = new Turns(CONNECTIONS);
  readonly #idle: Connection[] = [];

  constructor(names: StorageNames, log: Log, open: () => Connection) {
    this.#names = names;
    this.#log = log;
    this.#open = open;
  }

  run<T>(
    accountId: string,
    deadline: number,
    work: (snapshot: Snapshot) => Promise<T>,
    trace?: Trace,
  ): Promise<T> {
    const read = async (): Promise<T> => {
      checkDeadline(deadline);
      const connection = this.#idle.pop() ?? this.#open();
      const { db } = connection;
      setDeadline(db, deadline);
      const gradual = new GradualReader(connection);
      const reader = trace === undefined ? gradual : tracedReader(gradual, trace, false);
      const snapshot = new SqliteSnapshot(this.#names, reader, accountId);
      try {
        db.exec('BEGIN');
        return await work(snapshot);
      } finally {
        snapshot.end();
        await gradual.end();
        end(db);
        this.#idle.push(connection);
      }
    };
    return this.#turns.run(accountId, deadline, () => this.#log.read(deadline, read));
  }

  async close(): Promise<void> {
    await this.#turns.idle();
    for (const { db } of this.#idle.splice(0)) db.close();
  }
}

function end(db: Database): void {
  if (db.inTransaction) db.exec('COMMIT');
}
