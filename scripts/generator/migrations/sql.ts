/** Small tools for the SQL that the schema engine writes. */

export { quote as quoted } from '../../../src/database/quote.js';

/**
 * Replaces what `pattern` (with flag g) finds outside SQL's string literals, in which a default may
 * hold anything.
 */
export function replaceOutsideStrings(
  sql: string,
  pattern: RegExp,
  replace: (match: string) => string,
): string {
  const either = new RegExp(`'(?:[^']|'')*'|${pattern.source}`, pattern.flags);
  return sql.replace(either, (match) => (match.startsWith("'") ? match : replace(match)));
}

/** Returns an SQL string literal. */
export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
