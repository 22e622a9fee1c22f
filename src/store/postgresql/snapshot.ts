import { SqlSnapshot } from '../sql/snapshot.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';

/** Reading within one transaction of a connection. */
export class PostgresqlSnapshot extends SqlSnapshot<Connection> {
  constructor(connection: Connection, accountId: string) {
    super(engine, connection, accountId);
  }
}
