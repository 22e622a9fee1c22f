import type { StorageNames } from '../sql/names.js';
import { SqlTransaction } from '../sql/transaction.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';

/** Writing within a savepoint of the writer's transaction. */
export class SqliteTransaction extends SqlTransaction<Connection> {
  constructor(names: StorageNames, connection: Connection, accountId: string, now: number) {
    super(engine, names, connection, accountId, now);
  }

  override end(): void {
    super.end();
    this.scope.connection.endReads();
    this.scope.connection.trace = null;
  }
}
