import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { shadowKind } from '../../capability/shadow-transforms.js';
import { isStored } from '../../capability/stored-properties.js';
import { COLUMN_TYPES } from '../../database/postgresql/column-types.js';
import { formatUtcDate } from '../../protocol/dates.js';
import { parseJson } from '../../protocol/ijson.js';
import { deriveOnce } from '../../runtime/derive-once.js';
import type { FirstObjects, QueryPage, StoredObject } from '../port.js';
import type { ObjectScope, ObjectsRead, PageRead, Scope } from '../sql/engine-port.js';
import { quote, raw } from '../sql/fragment.js';
import {
  collector,
  type Decoders,
  gatherer,
  type ObjectColumns,
  objectColumns,
  writeColumns,
} from '../sql/row-codec.js';
import { readState } from './change-records.js';
import type { Connection } from './connection.js';
import { prepared, recurring } from './statement.js';

/** The statements that read and write a type's rows. */

/** Reads objects with certain properties. */
interface ObjectReader extends ObjectColumns {
  readonly many: string;
  /** The same with further ids, of which large rows are left out. */
  readonly ahead: string;
  readonly first: string;
}

/** Octets of a row that is read ahead, at most: what all keep is bounded. */
const LARGEST = 16_384;

const NOTHING: readonly PropertyDefinition[] = Object.freeze([]);

/** The one of each type that was asked for last: all that a type shows is always the same list. */
const latest = new WeakMap<
  DataTypeDefinition,
  { readonly properties: readonly PropertyDefinition[]; readonly reader: ObjectReader }
>();

function readerOf(
  type: DataTypeDefinition,
  properties: readonly PropertyDefinition[],
): ObjectReader {
  const known = latest.get(type);
  if (known?.properties === properties) return known.reader;
  const reader = composeReader(type, properties);
  latest.set(type, { properties, reader });
  return reader;
}

function composeReader(
  type: DataTypeDefinition,
  wanted: readonly PropertyDefinition[],
): ObjectReader {
  const properties = wanted.filter(isStored);
  const columns = objectColumns(type, properties, DECODERS);
  const octets = properties
    .filter(({ kind }) => kind === 'string' || kind === 'json')
    .map(octetsOf);
  const select = `SELECT ${columns.list} FROM ${quote(type.table)} WHERE "accountId" = $1`;
  return {
    ...columns,
    many: `${select} AND "id" = ANY($2::text[])`,
    ahead: `${select} AND ("id" = ANY($2::text[]) OR "id" = ANY($3::text[]) AND
 ${['0', ...octets].join(' + ')} <= ${LARGEST})`,
    first: `${select} AND "id" > $2 ORDER BY "id" LIMIT $3`,
  };
}

/**
 * Returns the octets of a value; those of one that is long even when it is compressed are not
 * counted.
 */
function octetsOf({ column, kind }: PropertyDefinition): string {
  const name = quote(column);
  if (kind === 'string') return `coalesce(octet_length(${name}), 0)`;
  const large = `pg_column_size(${name}) > ${LARGEST}`;
  return `CASE WHEN ${large} THEN ${LARGEST + 1} ELSE coalesce(octet_length(${name}::text), 0) END`;
}

export const DECODERS: Decoders = {
  string: (value) => value as string,
  boolean: (value) => value as boolean,
  integer: (value) => value as number,
  number: (value) => value as number,
  date: (value) => formatUtcDate(value as number),
  json: (value) => parseJson(value as string),
};

/** Reads the objects of `ids` that exist, in one statement. */
export async function readObjects(
  { connection, accountId, slices }: ObjectScope<Connection>,
  { type, properties, maxOctets }: ObjectsRead,
  ids: readonly string[],
): Promise<readonly StoredObject[]> {
  const reader = readerOf(type, properties);
  const { take, objects } = collector(reader, maxOctets, slices);
  const { ahead } = connection;
  // Works expect whole rows.
  if (ahead === undefined || properties !== type.properties)
    await connection.each(prepared(reader.many, [accountId, ids]), take);
  else
    await ahead.read(type.table, ids, take, (own, more, each) =>
      connection.each(
        more.length === 0
          ? prepared(reader.many, [accountId, own])
          : prepared(reader.ahead, [accountId, own, more]),
        each,
      ),
    );
  return objects();
}

/** Reads the first objects of the account in one statement. */
export async function readFirstObjects(
  { connection, accountId, slices }: ObjectScope<Connection>,
  { type, properties, maxOctets }: ObjectsRead,
  { first, after = '' }: FirstObjects,
): Promise<readonly StoredObject[]> {
  const reader = readerOf(type, properties);
  const { take, objects } = collector(reader, maxOctets, slices);
  await connection.each(prepared(reader.first, [accountId, after, first]), take);
  return objects();
}

/** Reads by two statements, asked together. */
export async function readPage(
  scope: Scope<Connection>,
  { type, compose, selection }: PageRead,
): Promise<QueryPage> {
  const reader = readerOf(type, selection?.properties ?? NOTHING);
  const gathered = gatherer(reader, selection?.maxOctets ?? 0);
  const [number] = await Promise.all([
    readState(scope, type.table),
    scope.connection.each(recurring(compose(raw(reader.list))), gathered.take),
  ]);
  return { number, ids: gathered.ids, found: selection && gathered.found() };
}

/** The statements that write whole rows. */
export interface ObjectWriter {
  readonly insert: string;
  /** Takes rows that exist, in the same form as `insert`. */
  readonly update: string;
  readonly destroy: string;
}

export const writerOf = deriveOnce((type: DataTypeDefinition): ObjectWriter => {
  const table = quote(type.table);
  const types = new Map([
    ...type.properties.map(({ column, kind }) => [column, COLUMN_TYPES[kind]] as const),
    ...type.shadows.map((shadow) => [shadow.column, COLUMN_TYPES[shadowKind(shadow)]] as const),
  ]);
  const names = writeColumns(type).map(({ column }) => column);
  const columns = names.map(quote);
  const values = names.map((name, index) => `(value ->> ${index})::${types.get(name) ?? 'text'}`);
  const insert = `INSERT INTO ${table} ("accountId", ${columns.join(', ')})
 SELECT $1::text, ${values.join(', ')} FROM jsonb_array_elements($2::jsonb)`;
  const changed = columns
    .filter((column) => column !== quote('id'))
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');
  return Object.freeze({
    insert,
    update: `${insert} ON CONFLICT ("accountId", "id") DO UPDATE SET ${changed}`,
    destroy: `DELETE FROM ${table} WHERE "accountId" = $1 AND "id" = ANY($2::text[])`,
  });
});
