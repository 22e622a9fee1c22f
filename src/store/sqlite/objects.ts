import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { formatUtcDate } from '../../protocol/dates.js';
import type { JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../port.js';
import type { ObjectScope, ObjectsRead, Scope } from '../sql/engine.js';
import { quote } from '../sql/fragment.js';
import {
  type Collector,
  collector,
  type Decoders,
  type ObjectColumns,
  objectColumns,
} from '../sql/objects.js';
import { encodeRows, writeColumns } from '../sql/rows.js';
import type { Connection } from './connection.js';
import { BOUND, type Parameter, type Reader } from './reader.js';

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

export function readerOf(
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
    first: `${select} ORDER BY "id" LIMIT ${BOUND}`,
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
export async function readObjects(
  scope: ObjectScope<Reader>,
  { type, properties, maxOctets }: ObjectsRead,
  ids: readonly string[],
): Promise<readonly StoredObject[]> {
  const reader = readerOf(type, properties);
  const [first = '', second] = ids;
  return second === undefined
    ? readOne(scope, reader, first, maxOctets)
    : collect(scope, collector(reader, maxOctets, scope.slices), reader.many, JSON.stringify(ids));
}

/** One statement. */
export async function readFirstObjects(
  scope: ObjectScope<Reader>,
  { type, properties, maxOctets }: ObjectsRead,
  limit: number,
): Promise<readonly StoredObject[]> {
  const reader = readerOf(type, properties);
  return collect(scope, collector(reader, maxOctets, scope.slices), reader.first, limit);
}

/** A single row has been in memory as a whole when it was written: nothing need stop in between. */
async function readOne(
  { connection, accountId, slices }: ObjectScope<Reader>,
  reader: ObjectReader,
  id: string,
  maxOctets: number,
): Promise<readonly StoredObject[]> {
  const collected = collector(reader, maxOctets, slices);
  for (const row of await connection.all(reader.one, accountId, id)) collected.take(row);
  return collected.objects();
}

async function collect(
  { connection, accountId }: ObjectScope<Reader>,
  collected: Collector,
  statement: string,
  which: string | number,
): Promise<readonly StoredObject[]> {
  await connection.each(statement, [accountId, which], collected);
  return collected.objects();
}

/**
 * Rows that are written as parameters, at most; more are one JSON text. To make that text and take
 * it apart again costs as much as half of the insert. Each number of rows needs a statement of its
 * own, so there are three, and rows without an id are left out.
 */
const ROWS = [1, 10, 100];
/** Parameters of such a statement: what is prepared has a piece of program for each. */
const MAX_PARAMETERS = 1500;

/** A statement that writes rows; "insert" takes new ones, "update" in the same form those that exist. */
interface RowStatement {
  readonly insert: string;
  readonly update: string;
}

/** The statements that write whole rows. */
interface ObjectWriter {
  /** As a JSON array. */
  readonly json: RowStatement;
  /** As parameters: up to so many rows, the fewest first. */
  readonly rows: readonly (RowStatement & { readonly size: number })[];
  readonly destroy: string;
}

const writers = new WeakMap<DataTypeDefinition, ObjectWriter>();

function writerOf(type: DataTypeDefinition): ObjectWriter {
  const cached = writers.get(type);
  if (cached !== undefined) return cached;
  const table = quote(type.table);
  const columns = writeColumns(type).map(({ column }) => quote(column));
  // jsonb: a row of json_each is text, which every column would parse anew.
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const into = `INSERT INTO ${table} ("accountId", ${columns.join(', ')})`;
  const changed = columns
    .filter((column) => column !== quote('id'))
    .map((column) => `${column} = excluded.${column}`);
  const marks = columns.map(() => '?').join(', ');
  const id = `column${1 + columns.indexOf(quote('id'))}`;
  const statement = (rows: string): RowStatement => {
    const insert = `${into} SELECT ?, ${rows}`;
    const over = `ON CONFLICT ("accountId", "id") DO UPDATE SET ${changed.join(', ')}`;
    return { insert, update: `${insert} ${over}` };
  };
  const most = Math.max(1, Math.floor(MAX_PARAMETERS / columns.length));
  const sizes = new Set(ROWS.map((size) => Math.min(size, most)));
  const writer = Object.freeze({
    json: statement(`${values} FROM jsonb_each(?) WHERE TRUE`),
    rows: [...sizes].map((size) => {
      const list = Array.from({ length: size }, () => `(${marks})`).join(', ');
      return { size, ...statement(`* FROM (VALUES ${list}) WHERE ${id} IS NOT NULL`) };
    }),
    destroy: `DELETE FROM ${table} WHERE "accountId" = ?
 AND "id" IN (SELECT value FROM json_each(?))`,
  });
  writers.set(type, writer);
  return writer;
}

/** One statement: inserts rows, or updates those that exist. */
export async function writeObjects(
  { connection, accountId }: Scope<Connection>,
  type: DataTypeDefinition,
  objects: readonly StoredObject[],
  how: keyof RowStatement,
): Promise<void> {
  const { json, rows } = writerOf(type);
  const statement = rows.find(({ size }) => size >= objects.length);
  if (statement === undefined) {
    connection.run(json[how], [accountId, encodeRows(type, objects)]);
    return;
  }
  const columns = writeColumns(type);
  // Of its final size: a list of hundreds that grows is copied again and again.
  const parameters = new Array<Parameter>(statement.size * columns.length + 1).fill(null);
  parameters[0] = accountId;
  let at = 1;
  for (const object of objects) {
    for (const { encode } of columns) {
      parameters[at] = parameterOf(encode(object));
      at += 1;
    }
  }
  connection.run(statement[how], parameters);
}

/** As JSON would have it: Booleans are numbers to SQLite, and there is no -0 (D4). */
function parameterOf(value: JsonValue): Parameter {
  if (typeof value === 'number') return value + 0;
  if (typeof value === 'boolean') return Number(value);
  return value as string | null;
}

/** One statement. */
export async function destroyObjects(
  { connection, accountId }: Scope<Connection>,
  type: DataTypeDefinition,
  ids: readonly string[],
): Promise<void> {
  connection.run(writerOf(type).destroy, [accountId, JSON.stringify(ids)]);
}
