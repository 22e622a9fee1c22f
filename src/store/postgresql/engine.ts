import type { StoredObject } from '../port.js';
import type { WritingEngine } from '../sql/engine.js';
import { encodeRows } from '../sql/rows.js';
import {
  changeReferences as changeBlobReferences,
  insertBlobs,
  readBlobs,
  readOwnBlobs,
  readReferences,
} from './blobs.js';
import { readChanges, readObjectCount, readState, writeChanges } from './changes.js';
import type { Connection } from './connection.js';
import { postgresql } from './dialect.js';
import {
  DECODERS,
  readChangedObjects,
  readExisting,
  readFirstObjects,
  readObjects,
  readPage,
  writerOf,
} from './objects.js';
import {
  changeObjectReferences,
  readAncestors,
  readOwnReferences,
  readReferrers,
} from './references.js';

/** What PostgreSQL does its own way. */
export const engine: WritingEngine<Connection> = Object.freeze({
  dialect: postgresql,
  decoders: DECODERS,
  check: (connection) => connection.checkDeadline(),
  query: (connection, fragment) => connection.query(fragment),
  objects: readObjects,
  firstObjects: readFirstObjects,
  existing: readExisting,
  state: readState,
  objectCount: readObjectCount,
  changes: readChanges,
  page: readPage,
  changedObjects: readChangedObjects,
  referrers: readReferrers,
  ancestors: readAncestors,
  ownReferences: readOwnReferences,
  blobs: readBlobs,
  blobReferences: readReferences,
  ownBlobs: readOwnBlobs,
  insert: ({ connection, accountId }, type, objects) => {
    connection.ahead?.forget(type.table, objects.map(idOf));
    return connection.write(writerOf(type).insert, accountId, encodeRows(type, objects));
  },
  update: ({ connection, accountId }, type, objects) => {
    connection.ahead?.forget(type.table, objects.map(idOf));
    return connection.write(writerOf(type).update, accountId, encodeRows(type, objects));
  },
  destroy: ({ connection, accountId }, type, ids) => {
    connection.ahead?.forget(type.table, ids);
    return connection.write(writerOf(type).destroy, accountId, ids);
  },
  writeChanges,
  insertBlobs,
  changeReferences: changeObjectReferences,
  changeBlobReferences,
} satisfies WritingEngine<Connection>);

function idOf({ id }: StoredObject): string {
  return id;
}
