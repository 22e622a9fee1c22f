import type { StorageNames } from '../sql/names.js';
import { SqlSnapshot } from '../sql/snapshot.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';

/** Reading within one transaction of a connection. */
export class SqliteSnapshot extends SqlSnapshot<Connection> {
  constructor(names: StorageNames, connection: Connection, accountId: string) {
    super(engine, names, connection, accountId);
  }
}
