import type { DataTypeDefinition } from '../../capability/definition.js';
import { MethodError } from '../../protocol/errors.js';
import type { JsonValue } from '../../protocol/json.js';
import { deriveOnce } from '../../runtime/derive-once.js';
import type { ChangeKind, RowsWritten } from '../port.js';
import type { ChangesToWrite, RecordsToWrite, Scope } from '../sql/engine-port.js';
import { quote } from '../sql/fragment.js';
import { CHANGE_KINDS, groupText } from '../sql/records.js';
import { encodeRows, type RowsToWrite, writeColumns } from '../sql/row-codec.js';
import type { Connection } from './connection.js';
import type { Parameter } from './reader.js';

/** The reads and writes of a transaction: states, change records and rows. */

/** No row where the account has been deleted. */
const SELECT_STATE_OF_ACCOUNT = `SELECT "s"."number" FROM "JmapAccount" AS "a"
 LEFT JOIN "JmapState" AS "s" ON "s"."accountId" = "a"."id" AND "s"."type" = ? WHERE "a"."id" = ?`;

const ADVANCE_STATE = `INSERT INTO "JmapState" ("accountId", "type", "number", "objects")
 VALUES (?, ?, ?, ?) ON CONFLICT ("accountId", "type") DO UPDATE SET
 "number" = "number" + excluded."number", "objects" = "objects" + excluded."objects"`;

/** RETURNING more than doubles the cost (a temporary table): only for callers without the state. */
const TELL_STATE = `${ADVANCE_STATE} RETURNING "number"`;

const INSERT_CHANGES = `INSERT INTO "JmapChange"
 ("accountId", "type", "number", "objectId", "kind", "at", "properties")
 SELECT ?, ?, ? + key, value, ?, ?, ? FROM json_each(?)`;

/** The same of objects with groups: rows `[objectId, group]`. */
const INSERT_GROUPED = `INSERT INTO "JmapChange"
 ("accountId", "type", "number", "objectId", "kind", "at", "properties")
 SELECT ?, ?, ? + key, value ->> 0, ?, ?, value ->> 1 FROM json_each(?)`;

/** The same of types with access rules: rows as in RecordsToWrite. */
const INSERT_RECORDS = `INSERT INTO "JmapChange"
 ("accountId", "type", "number", "at", "objectId", "kind", "properties", "scopes", "scopesBefore")
 SELECT ?, ?, ? + key, ?, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
 FROM json_each(?)`;

/** Reads the state before a write. Throws `accountNotFound` if the account has been deleted. */
export async function readStateOfLivingAccount(
  { connection, accountId }: Scope<Connection>,
  table: string,
): Promise<number> {
  const rows = connection.rows(SELECT_STATE_OF_ACCOUNT, [table, accountId]);
  if (rows[0] === undefined) throw accountGone();
  return (rows[0][0] as number | null) ?? 0;
}

/** Deleted since the request was let in: nothing may be written that nobody would remove. */
export function accountGone(): MethodError {
  return new MethodError('accountNotFound', 'The account has been deleted.');
}

/**
 * Writes change records by a statement for the counter, which steps by the number of records, and
 * one for each kind of them. The records get the numbers that it passed.
 */
export async function writeChanges(
  { connection, accountId }: Scope<Connection>,
  table: string,
  { changes, columns, at, current }: ChangesToWrite,
): Promise<number> {
  const runs = runsOf(changes);
  let growth = 0;
  for (const { kind, objectIds } of runs) growth += CHANGE_KINDS[kind].growth * objectIds.length;
  const state = advanceState(connection, [accountId, table, changes.length, growth], current);
  let first = state - changes.length + 1;
  for (const { kind, objectIds, groups } of runs) {
    const { number } = CHANGE_KINDS[kind];
    const list = JSON.stringify(groups ?? objectIds);
    const changed = kind === 'updated' ? columns : null;
    if (groups === null)
      connection.execute(INSERT_CHANGES, [accountId, table, first, number, at, changed, list]);
    else connection.execute(INSERT_GROUPED, [accountId, table, first, number, at, list]);
    first += objectIds.length;
  }
  return state;
}

/** Steps a counter. Returns the state, which the caller may have known before (`current`). */
function advanceState(
  connection: Connection,
  steps: readonly [accountId: string, table: string, count: number, growth: number],
  current: number | undefined,
): number {
  if (current === undefined) return connection.one(TELL_STATE, ...steps)[0] as number;
  connection.execute(ADVANCE_STATE, steps);
  return current + steps[2];
}

/** Writes change records of a type with access rules, by two statements. */
export async function writeRecords(
  { connection, accountId }: Scope<Connection>,
  table: string,
  { rows, count, growth, at, current }: RecordsToWrite,
): Promise<number> {
  const state = advanceState(connection, [accountId, table, count, growth], current);
  connection.execute(INSERT_RECORDS, [accountId, table, state - count + 1, at, rows]);
  return state;
}

