import type { ChangeKind, ChangeRecordAt } from '../port.js';
import type { Scope } from '../sql/engine.js';
import { changeOf, changeRows, growth } from '../sql/records.js';
import type { Connection } from './connection.js';

/** States and change records (D8, D9). */

const SELECT_STATE = `SELECT "number" FROM "JmapState" WHERE "accountId" = $1 AND "type" = $2`;

const SELECT_OBJECTS = `SELECT "objects" FROM "JmapState" WHERE "accountId" = $1 AND "type" = $2`;

const ADVANCE_STATE = `INSERT INTO "JmapState" AS "s" ("accountId", "type", "number", "objects")
 VALUES ($1, $2, $3, $4) ON CONFLICT ("accountId", "type") DO UPDATE SET
 "number" = "s"."number" + excluded."number", "objects" = "s"."objects" + excluded."objects"
 RETURNING "number"`;

const SELECT_CHANGES = `SELECT "number", "objectId", "kind", "at" FROM "JmapChange"
 WHERE "accountId" = $1 AND "type" = $2 AND "number" > $3 ORDER BY "number" LIMIT $4`;

const INSERT_CHANGES = `INSERT INTO "JmapChange"
 ("accountId", "type", "number", "objectId", "kind", "at")
 SELECT $1::text, $2::text, $3::bigint + "n" - 1, value ->> 0, (value ->> 1)::integer, $4::bigint
 FROM jsonb_array_elements($5::jsonb) WITH ORDINALITY AS "rows"(value, "n")`;

/** One statement. */
export async function readState(
  { connection, accountId }: Scope<Connection>,
  table: string,
): Promise<number> {
  const [row] = await connection.all(SELECT_STATE, accountId, table);
  return (row?.[0] as number | undefined) ?? 0;
}

/** One statement. */
export async function readObjectCount(
  { connection, accountId }: Scope<Connection>,
  table: string,
): Promise<number> {
  const [row] = await connection.all(SELECT_OBJECTS, accountId, table);
  return (row?.[0] as number | undefined) ?? 0;
}

/** One statement. */
export async function readChanges(
  { connection, accountId }: Scope<Connection>,
  table: string,
  since: number,
  limit: number,
): Promise<readonly ChangeRecordAt[]> {
  const rows = await connection.all(SELECT_CHANGES, accountId, table, since, limit);
  return rows.map(changeOf);
}

/**
 * Two statements: the counter steps by the number of records, which get the numbers that it passed.
 */
export async function writeChanges(
  { connection, accountId }: Scope<Connection>,
  table: string,
  changes: readonly { readonly objectId: string; readonly kind: ChangeKind }[],
  at: number,
): Promise<number> {
  const [row] = await connection.all(
    ADVANCE_STATE,
    accountId,
    table,
    changes.length,
    growth(changes),
  );
  const state = row?.[0] as number;
  const first = state - changes.length + 1;
  await connection.run(INSERT_CHANGES, accountId, table, first, at, changeRows(changes));
  return state;
}
