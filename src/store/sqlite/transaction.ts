import type { SnapshotServices } from '../sql/snapshot.js';
import { SqlTransaction } from '../sql/transaction.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';

/** Writing within a savepoint of the writer's transaction. */
export class SqliteTransaction extends SqlTransaction<Connection> {
  constructor(services: SnapshotServices, connection: Connection, accountId: string, now: number) {
    super(engine, services, connection, accountId, now);
  }

  override end(): void {
    super.end();
    this.scope.connection.endReads();
    this.scope.connection.trace = null;
  }
}
