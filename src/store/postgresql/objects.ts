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
import { COLUMN_TYPES } from './dialect.js';

/** The statements that read and write a type's rows. */

/** Reads objects with certain properties. */
export interface ObjectReader {
  readonly many: string;
  readonly first: string;
  readonly decode: (row: Row) => StoredObject;
  /** About how many octets of JSON a row makes. */
  readonly octets: (row: Row) => number;
}

export function readerOf(
  type: DataTypeDefinition,
  properties: readonly PropertyDefinition[],
): ObjectReader {
  const rest = properties.filter((property) => property.role !== 'id');
  const members = rest.map(({ name, kind }) => ({ name, decode: DECODERS[kind] }));
  const columns = ['id', ...rest.map((property) => property.column)].map(quote).join(', ');
  const select = `SELECT ${columns} FROM ${quote(type.table)} WHERE "accountId" = $1`;
  // Quotes, colons and commas around each name and value.
  const overhead = 10 + members.reduce((sum, { name }) => sum + name.length + 6, 0);
  return {
    many: `${select} AND "id" = ANY($2::text[])`,
    first: `${select} ORDER BY "id" LIMIT $2`,
    decode: (row) => {
      const object: { id: string; [name: string]: JsonValue } = { id: row[0] as string };
      members.forEach(({ name, decode }, index) => {
        const value = row[index + 1];
        object[name] = value === null ? null : decode(value);
      });
      return object;
    },
    octets: (row) =>
      row.reduce<number>(
        (sum, value) => sum + (typeof value === 'string' ? value.length : 8),
        overhead,
      ),
  };
}

export const DECODERS: Readonly<Record<PropertyKind, (value: unknown) => JsonValue>> = {
  string: (value) => value as string,
  boolean: (value) => value as boolean,
  integer: (value) => value as number,
  number: (value) => value as number,
  date: (value) => formatUtcDate(value as number),
  json: (value) => JSON.parse(value as string) as JsonValue,
};

/**
 * Reads objects by one statement; `requestTooLarge` when they are more than `maxOctets`, of which no
 * more are kept.
 */
export async function readObjects(
  connection: Connection,
  reader: ObjectReader,
  statement: string,
  parameters: readonly Parameter[],
  maxOctets: number,
): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = [];
  let octets = 0;
  await connection.each(statement, parameters, (row) => {
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
  const types = new Map([
    ...type.properties.map(({ column, kind }) => [column, COLUMN_TYPES[kind]] as const),
    ...type.shadows.map(
      ({ column, transform }) => [column, transform === 'instant' ? 'bigint' : 'text'] as const,
    ),
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
  const writer = Object.freeze({
    insert,
    update: `${insert} ON CONFLICT ("accountId", "id") DO UPDATE SET ${changed}`,
    destroy: `DELETE FROM ${table} WHERE "accountId" = $1 AND "id" = ANY($2::text[])`,
  });
  writers.set(type, writer);
  return writer;
}
