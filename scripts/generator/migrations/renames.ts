import type { Provider, Table } from '../emit/prisma-datamodel.js';
import { indexName } from '../emit/prisma-names.js';
import type { Model, ModelType } from '../model.js';
import type { ReadTable } from './read-datamodel.js';
import { quoted, text } from './sql.js';

/** A type or property of the released state that has another name now; its data stays. */
export interface TableRename {
  readonly from: string;
  readonly to: string;
  readonly columns: readonly ColumnRename[];
  /** As the released state has it. */
  readonly before: ReadTable;
}

export interface ColumnRename {
  readonly from: string;
  readonly to: string;
  /** JmapReference has rows by this name. */
  readonly reference: boolean;
  /** A hook file computes it. */
  readonly computed: boolean;
}

const SHADOW_SUFFIXES = ['', '_folded', '_casemap', '_instant'];

/**
 * The `renamedFrom` that apply to the released state. One that names nothing there was released
 * before, and says nothing any more.
 */
export function renamesOf(before: readonly ReadTable[], model: Model): readonly TableRename[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  const tables = new Map(before.map((table) => [table.name, table]));
  const taken = new Set(types.map(({ table }) => table));
  return types.flatMap((type) => {
    const from = type.renamedFrom;
    const renamed =
      !tables.has(type.table) && from !== undefined && !taken.has(from)
        ? tables.get(from)
        : undefined;
    const table = renamed ?? tables.get(type.table);
    if (table === undefined) return [];
    const columns = columnRenames(table, type);
    if (renamed === undefined && columns.length === 0) return [];
    return [{ from: table.name, to: type.table, columns, before: table }];
  });
}

function columnRenames(table: Table, type: ModelType): TableRename['columns'] {
  const old = new Set(table.columns.map(({ name }) => name));
  const taken = new Set(type.properties.map(({ column }) => column));
  return type.properties.flatMap(({ column, renamedFrom, reference, computed }) => {
    if (renamedFrom === undefined || old.has(column)) return [];
    if (!old.has(renamedFrom) || taken.has(renamedFrom)) return [];
    return SHADOW_SUFFIXES.map((suffix) => ({
      from: `${renamedFrom}${suffix}`,
      to: `${column}${suffix}`,
      reference: reference !== undefined && suffix === '',
      computed: computed !== undefined && suffix === '',
    })).filter(({ from }) => old.has(from));
  });
}

/** The released tables under their new names. */
export function renameTables(
  tables: readonly ReadTable[],
  renames: readonly TableRename[],
): readonly ReadTable[] {
  const byName = new Map(renames.map((rename) => [rename.from, rename]));
  return tables.map((table) => {
    const rename = byName.get(table.name);
    return rename === undefined ? table : renameTable(table, rename);
  });
}

function renameTable(table: ReadTable, { to, columns }: TableRename): ReadTable {
  const names = new Map(columns.map((column) => [column.from, column.to]));
  const named = (name: string) => names.get(name) ?? name;
  return {
    ...table,
    name: to,
    columns: table.columns.map((column) => ({ ...column, name: named(column.name) })),
    key: table.key.map(named),
    indexes: table.indexes.map((index) => index.map(named)),
  };
}

/** Indexes and constraints follow: the next difference counts on their names. */
export function renameSql(
  provider: Provider,
  rename: TableRename,
  tables: ReadonlySet<string>,
): string {
  const { from, to, columns, before } = rename;
  const after = renameTable(before, rename);
  const lines = [`-- ${from} is ${to} now: its rows stay.`];
  if (columns.length > 0) lines[0] = `-- Renamed in ${to}: the values stay.`;
  if (from !== to) lines.push(`ALTER TABLE ${quoted(from)} RENAME TO ${quoted(to)};`);
  for (const column of columns)
    lines.push(
      `ALTER TABLE ${quoted(to)} RENAME COLUMN ${quoted(column.from)} TO ${quoted(column.to)};`,
    );
  for (const [index, old] of before.indexes.entries()) {
    const fields = after.indexes[index] ?? old;
    const [name, other] = [nameOf(from, old), nameOf(to, fields)];
    if (name !== other) lines.push(...renameIndex(provider, name, other, to, fields));
  }
  if (from !== to && provider === 'postgresql')
    lines.push(
      `ALTER TABLE ${quoted(to)} RENAME CONSTRAINT ${quoted(`${from}_pkey`)} TO ${quoted(`${to}_pkey`)};`,
    );
  if (from !== to) lines.push(...renameRows(from, to, tables));
  for (const column of columns.filter(({ reference }) => reference && tables.has('JmapReference')))
    lines.push(
      `UPDATE "JmapReference" SET "property" = ${text(column.to)} ` +
        `WHERE "fromType" = ${text(to)} AND "property" = ${text(column.from)};`,
    );
  return `${lines.join('\n')}\n\n`;
}

function nameOf(table: string, columns: readonly string[]): string {
  return indexName(table, columns) ?? `${table}_${columns.join('_')}_idx`;
}

/** SQLite can't rename an index; making it anew is as fast as anything that copies. */
function renameIndex(
  provider: Provider,
  from: string,
  to: string,
  table: string,
  columns: readonly string[],
): readonly string[] {
  if (provider === 'postgresql') return [`ALTER INDEX ${quoted(from)} RENAME TO ${quoted(to)};`];
  return [
    `DROP INDEX ${quoted(from)};`,
    `CREATE INDEX ${quoted(to)} ON ${quoted(table)}(${columns.map(quoted).join(', ')});`,
  ];
}

/** Where the shared tables know a type by its name. */
export const TYPE_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['JmapState', 'type'],
  ['JmapChange', 'type'],
  ['JmapBlobReference', 'type'],
  ['JmapReference', 'fromType'],
  ['JmapReference', 'toType'],
];

function renameRows(from: string, to: string, tables: ReadonlySet<string>): readonly string[] {
  return TYPE_COLUMNS.filter(([table]) => tables.has(table)).map(
    ([table, column]) =>
      `UPDATE ${quoted(table)} SET ${quoted(column)} = ${text(to)} WHERE ${quoted(column)} = ${text(from)};`,
  );
}
