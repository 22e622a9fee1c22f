import type { ReadingEngine, WritingEngine } from '../sql/engine-port.js';
import { tableTexts } from '../sql/table-texts.js';
import type { Connection } from './connection.js';
import { sqlite, walks } from './dialect.js';
import { DECODERS, readFirstObjects, readObjects, readPage, readState } from './objects.js';
import type { Reader } from './reader.js';
import {
  destroyObjects,
  readStateOfLivingAccount,
  writeChanges,
  writeRecords,
  writeRows,
} from './writes.js';

/** The reads that SQLite does in its own way, in any thread. */
export const reading: ReadingEngine<Reader> = Object.freeze({
  dialect: sqlite,
  decoders: DECODERS,
  texts: tableTexts(sqlite, walks),
  objects: readObjects,
  firstObjects: readFirstObjects,
  state: readState,
  page: readPage,
} satisfies ReadingEngine<Reader>);

/** The operations that SQLite does in its own way. */
export const writing: WritingEngine<Connection> = Object.freeze({
  ...reading,
  state: readStateOfLivingAccount,
  writeRows,
  destroy: destroyObjects,
  writeChanges,
  writeRecords,
} satisfies WritingEngine<Connection>);
