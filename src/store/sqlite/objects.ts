import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { formatUtcDate } from '../../protocol/dates.js';
import type { JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../port.js';
import type { Answer, Scope } from '../sql/engine.js';
import { quote } from '../sql/fragment.js';
import {
  collector,
  type Decoders,
  type ObjectColumns,
  objectColumns,
  type Row,
} from '../sql/objects.js';
import { writeColumns } from '../sql/rows.js';
import { after, type Reader } from './reader.js';

/**
 * The statements that read and write a type's rows, composed once per type and set of properties.
 */

/** Distinct sets of properties kept per type: clients choose them. */
const READERS_LIMIT = 200;

/** Reads objects with certain properties. */
export interface ObjectReader extends ObjectColumns {
  readonly one: string;
  readonly many: string;
  readonly first: string;
}

const readers = new WeakMap<DataTypeDefinition, Map<string, ObjectReader>>();
/** The one of each type that was asked for last: all that a type shows is always the same list. */
const latest = new WeakMap<
  DataTypeDefinition,
  { readonly properties: readonly PropertyDefinition[]; readonly reader: ObjectReader }
>();

export function readerOf(
  type: DataTypeDefinition,
  properties: readonly PropertyDefinition[],
): ObjectReader {
  const known = latest.get(type);
  if (known?.properties === properties) return known.reader;
  const reader = readerByNames(type, properties);
  latest.set(type, { properties, reader });
  return reader;
}

function readerByNames(
  type: DataTypeDefinition,
  properties: readonly PropertyDefinition[],
): ObjectReader {
  let ofType = readers.get(type);
  if (ofType === undefined) {
    ofType = new Map();
    readers.set(type, ofType);
  }
  let key = '';
  for (const property of properties) key += `${property.name} `;
  let reader = ofType.get(key);
  if (reader === undefined) {
    if (ofType.size >= READERS_LIMIT) ofType.clear();
    reader = composeReader(type, properties);
    ofType.set(key, reader);
  }
  return reader;
}

function composeReader(
  type: DataTypeDefinition,
  properties: readonly PropertyDefinition[],
): ObjectReader {
  const columns = objectColumns(properties, DECODERS);
  const select = `SELECT ${columns.list} FROM ${quote(type.table)} WHERE "accountId" = ?`;
  return {
    ...columns,
    one: `${select} AND "id" = ?`,
    many: `${select} AND "id" IN (SELECT value FROM json_each(?))`,
    first: `${select} ORDER BY "id" LIMIT ?`,
  };
}

export const DECODERS: Decoders = {
  string: (value) => value as string,
  boolean: (value) => value !== 0,
  integer: (value) => value as number,
  number: (value) => value as number,
  date: (value) => formatUtcDate(value as number),
  // The column's affinity is NUMERIC (Prisma declares it JSONB), so a bare number may come back as
  // one.
  json: (value) =>
    typeof value === 'string' ? (JSON.parse(value) as JsonValue) : (value as number),
};

/** One statement. */
export function readObjects(
  scope: Scope<Reader>,
  type: DataTypeDefinition,
  ids: readonly string[],
  properties: readonly PropertyDefinition[],
  maxOctets: number,
): Answer<readonly StoredObject[]> {
  const reader = readerOf(type, properties);
  const [first = '', second] = ids;
  return second === undefined
    ? readOne(scope, reader, first, maxOctets)
    : read(scope, reader, reader.many, JSON.stringify(ids), maxOctets);
}

/** One statement. */
export function readFirstObjects(
  scope: Scope<Reader>,
  type: DataTypeDefinition,
  limit: number,
  properties: readonly PropertyDefinition[],
  maxOctets: number,
): Answer<readonly StoredObject[]> {
  const reader = readerOf(type, properties);
  return read(scope, reader, reader.first, limit, maxOctets);
}

/** One statement: rows `[id]`. */
export function readExisting(
  { connection, accountId }: Scope<Reader>,
  type: DataTypeDefinition,
  ids: readonly string[],
): Answer<readonly Row[]> {
  return connection.all(readerOf(type, []).many, accountId, JSON.stringify(ids));
}

/** A single row has been in memory as a whole when it was written: nothing need stop in between. */
function readOne(
  { connection, accountId }: Scope<Reader>,
  reader: ObjectReader,
  id: string,
  maxOctets: number,
): Answer<readonly StoredObject[]> {
  const { objects, take } = collector(reader, maxOctets);
  return after(connection.all(reader.one, accountId, id), (rows) => {
    for (const row of rows) take(row);
    return objects;
  });
}

function read(
  { connection, accountId }: Scope<Reader>,
  reader: ObjectReader,
  statement: string,
  which: string | number,
  maxOctets: number,
): Answer<readonly StoredObject[]> {
  const { objects, take } = collector(reader, maxOctets);
  return after(connection.each(statement, [accountId, which], take, maxOctets), () => objects);
}

/** The statements that write whole rows. */
export interface ObjectWriter {
  readonly insert: string;
  /** Takes rows that exist, in the same form as `insert`. */
  readonly update: string;
  readonly destroy: string;
}

const writers = new WeakMap<DataTypeDefinition, ObjectWriter>();

export function writerOf(type: DataTypeDefinition): ObjectWriter {
  const cached = writers.get(type);
  if (cached !== undefined) return cached;
  const table = quote(type.table);
  const columns = writeColumns(type).map(({ column }) => quote(column));
  // jsonb: a row of json_each is text, which every column would parse anew.
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const insert = `INSERT INTO ${table} ("accountId", ${columns.join(', ')})
 SELECT ?, ${values} FROM jsonb_each(?) WHERE TRUE`;
  const changed = columns
    .filter((column) => column !== quote('id'))
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');
  const writer = Object.freeze({
    insert,
    update: `${insert} ON CONFLICT ("accountId", "id") DO UPDATE SET ${changed}`,
    destroy: `DELETE FROM ${table} WHERE "accountId" = ?
 AND "id" IN (SELECT value FROM json_each(?))`,
  });
  writers.set(type, writer);
  return writer;
}
