import type { RowKey } from './backfill.js';
import { quote } from './quote.js';

/** A row of JmapMeta that a migration wrote for the server's next start. */
export interface BackfillNote {
  /** `compute:TABLE/COLUMN`, `follow:TABLE` or `reset:TABLE`. */
  readonly key: string;
  readonly value: string;
}

/**
 * A computed count: objects of `table` hold in `column` how many of `fromTable` refer to them by
 * `fromColumn`.
 */
export interface CountColumn {
  readonly table: string;
  readonly column: string;
  readonly fromTable: string;
  readonly fromColumn: string;
}

/** What objects of `table` have records of. */
export interface LinkingTable {
  readonly table: string;
  /** Its references' columns. */
  readonly references: readonly string[];
  readonly hasBlobs: boolean;
}

/** A row's key, and the ms when an object was last changed, as the driver gives it. */
export type BackfillRow = readonly [accountId: string, id: string, updated: unknown];

/** What a database tells of the work that migrations leave to the engine. */
export interface BackfillDatabase {
  /** The last migration that was applied, this version's or a newer one's, and when (ms). */
  newest(): Promise<{ readonly name: string; readonly at: number }>;
  notes(): Promise<readonly BackfillNote[]>;
  /** Keeps how far a note's work is, where the note is still there. */
  keep(key: string, value: string): Promise<void>;
  forget(key: string): Promise<void>;
  /** Takes the note; where it was there, old states of the table's type are refused. One transaction. */
  reset(key: string, table: string): Promise<void>;
  /** The rows of one of the statements below. */
  rows(statement: BackfillStatement): Promise<readonly BackfillRow[]>;
}

/** A statement whose parameters stand as `?` in order. */
export interface BackfillStatement {
  readonly text: string;
  readonly parameters: readonly (string | number)[];
}

/** The statements that are the same on every database. */
export const NOTES = `SELECT "key", "value" FROM "JmapMeta"
 WHERE "key" LIKE 'compute:%' OR "key" LIKE 'follow:%' OR "key" LIKE 'reset:%' ORDER BY "key"`;

/** Rows behind `after` in order of key, at most `limit`; with `since`, those written since (ms). */
export function rowsStatement(
  table: string,
  after: RowKey | null,
  since: number | null,
  limit: number,
): BackfillStatement {
  const conditions = [
    ...(after === null ? [] : ['("accountId", "id") > (?, ?)']),
    ...(since === null ? [] : ['"updated" >= ?']),
  ];
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return {
    text: `SELECT "accountId", "id", "updated" FROM ${quote(table)}${where} ORDER BY "accountId", "id" LIMIT ?`,
    parameters: [...(after ?? []), ...(since === null ? [] : [since]), limit],
  };
}

/** The same of objects that have in one of the columns a text which begins with `prefix`. */
export function beginningStatement(
  prefix: string,
  { table, columns }: { readonly table: string; readonly columns: readonly string[] },
  after: RowKey | null,
  limit: number,
): BackfillStatement {
  const begins = columns.map((column) => `substr(${quote(column)}, 1, ${prefix.length}) = ?`);
  const behind = after === null ? '' : ' AND ("accountId", "id") > (?, ?)';
  const condition = `(${begins.join(' OR ')})${behind}`;
  return {
    text: `SELECT "accountId", "id", "updated" FROM ${quote(table)} WHERE ${condition}
 ORDER BY "accountId", "id" LIMIT ?`,
    parameters: [...columns.map(() => prefix), ...(after ?? []), limit],
  };
}

/** The same of objects whose count is wrong. */
export function miscountedStatement(
  { table, column, fromTable, fromColumn }: CountColumn,
  after: RowKey | null,
  limit: number,
): BackfillStatement {
  const behind = after === null ? '' : ' AND ("t"."accountId", "t"."id") > (?, ?)';
  return {
    text: `SELECT "t"."accountId", "t"."id", "t"."updated" FROM ${quote(table)} AS "t"
 WHERE "t".${quote(column)} <> (SELECT count(*) FROM "JmapReference" AS "r"
 WHERE "r"."accountId" = "t"."accountId" AND "r"."toType" = ? AND "r"."toId" = "t"."id"
 AND "r"."fromType" = ? AND "r"."property" = ?)${behind}
 ORDER BY "t"."accountId", "t"."id" LIMIT ?`,
    parameters: [table, fromTable, fromColumn, ...(after ?? []), limit],
  };
}

/** The same of objects that are gone, and have left records of references or blobs. */
export function goneStatement(
  { table, references, hasBlobs }: LinkingTable,
  after: RowKey | null,
  limit: number,
): BackfillStatement {
  const columns = references.map(() => '?').join(', ');
  const kinds = [
    ...(references.length === 0
      ? []
      : [
          `SELECT "accountId", "fromId" AS "id" FROM "JmapReference" WHERE "fromType" = ? AND "property" IN (${columns})`,
        ]),
    ...(hasBlobs
      ? ['SELECT "accountId", "objectId" AS "id" FROM "JmapBlobReference" WHERE "type" = ?']
      : []),
  ];
  const behind = after === null ? '' : ' AND ("r"."accountId", "r"."id") > (?, ?)';
  return {
    text: `SELECT DISTINCT "r"."accountId", "r"."id", 0 FROM (${kinds.join(' UNION ALL ')}) AS "r"
 WHERE NOT EXISTS (SELECT 1 FROM ${quote(table)} AS "t"
 WHERE "t"."accountId" = "r"."accountId" AND "t"."id" = "r"."id")${behind}
 ORDER BY "r"."accountId", "r"."id" LIMIT ?`,
    parameters: [
      ...(references.length === 0 ? [] : [table, ...references]),
      ...(hasBlobs ? [table] : []),
      ...(after ?? []),
      limit,
    ],
  };
}

/** As the migration that made the note has reset it: its counter steps, its records go. */
export function resetStatements(table: string): readonly BackfillStatement[] {
  return [
    {
      text: 'UPDATE "JmapState" SET "number" = "number" + 1 WHERE "type" = ?',
      parameters: [table],
    },
    { text: 'DELETE FROM "JmapChange" WHERE "type" = ?', parameters: [table] },
  ];
}
