import type { PropertyKind } from '../../capability/definition.js';

/** The type of a column, by the kind of its property. */
export const COLUMN_TYPES: Readonly<Record<PropertyKind, string>> = Object.freeze({
  string: 'text',
  boolean: 'boolean',
  integer: 'bigint',
  number: 'double precision',
  date: 'bigint',
  json: 'jsonb',
});
