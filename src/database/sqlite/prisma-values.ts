import {
  type ArgType,
  type ColumnType,
  ColumnTypeEnum,
  DriverAdapterError,
  type MappedError,
  type SqlQuery,
  type SqlResultSet,
} from '@prisma/driver-adapter-utils';
import type { Database } from 'better-sqlite3';
import { resultCode } from './driver-errors.js';

/** Runs Prisma's statements on a connection, with Prisma's values, column types and errors. */

/** Prisma's types of the declared types of columns. DATETIME is in Prisma's own table alone. */
const COLUMN_TYPES: Readonly<Record<string, ColumnType>> = Object.freeze({
  TEXT: ColumnTypeEnum.Text,
  INTEGER: ColumnTypeEnum.Int32,
  BIGINT: ColumnTypeEnum.Int64,
  REAL: ColumnTypeEnum.Double,
  BOOLEAN: ColumnTypeEnum.Boolean,
  JSONB: ColumnTypeEnum.Json,
  BLOB: ColumnTypeEnum.Bytes,
  DATETIME: ColumnTypeEnum.DateTime,
});

/** Runs a statement and returns the number of rows that it changed. */
export function executePrisma(db: Database, query: SqlQuery): number {
  return withPrismaErrors(() => db.prepare(query.sql).run(parametersOf(query)).changes);
}

/** Runs a statement and returns its rows. One that writes without RETURNING has none. */
export function queryPrisma(db: Database, query: SqlQuery): SqlResultSet {
  return withPrismaErrors(() => {
    const statement = db.prepare(query.sql);
    const parameters = parametersOf(query);
    if (!statement.reader) {
      statement.run(parameters);
      return { columnNames: [], columnTypes: [], rows: [] };
    }
    const columns = statement.columns();
    const rows = statement.safeIntegers(true).raw().all(parameters) as unknown[][];
    const columnTypes = columns.map(
      ({ type }, index) => COLUMN_TYPES[type?.toUpperCase() ?? ''] ?? typeOfValues(rows, index),
    );
    for (const row of rows)
      for (const [index, type] of columnTypes.entries()) row[index] = resultOf(row[index], type);
    return { columnNames: columns.map(({ name }) => name), columnTypes, rows };
  });
}

/** Runs several statements. */
export function executePrismaScript(db: Database, script: string): void {
  withPrismaErrors(() => db.exec(script));
}

function parametersOf({ args, argTypes }: SqlQuery): readonly unknown[] {
  return args.map((value, index) => parameterOf(value, argTypes[index]));
}

/** Prisma passes large integers, numbers, times and octets as texts. */
function parameterOf(value: unknown, type: ArgType | undefined): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return BigInt(value.getTime());
  if (typeof value !== 'string') return value;
  switch (type?.scalarType) {
    case 'bigint':
      return BigInt(value);
    case 'int':
    case 'float':
    case 'decimal':
      return Number(value);
    case 'datetime':
      // Times are integers, in milliseconds.
      return BigInt(new Date(value).getTime());
    case 'bytes':
      return Buffer.from(value, 'base64');
    default:
      return value;
  }
}

/** Returns the type of an expression, which has no declared one, by its first value. */
function typeOfValues(rows: readonly (readonly unknown[])[], index: number): ColumnType {
  const value = rows.find((row) => row[index] !== null)?.[index];
  switch (typeof value) {
    case 'string':
      return ColumnTypeEnum.Text;
    case 'bigint':
      return ColumnTypeEnum.Int64;
    case 'number':
      return ColumnTypeEnum.UnknownNumber;
    case 'object':
      return ColumnTypeEnum.Bytes;
    default:
      return ColumnTypeEnum.Int32;
  }
}

/** Prisma takes a large integer as a text. */
function resultOf(value: unknown, type: ColumnType): unknown {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (!isNumber) return value;
  if (type === ColumnTypeEnum.DateTime) return new Date(Number(value)).toISOString();
  if (typeof value === 'number') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function withPrismaErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = resultCode(error);
    if (code === undefined) throw error;
    const { message } = error as Error;
    throw new DriverAdapterError({
      originalCode: code,
      originalMessage: message,
      ...mapError(code, message),
    });
  }
}

function mapError(code: string, message: string): MappedError {
  // "UNIQUE constraint failed: Table.a, Table.b", "no such table: Table"
  const places = message.slice(message.indexOf(': ') + 2).split(', ');
  const [place = ''] = places;
  const fields = places.map((each) => each.slice(each.lastIndexOf('.') + 1));
  switch (code) {
    case 'SQLITE_CONSTRAINT_UNIQUE':
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
      return {
        kind: 'UniqueConstraintViolation',
        constraint: { fields },
        table: place.slice(0, place.lastIndexOf('.')),
      };
    case 'SQLITE_CONSTRAINT_NOTNULL':
      return { kind: 'NullConstraintViolation', constraint: { fields } };
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
    case 'SQLITE_CONSTRAINT_TRIGGER':
      return { kind: 'ForeignKeyConstraintViolation', constraint: { foreignKey: {} } };
    default:
      break;
  }
  if (code.startsWith('SQLITE_BUSY')) return { kind: 'SocketTimeout' };
  if (message.startsWith('no such table')) return { kind: 'TableDoesNotExist', table: place };
  if (message.startsWith('no such column')) return { kind: 'ColumnNotFound', column: place };
  const column = message.split(' has no column named ')[1];
  if (column !== undefined) return { kind: 'ColumnNotFound', column };
  // 1: SQLite's general error. The driver gives names of codes, Prisma wants a number.
  return { kind: 'sqlite', extendedCode: 1, message };
}
