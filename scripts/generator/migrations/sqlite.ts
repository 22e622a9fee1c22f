import { PART_FUNCTION } from '../../../src/capability/part-columns.js';
import { sqlFunction } from '../../../src/capability/shadow-transforms.js';
import type { BackfillColumn, BackfillStep } from '../../../src/database/migrations.js';
import { canonicalJson } from '../../../src/protocol/canonical-json.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import type { Table } from '../emit/prisma-datamodel.js';
import { KEY_ORDERED_TABLES } from '../emit/prisma-shared-tables.js';
import { quoted, replaceOutsideStrings, text } from './sql.js';

const CREATE_TABLE = /CREATE TABLE "[^"]+" \([^;]*?\n\);/g;

/** Adds to the engine's SQL what Prisma's language can't say; `ordered`: data tables by key. */
export function finishSqlite(sql: string, ordered: ReadonlySet<string>): string {
  return keyOrdered(withoutPragmas(sql), ordered);
}

/**
 * Returns a table in the order of its key in place of one that is not, with its rows and indexes.
 * `sql` is what makes it, finished.
 */
export function reorderSqlite({ name, columns, key }: Table, sql: string): string {
  const list = columns.map((column) => quoted(column.name)).join(', ');
  const order = key.map(quoted).join(', ');
  const table = quoted(name);
  const next = quoted(`new_${name}`);
  return sql
    .replace('-- CreateTable\n', '\n-- The table in the order of its key.\n')
    .replace(`CREATE TABLE ${table}`, `CREATE TABLE ${next}`)
    .replace(
      ' WITHOUT ROWID;\n',
      () => ` WITHOUT ROWID;
INSERT INTO ${next} (${list}) SELECT ${list} FROM ${table} ORDER BY ${order};
DROP TABLE ${table};
ALTER TABLE ${next} RENAME TO ${table};
`,
    );
}

/**
 * Adds WITHOUT ROWID where a table is in the order of its key (KEY_ORDERED_TABLES,
 * emit/key-ordered.ts). The engine writes a table anew, as `new_<name>`, where SQLite's ALTER TABLE
 * can't do it.
 */
function keyOrdered(sql: string, ordered: ReadonlySet<string>): string {
  return replaceOutsideStrings(sql, CREATE_TABLE, (statement) => {
    const name = /"(?:new_)?([^"]+)"/.exec(statement)?.[1] ?? '';
    const isOrdered = KEY_ORDERED_TABLES.has(name) || ordered.has(name);
    return isOrdered ? statement.replace(/;$/, ' WITHOUT ROWID;') : statement;
  });
}

/**
 * Returns the SQL without the pragmas that guard foreign keys: there are none, and within a
 * transaction they would do nothing.
 */
function withoutPragmas(sql: string): string {
  return replaceOutsideStrings(sql, /PRAGMA (?:defer_)?foreign_keys=(?:ON|OFF);\n/g, () => '');
}

function valueText(column: BackfillColumn): string {
  const from = quoted(column.from);
  return 'part' in column
    ? `${PART_FUNCTION}(${from}, ${text(canonicalJson(column.part as unknown as JsonValue))})`
    : `${sqlFunction(column.transform)}(${from})`;
}

/** Returns the SQL that fills shadow columns of rows, by the functions that fill new rows. */
export function fillSqlite({ table, columns }: BackfillStep): string {
  const list = columns.map((each) => `${quoted(each.column)} = ${valueText(each)}`);
  return (
    `\n-- The new columns of the rows that exist.\nUPDATE ${quoted(table)} SET ` +
    `${list.join(', ')};\n`
  );
}
