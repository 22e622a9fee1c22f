import type { ChangesToWrite, RecordsToWrite, Scope } from '../sql/engine-port.js';
import { CHANGE_KINDS, changeRows, growth } from '../sql/records.js';
import type { Connection } from './connection.js';

/** States and change records. */

const SELECT_STATE = `SELECT "number" FROM "JmapState" WHERE "accountId" = $1 AND "type" = $2`;

// The counter steps by the number of records, which get the numbers that it passed. If the state is
// not what this transaction knows ($7), the division by nought fails; nothing else here divides.
const recordText = (columns: string, values: string): string => `WITH "state" AS (
 INSERT INTO "JmapState" AS "s" ("accountId", "type", "number", "objects")
 VALUES ($1, $2, $3, $4) ON CONFLICT ("accountId", "type") DO UPDATE SET
 "number" = "s"."number" + excluded."number", "objects" = "s"."objects" + excluded."objects"
 RETURNING "number" - $3::bigint AS "before"), "records" AS (
 INSERT INTO "JmapChange"
 ("accountId", "type", "number", "objectId", "kind", "at", ${columns})
 SELECT $1::text, $2::text, "before" + "n", value ->> 0, (value ->> 1)::integer, $5::bigint,
 ${values}
 FROM "state" CROSS JOIN jsonb_array_elements($6::jsonb) WITH ORDINALITY AS "rows"(value, "n"))
 SELECT CASE WHEN $7::bigint <> "before" THEN 1 / ("before" - "before")
 ELSE "before" + $3::bigint END FROM "state"`;

const RECORD = recordText(
  '"properties"',
  `CASE WHEN value ->> 1 = '${CHANGE_KINDS.updated.number}' THEN $8::text ELSE value ->> 2 END`,
);

/** The same of types with access rules: rows as in RecordsToWrite. */
const RECORDS = recordText(
  '"properties", "scopes", "scopesBefore"',
  'value ->> 2, value ->> 3, value ->> 4',
);

/**
 * Reads the state by one statement; by none where the transaction holds the account and knows it.
 */
export async function readState(
  { connection, accountId }: Scope<Connection>,
  table: string,
): Promise<number> {
  const { states } = connection;
  const known = states?.get(table);
  if (known !== undefined) return known;
  const [row] = await connection.all(SELECT_STATE, accountId, table);
  const state = (row?.[0] as number | undefined) ?? 0;
  states?.set(table, state);
  return state;
}

/**
 * Writes change records by one statement. Where the transaction knows the state it is not waited
 * for: were the database's another, the statement would fail.
 */
export function writeChanges(
  scope: Scope<Connection>,
  table: string,
  { changes, columns, at }: ChangesToWrite,
): Promise<number> {
  const counts = [changes.length, growth(changes), at] as const;
  return write(scope, table, { text: RECORD, counts, rows: changeRows(changes), more: [columns] });
}

/** Writes change records of a type with access rules, by one statement. */
export function writeRecords(
  scope: Scope<Connection>,
  table: string,
  { rows, count, growth: grown, at }: RecordsToWrite,
): Promise<number> {
  return write(scope, table, { text: RECORDS, counts: [count, grown, at], rows, more: [] });
}

interface Written {
  readonly text: string;
  readonly counts: readonly [count: number, growth: number, at: number];
  readonly rows: string;
  readonly more: readonly (string | null)[];
}

async function write(
  { connection, accountId }: Scope<Connection>,
  table: string,
  { text, counts, rows, more }: Written,
): Promise<number> {
  const { states } = connection;
  const known = states?.get(table);
  if (known !== undefined) {
    await connection.write(text, accountId, table, ...counts, rows, known, ...more);
    states?.set(table, known + counts[0]);
    return known + counts[0];
  }
  const [row] = await connection.writing(text, accountId, table, ...counts, rows, null, ...more);
  return row?.[0] as number;
}
