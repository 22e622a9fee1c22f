import type { PropertyKind } from '../../../src/capability/definition.js';
import { EVOLVED } from '../../../src/capability/evolution.js';
import { formatOf } from '../../../src/capability/formats/index.js';
import { shadowKind, sortColumn } from '../../../src/capability/shadow-transforms.js';
import { isStored } from '../../../src/capability/stored-properties.js';
import { UNKNOWN_COLUMN } from '../../../src/capability/unknown-properties.js';
import { columnName } from '../../../src/descriptor/model/column-names.js';
import type { ModelProperty, ModelShadow, ModelType } from '../../../src/descriptor/model.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import { ACCOUNT_COLUMN, type Column, type ColumnType, type Table } from './prisma-datamodel.js';

/** The Prisma type of the column that a property of each kind has. */
export const COLUMN_TYPES: Readonly<Record<PropertyKind, ColumnType>> = Object.freeze({
  string: 'String',
  boolean: 'Boolean',
  integer: 'BigInt',
  number: 'Float',
  // Milliseconds since the epoch: the same order and the same exactness on every database.
  date: 'BigInt',
  json: 'Json',
});

/** Returns the table of a data type: accountId, a column a property, then the shadow columns. */
export function dataTable(type: ModelType): Table {
  const idColumn = type.properties.find((property) => property.role === 'id')?.column ?? 'id';
  return Object.freeze({
    name: type.table,
    ...(type.name === type.table ? {} : { model: type.name }),
    description: type.description,
    columns: [
      { name: ACCOUNT_COLUMN, type: 'String' as const, nullable: false },
      ...type.properties.filter(isStored).map(propertyColumn),
      ...type.shadows.map(shadowColumn),
      ...(type.keepsUnknown === true ? [UNKNOWN] : []),
    ],
    key: [ACCOUNT_COLUMN, idColumn],
    indexes: orderedIndexes(type, idColumn),
  });
}

/** The column of the properties that a type keeps without declaring them. */
const UNKNOWN: Column = Object.freeze({
  name: UNKNOWN_COLUMN,
  type: columnType('json'),
  nullable: true,
  description: 'Properties that the type does not declare.',
});

/** Returns the type in which a property of this kind is stored. */
export function columnType(kind: PropertyKind): ColumnType {
  return COLUMN_TYPES[kind];
}

/** Returns the field of a property in Prisma, which tells names apart by letter case. */
function fieldOf({ name }: ModelProperty): string {
  return columnName(name, []);
}

function propertyColumn(property: ModelProperty): Column {
  const field = fieldOf(property);
  const fallback = columnDefault(property);
  return Object.freeze({
    name: property.column,
    ...(field === property.column ? {} : { field }),
    type: columnType(property.kind),
    ...(property.kind === 'date' ? { isTime: true } : {}),
    nullable: property.nullable || property.optional === true,
    description: property.description,
    ...(fallback === undefined ? {} : { default: fallback }),
  });
}

/** Returns the default of a column, for rows that a migration or the previous version adds. */
function columnDefault(property: ModelProperty): string | undefined {
  if (property.column === EVOLVED) return '0';
  // The migration puts the time of each object's creation in its place.
  if (property.defaultNow)
    return defaultText({ kind: property.kind, default: formatOf(property)?.numbered(0) ?? null });
  return property.default === undefined ? undefined : defaultText(property);
}

/**
 * Returns a shadow column. Its default says nothing about its value: it lets the column be added to
 * a table with rows, which the same migration then fills.
 */
function shadowColumn(shadow: ModelShadow): Column {
  const { column, optional, within } = shadow.property;
  const isPart = within !== undefined;
  const nullable = isPart || shadow.property.nullable || optional === true;
  const field = isPart ? column : fieldOf(shadow.property);
  const kind = shadowKind(shadow);
  return Object.freeze({
    name: shadow.column,
    ...(field === column ? {} : { field: `${field}${shadow.column.slice(column.length)}` }),
    type: COLUMN_TYPES[kind],
    nullable,
    ...(nullable ? {} : { default: kind === 'integer' ? '0' : '""' }),
  });
}

/**
 * Returns the columns of each ordered index, each list once. It begins with the account and ends
 * with the id, by which equal ones are in order. Unique properties have an ordinary index: the
 * engine judges a call's final state, in which two objects may have exchanged their values.
 */
function orderedIndexes(type: ModelType, idColumn: string): readonly (readonly string[])[] {
  const lists = [
    ...type.sorts.filter((sort) => sort.indexed).map((sort) => [sortColumn(sort)]),
    ...type.uniques.map(({ properties }) => properties.map(({ column }) => column)),
    ...type.indexes.map(({ columns }) => columns),
  ].filter(([first, ...others]) => first !== idColumn || others.length > 0);
  const distinct = new Map(lists.map((columns) => [columns.join('\n'), columns]));
  return [...distinct.values()].map((columns) => [
    ...[ACCOUNT_COLUMN, ...columns],
    ...(columns.includes(idColumn) ? [] : [idColumn]),
  ]);
}

/**
 * Returns the text of a column default; undefined where the value can't be one (null; text with
 * U+0000, which PostgreSQL can't keep).
 */
export function defaultText({
  kind,
  default: value = null,
}: Pick<ModelProperty, 'kind' | 'default'>): string | undefined {
  if (value === null) return undefined;
  switch (kind) {
    case 'string':
      return typeof value === 'string' ? prismaString(value) : undefined;
    case 'boolean':
      return String(value);
    case 'integer':
    case 'number':
      return writeDecimal(Number(value));
    case 'date':
      return writeDecimal(Date.parse(String(value)));
    case 'json':
      return jsonDefault(value);
  }
}

function prismaString(value: string): string | undefined {
  return value.includes('\u0000') ? undefined : JSON.stringify(value);
}

/** Returns a JSON default as an SQL literal: for SQLite, Prisma writes one without its quotes. */
function jsonDefault(value: JsonValue): string | undefined {
  const literal = JSON.stringify(value).replaceAll("'", "''");
  return literal.includes('\\u0000') ? undefined : `dbgenerated(${JSON.stringify(`'${literal}'`)})`;
}

/** Writes a number without an exponent, which Prisma's language lacks: 1e-7 is 0.0000001. */
function writeDecimal(value: number): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(String(value));
  if (match === null) return Object.is(value, -0) ? '0' : String(value);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? `${sign}${digits.padEnd(point, '0')}`
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
