import { MethodError } from '../../protocol/errors.js';
import type { ChangeKind } from '../port.js';
import type { ChangesToWrite, Scope } from '../sql/engine.js';
import type { Row } from '../sql/objects.js';
import { CHANGE_KINDS } from '../sql/records.js';
import type { Connection } from './connection.js';
import type { Reader } from './reader.js';

/** States and change records (D8, D9). */

const SELECT_STATE = `SELECT "number" FROM "JmapState" WHERE "accountId" = ? AND "type" = ?`;

/** No row where the account has been deleted. */
const SELECT_STATE_OF_ACCOUNT = `SELECT "s"."number" FROM "JmapAccount" AS "a"
 LEFT JOIN "JmapState" AS "s" ON "s"."accountId" = "a"."id" AND "s"."type" = ? WHERE "a"."id" = ?`;

const ADVANCE_STATE = `INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
 VALUES (?, ?, ?, ?) ON CONFLICT ("accountId", "type") DO UPDATE SET
 "number" = "number" + excluded."number", "objects" = "objects" + excluded."objects"`;

/** RETURNING more than doubles its cost (a temporary table), so it is for whoever knows no state. */
const TELL_STATE = `${ADVANCE_STATE} RETURNING "number"`;

const INSERT_CHANGES = `INSERT INTO "JmapChange"
 ("accountId", "type", "number", "objectId", "kind", "at")
 SELECT ?, ?, ? + key, value, ?, ? FROM json_each(?)`;

/** One statement. */
export async function readState(
  { connection, accountId }: Scope<Reader>,
  table: string,
): Promise<number> {
  return numberOf(await connection.all(SELECT_STATE, accountId, table));
}

/** One statement. The same before a write, which a deleted account refuses: it throws `accountNotFound`. */
export async function readStateOfAccount(
  { connection, accountId }: Scope<Connection>,
  table: string,
): Promise<number> {
  const rows = connection.rows(SELECT_STATE_OF_ACCOUNT, [table, accountId]);
  if (rows.length === 0) throw accountGone();
  return numberOf(rows);
}

/** Deleted since the request was let in: nothing may be written that nobody would remove. */
export function accountGone(): MethodError {
  return new MethodError('accountNotFound', 'The account has been deleted.');
}

/**
 * A statement for the counter, which steps by the number of records, and one for each kind of them:
 * the records get the numbers that it passed.
 */
export async function writeChanges(
  { connection, accountId }: Scope<Connection>,
  table: string,
  { changes, at, current }: ChangesToWrite,
): Promise<number> {
  const runs = runsOf(changes);
  let growth = 0;
  for (const { kind, objectIds } of runs) growth += CHANGE_KINDS[kind].growth * objectIds.length;
  const steps = [accountId, table, changes.length, growth] as const;
  let state: number;
  if (current === undefined) state = connection.one(TELL_STATE, ...steps)[0] as number;
  else {
    connection.run(ADVANCE_STATE, steps);
    state = current + changes.length;
  }
  let first = state - changes.length + 1;
  for (const { kind, objectIds } of runs) {
    const ids = JSON.stringify(objectIds);
    const { number } = CHANGE_KINDS[kind];
    connection.run(INSERT_CHANGES, [accountId, table, first, number, at, ids]);
    first += objectIds.length;
  }
  return state;
}

function numberOf([row]: readonly Row[]): number {
  return (row?.[0] as number | null | undefined) ?? 0;
}

/** Changes of one kind that follow each other. */
interface Run {
  readonly kind: ChangeKind;
  readonly objectIds: string[];
}

function runsOf(changes: ChangesToWrite['changes']): readonly Run[] {
  const runs: Run[] = [];
  for (const { objectId, kind } of changes) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.objectIds.push(objectId);
    else runs.push({ kind, objectIds: [objectId] });
  }
  return runs;
}
