import type { RowsWritten, StoredObject } from '../port.js';
import type { ObjectScope, WritingEngine } from '../sql/engine-port.js';
import { encodeRows, type RowsToWrite } from '../sql/row-codec.js';
import { tableTexts } from '../sql/table-texts.js';
import { readState, writeChanges, writeRecords } from './change-records.js';
import type { Connection } from './connection.js';
import { postgresql } from './dialect.js';
import { DECODERS, readFirstObjects, readObjects, readPage, writerOf } from './objects.js';
import { walks } from './references.js';

/** Characters of rows that take more than a moment to send. */
const LARGE = 1_000_000;

/** The operations that PostgreSQL does in its own way. */
export const engine: WritingEngine<Connection> = Object.freeze({
  dialect: postgresql,
  decoders: DECODERS,
  texts: tableTexts(postgresql, walks),
  objects: readObjects,
  firstObjects: readFirstObjects,
  state: readState,
  page: readPage,
  writeRows,
  destroy: ({ connection, accountId }, type, ids) => {
    connection.ahead?.forget(type.table, ids);
    return connection.write(writerOf(type).destroy, accountId, ids);
  },
  writeChanges,
  writeRecords,
} satisfies WritingEngine<Connection>);

async function writeRows(
  { connection, accountId, slices }: ObjectScope<Connection>,
  how: RowsWritten,
  rows: RowsToWrite,
): Promise<void> {
  const { type, objects } = rows;
  const text = encodeRows(rows);
  // To send much takes as long as to write it: others have the event loop in between.
  if (text.length > LARGE) await slices()?.next();
  connection.ahead?.forget(type.table, objects.map(idOf));
  return connection.write(writerOf(type)[how], accountId, text);
}

function idOf({ id }: StoredObject): string {
  return id;
}
