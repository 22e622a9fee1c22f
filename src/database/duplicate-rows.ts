import { MigrationError, type UniqueCheck } from './migrations.js';
import { quote } from './quote.js';

/** `[accountId, first id, last id, how many, ...values]` of values that collide. */
export type DuplicateRow = readonly unknown[];

/** How many the message names; one more is asked for, to say that there are more. */
const NAMED = 3;

/** Returns the query for duplicates. */
export function duplicatesSql(check: UniqueCheck): string {
  const { columns, condition } = duplicateKeys(check);
  return (
    `SELECT "accountId", min("id"), max("id"), CAST(count(*) AS TEXT), ${columns} ` +
    `FROM ${quote(check.table)} WHERE ${condition} GROUP BY "accountId", ${columns} ` +
    `HAVING count(*) > 1 ORDER BY "accountId", min("id") LIMIT ${NAMED + 1}`
  );
}

/**
 * Returns the columns that duplicates share, and the condition of rows that may be one. Null is
 * equal as when the engine judges a /set.
 */
export function duplicateKeys({ columns, nullsEqual }: UniqueCheck): {
  readonly columns: string;
  readonly condition: string;
} {
  const names = columns.map(quote);
  const condition =
    nullsEqual === true ? 'TRUE' : names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  return { columns: names.join(', '), condition };
}

/** Throws MigrationError where there are duplicates: it names some, and what to do. */
export function refuseDuplicates(
  migration: string,
  { table, type = table, name }: UniqueCheck,
  rows: readonly DuplicateRow[],
): void {
  if (rows.length === 0) return;
  const examples = rows.slice(0, NAMED).map(([accountId, first, last, count, ...values]) => {
    const value = values.map((each) => excerpt(each)).join(', ');
    return `${value} in account ${accountId}: ${count} objects, ${first} and ${last} among them`;
  });
  const more = rows.length > NAMED ? '; and more' : '';
  throw new MigrationError(
    `The migration ${migration} makes ${type}.${name} unique, and objects have the same: ` +
      `${examples.join('; ')}${more}. Change or destroy all but one of each with the version ` +
      'before, then migrate again. Nothing of this migration was applied.',
  );
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(typeof value === 'bigint' ? Number(value) : value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