/** Changes of one kind that follow each other. */
interface Run {
  readonly kind: ChangeKind;
  readonly objectIds: string[];
  /** Rows with what is noted of groups; null where nothing is. */
  readonly groups: (readonly [objectId: string, group: string | null])[] | null;
}

function runsOf(changes: ChangesToWrite['changes']): readonly Run[] {
  const runs: Run[] = [];
  for (const change of changes) {
    const { objectId, kind, group } = change;
    let last = runs.at(-1);
    const hasGroup = group !== undefined;
    if (last?.kind !== kind || (last.groups !== null) !== hasGroup) {
      last = { kind, objectIds: [], groups: hasGroup ? [] : null };
      runs.push(last);
    }
    last.objectIds.push(objectId);
    last.groups?.push([objectId, groupText(change)]);
  }
  return runs;
}

/**
 * Rows that are written as parameters, at most; more are one JSON text. To make that text and take
 * it apart again costs as much as half of the insert. Each number of rows needs a statement of its
 * own, so there are three, and rows without an id are left out.
 */
const ROWS = [1, 10, 100];
/** Parameters of such a statement: what is prepared has a piece of program for each. */
const MAX_PARAMETERS = 1500;

/** A statement that writes rows, in the same form new ones and those that exist. */
type RowStatement = Readonly<Record<RowsWritten, string>>;

/** The statements that write whole rows. */
interface ObjectWriter {
  /** As a JSON array. */
  readonly json: RowStatement;
  /** As parameters: up to so many rows, the fewest first. */
  readonly rows: readonly (RowStatement & { readonly size: number })[];
  readonly destroy: string;
}

const writerOf = deriveOnce((type: DataTypeDefinition): ObjectWriter => {
  const table = quote(type.table);
  const columns = writeColumns(type).map(({ column }) => quote(column));
  // jsonb: a row of json_each is text, which every column would parse anew.
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const head = `INSERT INTO ${table} ("accountId", ${columns.join(', ')})`;
  const changed = columns
    .filter((column) => column !== quote('id'))
    .map((column) => `${column} = excluded.${column}`);
  const marks = columns.map(() => '?').join(', ');
  const id = `column${1 + columns.indexOf(quote('id'))}`;
  const statement = (rows: string): RowStatement => {
    const insert = `${head} SELECT ?, ${rows}`;
    const over = `ON CONFLICT ("accountId", "id") DO UPDATE SET ${changed.join(', ')}`;
    return { insert, update: `${insert} ${over}` };
  };
  const most = Math.max(1, Math.floor(MAX_PARAMETERS / columns.length));
  const sizes = new Set(ROWS.map((size) => Math.min(size, most)));
  return Object.freeze({
    json: statement(`${values} FROM jsonb_each(?) WHERE TRUE`),
    rows: [...sizes].map((size) => {
      const list = Array.from({ length: size }, () => `(${marks})`).join(', ');
      return { size, ...statement(`* FROM (VALUES ${list}) WHERE ${id} IS NOT NULL`) };
    }),
    destroy: `DELETE FROM ${table} WHERE "accountId" = ?
 AND "id" IN (SELECT value FROM json_each(?))`,
  });
});

/** Inserts rows, or updates those that exist, by one statement. */
export async function writeRows(
  { connection, accountId }: Scope<Connection>,
  how: RowsWritten,
  { type, objects, large }: RowsToWrite,
): Promise<void> {
  const { json, rows } = writerOf(type);
  const statement = rows.find(({ size }) => size >= objects.length);
  if (statement === undefined) {
    connection.execute(json[how], [accountId, encodeRows({ type, objects, large })]);
    return;
  }
  const columns = writeColumns(type);
  // Of its final size: a list of hundreds that grows is copied again and again.
  const parameters = new Array<Parameter>(statement.size * columns.length + 1).fill(null);
  parameters[0] = accountId;
  let at = 1;
  for (const object of objects) {
    for (const { encode } of columns) {
      parameters[at] = parameterOf(encode(object, large));
      at += 1;
    }
  }
  connection.execute(statement[how], parameters);
}

/** As JSON would have it: Booleans are numbers to SQLite, and there is no -0. */
function parameterOf(value: JsonValue): Parameter {
  if (typeof value === 'number') return value + 0;
  if (typeof value === 'boolean') return Number(value);
  return value as string | null;
}

/** Removes objects by one statement. */
export async function destroyObjects(
  { connection, accountId }: Scope<Connection>,
  type: DataTypeDefinition,
  ids: readonly string[],
): Promise<void> {
  connection.execute(writerOf(type).destroy, [accountId, JSON.stringify(ids)]);
}
