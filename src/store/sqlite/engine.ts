import type { ReadingEngine, Scope, WritingEngine } from '../sql/engine.js';
import { type SnapshotServices, SqlSnapshot } from '../sql/snapshot.js';
import { tableTexts } from '../sql/table-texts.js';
import { SqlTransaction } from '../sql/transaction.js';
import type { Connection } from './connection.js';
import { sqlite, walks } from './dialect.js';
import { DECODERS, readFirstObjects, readObjects, readPage, readState } from './objects.js';
import type { Reader } from './reader.js';
import { destroyObjects, readStateOfAccount, writeChanges, writeObjects } from './writes.js';

/** What SQLite reads its own way, in whatever thread. */
const reading: ReadingEngine<Reader> = Object.freeze({
  dialect: sqlite,
  decoders: DECODERS,
  texts: tableTexts(sqlite, walks),
  check: (reader) => reader.check(),
  query: (reader, fragment) => reader.query(fragment),
  objects: readObjects,
  firstObjects: readFirstObjects,
  state: readState,
  page: readPage,
} satisfies ReadingEngine<Reader>);

/** What SQLite does its own way. */
const writing: WritingEngine<Connection> = Object.freeze({
  ...reading,
  state: readStateOfAccount,
  insert: (scope, type, objects) => writeObjects(scope, type, objects, 'insert'),
  update: (scope, type, objects) => writeObjects(scope, type, objects, 'update'),
  destroy: destroyObjects,
  writeChanges,
} satisfies WritingEngine<Connection>);

/** Reading within one transaction of a connection. */
export class SqliteSnapshot extends SqlSnapshot<Reader> {
  constructor(services: SnapshotServices, scope: Scope<Reader>) {
    super(reading, services, scope);
  }
}

/** On a connection that others wait for: what it reads is there when its operations return. */
export class SharedSnapshot extends SqliteSnapshot {
  protected override slices(): null {
    return null;
  }
}

/** Writing within a savepoint of the writer's transaction. */
export class SqliteTransaction extends SqlTransaction<Connection> {
  constructor(services: SnapshotServices, scope: Scope<Connection>, now: number) {
    super(writing, services, scope, now);
  }

  override end(): void {
    super.end();
    this.scope.connection.endReads();
    this.scope.connection.trace = null;
  }
}
