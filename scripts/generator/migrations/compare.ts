import type { Column, Table } from '../emit/prisma-datamodel.js';

export interface ColumnChange {
  readonly before: Column;
  readonly after: Column;
}

export interface TableChange<Before extends Table = Table> {
  readonly before: Before;
  readonly after: Table;
  readonly added: readonly Column[];
  readonly removed: readonly Column[];
  /** Another type, nullability or uniqueness. */
  readonly altered: readonly ColumnChange[];
  readonly keyChanged: boolean;
  readonly indexesChanged: boolean;
}

/**
 * The differences between two datamodels, in the order of `after` (removed tables: of `before`).
 */
export interface Difference<Before extends Table = Table> {
  readonly added: readonly Table[];
  readonly removed: readonly Before[];
  readonly changed: readonly TableChange<Before>[];
}

/**
 * Compares tables and columns by name. Order and descriptions mean nothing to a database. Neither
 * does another default: the engine writes whole rows, and SQLite would have to copy the table to
 * change it; the next migration of the table takes it along.
 */
export function compareTables<Before extends Table>(
  before: readonly Before[],
  after: readonly Table[],
): Difference<Before> {
  const old = new Map(before.map((table) => [table.name, table]));
  const names = new Set(after.map((table) => table.name));
  return {
    added: after.filter((table) => !old.has(table.name)),
    removed: before.filter((table) => !names.has(table.name)),
    changed: after.flatMap((table) => {
      const from = old.get(table.name);
      const change = from === undefined ? undefined : compareTable(from, table);
      return change === undefined ? [] : [change];
    }),
  };
}

export function isEmpty(difference: Difference): boolean {
  const { added, removed, changed } = difference;
  return added.length === 0 && removed.length === 0 && changed.length === 0;
}

function compareTable<Before extends Table>(
  before: Before,
  after: Table,
): TableChange<Before> | undefined {
  const old = new Map(before.columns.map((column) => [column.name, column]));
  const names = new Set(after.columns.map((column) => column.name));
  const change: TableChange<Before> = {
    before,
    after,
    added: after.columns.filter((column) => !old.has(column.name)),
    removed: before.columns.filter((column) => !names.has(column.name)),
    altered: after.columns.flatMap((column) => {
      const from = old.get(column.name);
      return from === undefined || sameColumn(from, column)
        ? []
        : [{ before: from, after: column }];
    }),
    keyChanged: before.key.join() !== after.key.join(),
    indexesChanged: indexSet(before) !== indexSet(after),
  };
  const lists = change.added.length + change.removed.length + change.altered.length;
  return lists > 0 || change.keyChanged || change.indexesChanged ? change : undefined;
}

function sameColumn(a: Column, b: Column): boolean {
  return a.type === b.type && a.nullable === b.nullable && a.unique === b.unique;
}

function indexSet(table: Table): string {
  return table.indexes
    .map((columns) => columns.join())
    .sort()
    .join(';');
}
