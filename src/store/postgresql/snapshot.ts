import type { DataTypeDefinition } from '../../capability/definition.js';
import type { FoundObjects, WantedObjects } from '../port.js';
import { type SnapshotServices, SqlSnapshot } from '../sql/snapshot.js';
import type { Connection } from './connection.js';
import { engine } from './engine.js';
import { readChangedObjects } from './objects.js';

/** Reading within one transaction of a connection. */
export class PostgresqlSnapshot extends SqlSnapshot<Connection> {
  constructor(services: SnapshotServices, connection: Connection, accountId: string) {
    super(engine, services, connection, accountId);
  }

  /**
   * The objects that exist of those that `changes` gives records of, in any order; null where there are too many
   * octets of them.
   */
  async changedObjects(
    type: DataTypeDefinition,
    since: number,
    limit: number,
    wanted: WantedObjects,
  ): Promise<FoundObjects | null> {
    this.check();
    return readChangedObjects(this.scope, type, since, limit, wanted);
  }
}
