import type { Backfill } from './backfill.js';
import { quoted, replaceOutsideStrings } from './sql.js';

/** Adds to the engine's SQL what Prisma's language can't say. */
export function finishPostgresql(sql: string, backfills: readonly Backfill[]): string {
  return backfills.map(refuseRows).join('') + bytewise(withoutSchema(sql));
}

/**
 * Text compares by its bytes, as in SQLite: ids, collation keys and folded text are made for that,
 * and a database's own collation changes with its system.
 */
function bytewise(sql: string): string {
  return replaceOutsideStrings(sql, /"(?:[^"]|"")+" TEXT\b/g, (match) => `${match} COLLATE "C"`);
}

/**
 * The schema is the operator's to make: the statement needs rights on the database even where it
 * has nothing to do.
 */
function withoutSchema(sql: string): string {
  return sql.replace(/^-- CreateSchema\nCREATE SCHEMA IF NOT EXISTS "[^"]+";\n\n/, '');
}

/** PostgreSQL has no function that could fill a shadow column: only the server can. */
function refuseRows({ table, columns }: Backfill): string {
  const names = columns.map(({ column }) => column).join(', ');
  const message = `table ${table} has rows, which this migration can not give ${names}`;
  return `-- Columns that the server computes: they can be added only while there is nothing to compute.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM ${quoted(table)}) THEN
    RAISE EXCEPTION '${message.replaceAll("'", "''")}';
  END IF;
END
$$;

`;
}
