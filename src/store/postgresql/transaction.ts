import type { SnapshotServices } from '../sql/snapshot.js';
import { SqlTransaction } from '../sql/transaction.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';

/** Writing within one transaction of a connection that holds the account's lock. */
export class PostgresqlTransaction extends SqlTransaction<Connection> {
  constructor(services: SnapshotServices, connection: Connection, accountId: string, now: number) {
    super(engine, services, connection, accountId, now);
  }
}
