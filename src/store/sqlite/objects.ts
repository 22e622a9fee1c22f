import type {
  DataTypeDefinition,
  PropertyDefinition,
  PropertyKind,
} from '../../capability/definition.js';
import { formatUtcDate } from '../../protocol/dates.js';
import { MethodError } from '../../protocol/errors.js';
import type { JsonValue } from '../../protocol/json.js';
import type { StoredObject } from '../port.js';
import { quote } from '../sql/fragment.js';
import { writeColumns } from '../sql/rows.js';
import type { Connection, Parameter, Row } from './connection.js';

/**
 * The statements that read and write a type's rows, composed once per type and set of properties.
 */

/** Distinct sets of properties kept per type: clients choose them. */
const READERS_LIMIT = 200;

/** Reads objects with certain properties. */
export interface ObjectReader {
  readonly one: string;
  readonly many: string;
  readonly first: string;
  readonly decode: (row: Row) => StoredObject;
  /** About how many octets of JSON a row makes. */
  readonly octets: (row: Row) => number;
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
  const rest = properties.filter((property) => property.role !== 'id');
  const names = rest.map((property) => property.name);
  const decoders = rest.map((property) => DECODERS[property.kind]);
  const columns = ['id', ...rest.map((property) => property.column)].map(quote).join(', ');
  const select = `SELECT ${columns} FROM ${quote(type.table)} WHERE "accountId" = ?`;
  // Quotes, colons and commas around each name and value.
  const overhead = 10 + names.reduce((sum, name) => sum + name.length + 6, 0);
  return {
    one: `${select} AND "id" = ?`,
    many: `${select} AND "id" IN (SELECT value FROM json_each(?))`,
    first: `${select} ORDER BY "id" LIMIT ?`,
    decode: (row) => {
      const object: { id: string; [name: string]: JsonValue } = { id: row[0] as string };
      for (let index = 0; index < names.length; index += 1) {
        const decode = decoders[index] as Decoder;
        const value = row[index + 1];
        object[names[index] as string] = value === null ? null : decode(value);
      }
      return object;
    },
    octets: (row) => {
      let sum = overhead;
      for (const value of row) sum += typeof value === 'string' ? value.length : 8;
      return sum;
    },
  };
}

type Decoder = (value: unknown) => JsonValue;

export const DECODERS: Readonly<Record<PropertyKind, Decoder>> = {
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

/**
 * Reads objects by one statement, and stops with `requestTooLarge` when they are more than
 * `maxOctets`: before that much memory is taken.
 */
export function readObjects(
  connection: Connection,
  reader: ObjectReader,
  statement: string,
  parameters: readonly Parameter[],
  maxOctets: number,
): readonly StoredObject[] {
  const objects: StoredObject[] = [];
  let octets = 0;
  connection.each(statement, parameters, (row) => {
    octets += reader.octets(row);
    if (octets > maxOctets) {
      throw new MethodError('requestTooLarge', 'The objects are larger than one call may handle.');
    }
    objects.push(reader.decode(row));
  });
  return objects;
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
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const insert = `INSERT INTO ${table} ("accountId", ${columns.join(', ')})
 SELECT ?, ${values} FROM json_each(?) WHERE TRUE`;
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
