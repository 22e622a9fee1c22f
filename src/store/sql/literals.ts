import type { JsonValue } from '../../protocol/json.js';

/** Values in SQL text. They come from descriptors: a client's values are parameters. */

/** Returns a text, a number or a Boolean as SQL has it. */
export function literal(value: JsonValue): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}

/** Joins the conditions for values and for null, of which there may be either. */
export function orNull(
  values: readonly JsonValue[],
  isOneOf: (given: readonly JsonValue[]) => string,
  isNull: () => string,
): string {
  const given = values.filter((value) => value !== null);
  const parts = [
    ...(given.length === 0 ? [] : [isOneOf(given)]),
    ...(given.length === values.length ? [] : [isNull()]),
  ];
  return parts.length === 0 ? 'FALSE' : parts.join(' OR ');
}
