import type { ShadowTransform } from '../../../src/capability/definition.js';
import type { BackfillStep } from '../../../src/database/backfill.js';
import { KEY_ORDERED_TABLES } from '../emit/prisma-shared-tables.js';
import { quoted, replaceOutsideStrings } from './sql.js';

/**
 * SQL functions that the server gives each of its SQLite connections: the very ones that fill new
 * rows.
 */
const FUNCTIONS: Readonly<Record<ShadowTransform, string>> = Object.freeze({
  fold: 'jmap_fold',
  casemap: 'jmap_casemap',
  instant: 'jmap_instant',
});

const CREATE_TABLE = /CREATE TABLE "[^"]+" \([^;]*?\n\);/g;

/** Adds to the engine's SQL what Prisma's language can't say. */
export function finishSqlite(sql: string): string {
  return keyOrdered(withoutPragmas(sql));
}

/**
 * See KEY_ORDERED_TABLES. The engine writes a table anew, as `new_<name>`, where SQLite's ALTER
 * TABLE can't do it.
 */
function keyOrdered(sql: string): string {
  return replaceOutsideStrings(sql, CREATE_TABLE, (statement) => {
    const name = /"(?:new_)?([^"]+)"/.exec(statement)?.[1] ?? '';
    return KEY_ORDERED_TABLES.has(name) ? statement.replace(/;$/, ' WITHOUT ROWID;') : statement;
  });
}

/**
 * The pragmas that guard foreign keys: there are none, and within a transaction they would do
 * nothing.
 */
function withoutPragmas(sql: string): string {
  return replaceOutsideStrings(sql, /PRAGMA (?:defer_)?foreign_keys=(?:ON|OFF);\n/g, () => '');
}

/** Shadow columns of rows that exist, by the functions that fill new rows. */
export function fillSqlite({ table, columns }: BackfillStep): string {
  const list = columns.map(
    ({ column, from, transform }) => `${quoted(column)} = ${FUNCTIONS[transform]}(${quoted(from)})`,
  );
  return `\n-- The new columns of the rows that exist.\nUPDATE ${quoted(table)} SET ${list.join(', ')};\n`;
}
