import { readBlobTables, writeBlobTables } from '../sql/blob-tables.js';
import type { ReadingEngine, WritingEngine } from '../sql/engine.js';
import { readReferenceTable, writeReferenceTable } from '../sql/reference-table.js';
import {
  readChanges,
  readObjectCount,
  readState,
  readStateOfAccount,
  writeChanges,
} from './changes.js';
import type { Connection } from './connection.js';
import { sqlite } from './dialect.js';
import {
  DECODERS,
  destroyObjects,
  readExisting,
  readFirstObjects,
  readObjects,
  writeObjects,
} from './objects.js';
import { readPage } from './page.js';
import type { Reader } from './reader.js';
import { walks } from './references.js';

/** What SQLite reads its own way, in whatever thread. */
export const reading: ReadingEngine<Reader> = Object.freeze({
  dialect: sqlite,
  decoders: DECODERS,
  check: (reader) => reader.check(),
  query: (reader, fragment) => reader.query(fragment),
  objects: readObjects,
  firstObjects: readFirstObjects,
  existing: readExisting,
  state: readState,
  objectCount: readObjectCount,
  changes: readChanges,
  page: readPage,
  ...readReferenceTable(sqlite, walks),
  ...readBlobTables(sqlite),
} satisfies ReadingEngine<Reader>);

/** What SQLite does its own way. */
export const engine: WritingEngine<Connection> = Object.freeze({
  ...reading,
  state: readStateOfAccount,
  insert: (scope, type, objects) => writeObjects(scope, type, objects, 'insert'),
  update: (scope, type, objects) => writeObjects(scope, type, objects, 'update'),
  destroy: destroyObjects,
  writeChanges,
  ...writeReferenceTable(sqlite),
  ...writeBlobTables(sqlite),
} satisfies WritingEngine<Connection>);
