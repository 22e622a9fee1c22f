import { type SnapshotServices, SqlSnapshot } from '../sql/snapshot.js';
import { reading } from './engine.js';
import type { Reader } from './reader.js';

/** Reading within one transaction of a connection. */
export class SqliteSnapshot extends SqlSnapshot<Reader> {
  constructor(services: SnapshotServices, reader: Reader, accountId: string) {
    super(reading, services, reader, accountId);
  }
}

/** On a connection that others wait for: what it reads is there when its operations return. */
export class SharedSnapshot extends SqliteSnapshot {
  protected override slices(): null {
    return null;
  }
}
