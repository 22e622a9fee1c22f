import { sortColumn } from '../../../src/capability/shadow-transforms.js';
import { typesByTable } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelType } from '../../../src/descriptor/model.js';
import type { ColumnType, Table } from '../emit/prisma-datamodel.js';

/** Short values of one length come first: a value's place is known from the values before it. */
const SIZES: Readonly<Record<ColumnType, number>> = Object.freeze({
  BigInt: 0,
  Float: 0,
  Int: 1,
  Boolean: 2,
  String: 3,
  Bytes: 4,
  Json: 4,
});

/**
 * Returns tables with their columns in the order in which PostgreSQL finds them soonest. The
 * columns of `released` tables keep their order: to change it each row would have to be written
 * anew.
 *
 * A row is taken apart from its front as far as the last column that is asked for, which is a third
 * of what a scan costs. So behind the key stands what filters compare, then what sorts do, then
 * what is only shown.
 */
export function inScanOrder(
  tables: readonly Table[],
  model: Model,
  released: ReadonlySet<string>,
): readonly Table[] {
  const byTable = typesByTable(model);
  return tables.map((table) => {
    const type = byTable.get(table.name);
    return type === undefined || released.has(table.name) ? table : ordered(table, type);
  });
}

function ordered(table: Table, { filters, sorts }: ModelType): Table {
  const filtered = new Set(filters.flatMap(({ column, columns = [] }) => [column, ...columns]));
  const sorted = new Set(sorts.map(sortColumn));
  const partOf = (name: string): number => {
    if (filtered.has(name)) return 1;
    return sorted.has(name) ? 2 : 3;
  };
  const isKey = ({ name }: { readonly name: string }): boolean => table.key.includes(name);
  const rest = table.columns
    .filter((column) => !isKey(column))
    .sort((a, b) => partOf(a.name) - partOf(b.name) || SIZES[a.type] - SIZES[b.type]);
  return { ...table, columns: [...table.columns.filter(isKey), ...rest] };
}
