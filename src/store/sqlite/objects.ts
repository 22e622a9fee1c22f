import type {
  DataTypeDefinition,
  PropertyDefinition,
  PropertyKind,
} from '../../capability/definition.js';
import { isStored } from '../../capability/stored-properties.js';
import { formatUtcDate } from '../../protocol/dates.js';
import { parseJson } from '../../protocol/ijson.js';
import type {
  ChangesRequest,
  FirstObjects,
  ObjectsRequest,
  QueryPage,
  StateAndChanges,
  StoredObject,
} from '../port.js';
import type { ObjectScope, ObjectsRead, PageRead, Scope } from '../sql/engine-port.js';
import { type Fragment, quote, raw, sql } from '../sql/fragment.js';
import { changesOf } from '../sql/records.js';
import {
  type Collector,
  collector,
  type Decoders,
  gatherer,
  type ObjectColumns,
  objectColumns,
  type Row,
  requireSmall,
} from '../sql/row-codec.js';
import type { Connection } from './connection.js';
import { BOUND, type Reader } from './reader.js';

/**
 * The statements that read a type's rows, composed once per type and set of properties.
 */

/** Distinct sets of properties kept per type: clients choose them. */
const READERS_LIMIT = 200;

/** Reads objects with certain properties. */
export interface ObjectReader extends ObjectColumns {
  readonly one: string;
  readonly many: string;
  readonly first: string;
  readonly withState: StateStatements;
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
  for (const property of properties) key += `${property.column} `;
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
  wanted: readonly PropertyDefinition[],
): ObjectReader {
  const properties = wanted.filter(isStored);
  const columns = objectColumns(type, properties, DECODERS);
  const select = `SELECT ${columns.list} FROM ${quote(type.table)} WHERE "accountId" = ?`;
  return {
    ...columns,
    one: `${select} AND "id" = ?`,
    many: `${select} AND "id" IN (SELECT value FROM json_each(?))`,
    first: `${select} AND "id" > ? ORDER BY "id" LIMIT ${BOUND}`,
    withState: composeWithState(type, columns, properties),
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
  json: (value) => (typeof value === 'string' ? parseJson(value) : (value as number)),
};

/** Reads the objects of `ids` that exist, in one statement. */
export async function readObjects(
  { connection, accountId, slices }: ObjectScope<Reader>,
  { type, properties, maxOctets }: ObjectsRead,
  ids: readonly string[],
): Promise<readonly StoredObject[]> {
  const reader = readerOf(type, properties);
  const collected = collector(reader, maxOctets, slices);
  const [first = '', second] = ids;
  if (second === undefined) {
    // A single row has been in memory as a whole when it was written: nothing need stop in between.
    for (const row of await connection.all(reader.one, accountId, first)) collected.take(row);
  } else {
    await connection.each(reader.many, [accountId, JSON.stringify(ids)], collected);
  }
  return collected.objects();
}

/** Reads the first objects of the account in one statement. */
export async function readFirstObjects(
  { connection, accountId, slices }: ObjectScope<Reader>,
  { type, properties, maxOctets }: ObjectsRead,
  { first, after = '' }: FirstObjects,
): Promise<readonly StoredObject[]> {
  const reader = readerOf(type, properties);
  const collected = collector(reader, maxOctets, slices);
  await connection.each(reader.first, [accountId, after, first], collected);
  return collected.objects();
}

/**
 * Statements that read a state and what belongs to it: each is one snapshot without a transaction.
 * Rows come as one JSON text, which takes two thirds of the time of the driver's own rows.
 */

/** The most objects in one text. Together with `MAX_ROW` it bounds the memory of the text. */
const MAX_OBJECTS = 1000;
/** Octets of text in a row that goes into such a text. */
const MAX_ROW = 8192;
/** SQLite's functions take at most 127 arguments (SQLITE_MAX_FUNCTION_ARG of older versions). */
const MAX_COLUMNS = 100;

/** Reads the state of an account and a table. */
const SELECT_STATE = `SELECT "number" FROM "JmapState" WHERE "accountId" = ? AND "type" = ?`;

const STATE = `(${SELECT_STATE})`;

/** A list for each column is made and parsed sooner than one for each record. */
const STATE_AND_CHANGES = `SELECT ${STATE}, json_group_array("number"),
 json_group_array("objectId"), json_group_array("kind"), json_group_array("at"),
 json_group_array("properties")
 FROM (SELECT "number", "objectId", "kind", "at", "properties"
 FROM "JmapChange" WHERE "accountId" = ? AND "type" = ? AND "number" > ?
 ORDER BY "number" LIMIT ${BOUND})`;

/**
 * Kinds whose values are the same in JSON. Doubles aren't, since SQLite writes 15 digits of them,
 * nor is JSON, which would be a text within the text.
 */
const IS_SAME_IN_JSON: Readonly<Record<PropertyKind, boolean>> = Object.freeze({
  string: true,
  boolean: true,
  integer: true,
  number: false,
  date: true,
  json: false,
});

/** A row that is too large for a text. */
interface LargeRow {
  readonly id: string;
  readonly octets: number;
}

/** A row in a text with others. */
type TextRow = Row | LargeRow;

interface StateStatements {
  readonly one: string;
  /** Null where it can't be had as one text. */
  readonly many: string | null;
  /** A row as the text of a JSON array, or what is told of a large one (TextRow). */
  readonly row: string | null;
}

function composeWithState(
  { table }: DataTypeDefinition,
  { columns }: ObjectColumns,
  properties: readonly PropertyDefinition[],
): StateStatements {
  const names = columns.map(quote);
  const list = names.map((column) => `"t".${column}`);
  const from = (ids: string): string =>
    `${quote(table)} AS "t" ON "t"."accountId" = ? AND "t"."id" = ${ids}`;
  const one = `SELECT "s"."number", ${list.join(', ')}
 FROM (SELECT ${STATE} AS "number") AS "s" LEFT JOIN ${from('?')}`;
  const isPlain = properties.every(({ kind }) => IS_SAME_IN_JSON[kind]);
  if (!isPlain || columns.length > MAX_COLUMNS) return { one, many: null, row: null };
  const texts = properties
    .filter(({ kind, role }) => kind === 'string' && role !== 'id')
    .map(({ column }) => quote(column));
  const bounded = (prefix = ''): string => {
    const row = `json_array(${names.map((column) => prefix + column).join(', ')})`;
    if (texts.length === 0) return row;
    const octets = texts.map((column) => `ifnull(octet_length(${prefix}${column}), 0)`).join(' + ');
    const large = `json_object('id', ${prefix}"id", 'octets', ${octets})`;
    return `CASE WHEN ${octets} > ${MAX_ROW} THEN ${large} ELSE ${row} END`;
  };
  const many = `SELECT ${STATE}, (SELECT json_group_array(${bounded('"t".')})
 FROM json_each(?) AS "j" CROSS JOIN ${from('"j"."value"')})`;
  return { one, many, row: bounded() };
}

/** Reads the state of a type in one statement. */
export async function readState(
  { connection, accountId }: Scope<Reader>,
  table: string,
): Promise<number> {
  const [row] = await connection.all(SELECT_STATE, accountId, table);
  return numberOf(row?.[0]);
}

/** Rows of objects, to be decoded on demand, and the state in which they were read. */
export interface StateAndRows {
  readonly number: number;
  readonly rows: Collector;
}

/**
 * Reads the state of a type and objects in one statement. Returns null for objects that only
 * `readObjects` can read. Throws LargeReadError if several are large together.
 */
export function readStateAndRows(
  { connection, accountId, slices }: ObjectScope<Connection>,
  { type, properties, maxOctets }: ObjectsRequest,
  ids: readonly string[],
): StateAndRows | null {
  const { table } = type;
  const { length } = ids;
  const reader = readerOf(type, properties);
  const { one, many } = reader.withState;
  const collected = collector(reader, maxOctets, slices);
  if (length === 0) {
    const [state] = connection.one(`SELECT ${STATE}`, accountId, table);
    return { number: numberOf(state), rows: collected };
  }
  if (length === 1) {
    const [state, ...row] = connection.one(one, accountId, table, accountId, ids[0] ?? '');
    if (row[0] !== null) collected.take(row);
    return { number: numberOf(state), rows: collected };
  }
  if (many === null || length > MAX_OBJECTS) return null;
  const list = JSON.stringify(ids);
  const [state, text] = connection.one(many, accountId, table, list, accountId);
  const rows = parseJson(text as string) as unknown as readonly TextRow[];
  if (!isWhole(rows)) {
    // Counts the rows left out of the text, in octets: a character may have several.
    requireSmall(rows.reduce((sum, row) => (isRow(row) ? sum : sum + row.octets), 0));
    return null;
  }
  for (const row of rows) collected.take(row);
  return { number: numberOf(state), rows: collected };
}

/** Reads the state of a type and the changes since another one, in one statement. */
export function readStateAndChanges(
  connection: Connection,
  { accountId, type, since, limit }: ChangesRequest,
): StateAndChanges {
  const { table } = type;
  const parameters = [accountId, table, since, limit];
  const [number, ...lists] = connection.one(STATE_AND_CHANGES, accountId, table, ...parameters);
  const [numbers = [], ids = [], kinds = [], times = [], columns = []] = lists.map(
    (list) => JSON.parse(list as string) as Row,
  );
  const rows = numbers.map((each, at) => [each, ids[at], kinds[at], times[at], columns[at]]);
  return { number: numberOf(number), records: changesOf(type, rows) };
}

/** Returns true where no row was too large for the text. */
function isWhole(rows: readonly TextRow[]): rows is readonly Row[] {
  return rows.every(isRow);
}

function isRow(row: TextRow): row is Row {
  return Array.isArray(row);
}

function idOf(row: TextRow): string {
  return isRow(row) ? (row[0] as string) : row.id;
}

/** Returns the number of a state: 0 before the first change. */
function numberOf(value: unknown): number {
  return (value as number | null) ?? 0;
}

/**
 * Reads a page of a query's result by one statement, with the state, and the objects if wanted. Ids
 * or rows come as one JSON text. SQLite makes a row's text where it finds the row: it makes none of
 * those that the page leaves out, whether it sorts or not.
 */
export async function readPage(
  { connection, accountId }: Scope<Reader>,
  { type, compose, limit, selection }: PageRead,
): Promise<QueryPage> {
  const reader = readerOf(type, selection?.properties ?? []);
  const text = selection !== null && limit <= MAX_OBJECTS ? reader.withState.row : null;
  const page = compose(raw(`${text ?? 'json_quote("id")'} AS "row"`));
  const [row] = await connection.query(withState(page, accountId, type.table));
  const number = numberOf(row?.[0]);
  const found = parseJson(`[${(row?.[1] as string | null) ?? ''}]`) as unknown;
  if (selection === null || text === null) {
    return { number, ids: found as readonly string[], found: null };
  }
  const rows = found as readonly TextRow[];
  if (!isWhole(rows)) return { number, ids: rows.map(idOf), found: null };
  const gathered = gatherer(reader, selection.maxOctets);
  for (const each of rows) gathered.take(each);
  return { number, ids: gathered.ids, found: gathered.found() };
}

/** Returns one row `[state, rows of the page]`. */
function withState(page: Fragment, accountId: string, table: string): Fragment {
  const rows = sql`(SELECT group_concat("row", ',') FROM (${page}))`;
  return sql`SELECT "number", ${rows}
 FROM (SELECT 1) LEFT JOIN "JmapState" ON "accountId" = ${accountId} AND "type" = ${table}`;
}
