import { SqlTransaction } from '../sql/transaction.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';

/** Writing within a savepoint of the writer's transaction. */
export class SqliteTransaction extends SqlTransaction<Connection> {
  constructor(connection: Connection, accountId: string, now: number) {
    super(engine, connection, accountId, now);
  }
}
