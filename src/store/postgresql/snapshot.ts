import { type SnapshotServices, SqlSnapshot } from '../sql/snapshot.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';

/** Reading within one transaction of a connection. */
export class PostgresqlSnapshot extends SqlSnapshot<Connection> {
  constructor(services: SnapshotServices, connection: Connection, accountId: string) {
    super(engine, services, connection, accountId);
  }
}
