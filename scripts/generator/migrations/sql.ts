/** Small tools for the SQL that the schema engine writes. */

import type { Provider } from '../emit/prisma-datamodel.js';

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

/** The present time in milliseconds since 1970, in SQL. */
export const NOW: Readonly<Record<Provider, string>> = Object.freeze({
  sqlite: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  postgresql: 'CAST(extract(epoch FROM now()) * 1000 AS BIGINT)',
});

/** Returns an SQL string literal. */
export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
