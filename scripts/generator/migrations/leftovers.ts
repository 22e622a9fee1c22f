import { recordedReferencesOf } from '../../../src/capability/named-references.js';
import { typesByTable } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelType } from '../../../src/descriptor/model.js';
import { placesBeside } from '../../../src/descriptor/schema-places.js';
import { defaultText } from '../emit/prisma-data-tables.js';
import type { Column, ColumnType, Table } from '../emit/prisma-datamodel.js';
import type { Difference, TableChange } from './compare.js';
import type { Snapshot } from './history.js';
import { leastValue } from './least-value.js';
import { releasedTypes } from './lineage.js';
import { valuesLeft } from './own-values.js';
import type { ReadTable } from './read-datamodel.js';
import type { HeldColumn, Leftover, SnapshotProperty } from './snapshot.js';
import type { PlaceInColumn } from './texts-in.js';

/**
 * Leftovers are the tables and columns that a migration on PostgreSQL keeps for the previous
 * version, which serves until it is stopped. Nothing reads them any more, or they still take null.
 * The next migration takes them away.
 */

/**
 * Returns the released tables as if nothing had been left. Of the columns that were held for files
 * of `evolve/`, those in `held` stay.
 */
export function withoutLeftovers(
  snapshot: Snapshot,
  held: readonly HeldColumn[],
): readonly ReadTable[] {
  const left = new Map(leftoversOf(snapshot).map((one) => [one.table, one]));
  const before = snapshot.model?.held ?? [];
  if (left.size + before.length === 0) return snapshot.tables;
  const columnsOf = (table: string, list: readonly HeldColumn[]) =>
    list.flatMap((one) => (one.table === table ? [one.column] : []));
  return snapshot.tables.flatMap((table) => {
    const leftover = left.get(table.name);
    if (leftover?.whole === true) return [];
    const hidden = new Set([...columnsOf(table.name, before), ...(leftover?.columns ?? [])]);
    if (leftover === undefined && hidden.size === 0) return [table];
    const stays = new Set(columnsOf(table.name, held));
    const nullable = new Set(leftover?.nullable);
    return [
      {
        ...table,
        columns: table.columns
          .filter(({ name }) => !hidden.has(name) || stays.has(name))
          .map((column) => (nullable.has(column.name) ? { ...column, nullable: false } : column)),
        indexes: table.indexes.filter((index) => !index.some((name) => hidden.has(name))),
      },
    ];
  });
}

export function leftoversOf(snapshot: Snapshot | undefined): readonly Leftover[] {
  return snapshot?.model?.left ?? [];
}

/**
 * Returns what this migration leaves of the released tables, as notes for the next one (`left`).
 * `tables` are all tables behind this migration, with those parts among them.
 */
export function leave(
  snapshot: Snapshot,
  difference: Difference<ReadTable>,
  tables: readonly Table[],
  model: Model,
): { readonly left: readonly Leftover[]; readonly tables: readonly Table[] } {
  const changes = new Map(difference.changed.map((change) => [change.after.name, change]));
  const types = typesByTable(model);
  const left: Leftover[] = difference.removed.map(({ name }) => ({ table: name, whole: true }));
  const kept = new Map<string, Table>();
  for (const { name } of tables) {
    const change = changes.get(name);
    const columns = (change?.removed ?? []).map((column) => column.name);
    const nullable = (change?.altered ?? [])
      .filter(({ before, after }) => before.nullable && !after.nullable)
      .map(({ after }) => after.name);
    const type = types.get(name);
    const links = type === undefined ? NO_LINKS : formerLinks(snapshot, type);
    const values = type === undefined ? [] : valuesLeft(snapshot, type);
    const parts = [columns, nullable, links.references, links.blobs, values];
    if (parts.every((part) => part.length === 0)) continue;
    left.push({
      table: name,
      ...(columns.length === 0 ? {} : { columns }),
      ...(links.references.length === 0 ? {} : { references: links.references }),
      ...(links.blobs.length === 0 ? {} : { blobs: true as const }),
      ...(nullable.length === 0 ? {} : { nullable }),
      ...(values.length === 0 ? {} : { values }),
    });
    if (change !== undefined) kept.set(name, keep(snapshot, change, nullable));
  }
  return {
    left,
    tables: [...tables.map((table) => kept.get(table.name) ?? table), ...difference.removed],
  };
}

function keep(
  snapshot: Snapshot,
  { before, after, removed }: TableChange<ReadTable>,
  nullable: readonly string[],
): Table {
  const columns = removed.map(({ name }) => name);
  const released = releasedTypes(snapshot).get(before.name)?.known?.properties ?? [];
  return {
    ...after,
    columns: [
      ...after.columns.map((column) =>
        nullable.includes(column.name) ? { ...column, nullable: true } : column,
      ),
      ...removed.map((column) =>
        withDefault(
          column,
          released.find((one) => one.column === column.name),
        ),
      ),
    ],
    indexes: [
      ...after.indexes,
      ...before.indexes.filter((index) => index.some((name) => columns.includes(name))),
    ],
  };
}

/**
 * Returns keys of references that are none any more, and places in columns that held blobs: the
 * previous version has records of them.
 */
export function formerLinks(
  snapshot: Snapshot,
  { table, properties }: ModelType,
): { readonly references: readonly string[]; readonly blobs: readonly PlaceInColumn[] } {
  const released = releasedTypes(snapshot).get(table)?.known?.properties ?? [];
  const now = new Map(properties.map((property) => [property.column, property]));
  const keys = new Set(recordedReferencesOf(properties).map(({ key }) => key));
  return {
    references: recordedReferencesOf(released)
      .map(({ key }) => key)
      .filter((key) => !keys.has(key)),
    blobs: released.flatMap(({ column, blobs }) =>
      placesBeside(blobs, now.get(column)?.blobs ?? []).map((place) => ({ column, place })),
    ),
  };
}

const NO_LINKS = Object.freeze({ references: [], blobs: [] });

/**
 * Returns a column with a default for new objects, which the previous version can serve. Where no
 * plain value is legal, the column takes null.
 */
export function withDefault(column: Column, property: SnapshotProperty | undefined): Column {
  if (column.nullable || column.default !== undefined) return column;
  const fallback =
    property === undefined
      ? LEAST[column.type]
      : defaultText({ ...property, default: leastValue(property) });
  return fallback === undefined ? { ...column, nullable: true } : { ...column, default: fallback };
}

/** Of a release that kept no model: the least that the column takes. */
const LEAST: Readonly<Record<ColumnType, string | undefined>> = Object.freeze({
  String: '""',
  Boolean: 'false',
  Int: '0',
  BigInt: '0',
  Float: '0',
  Json: undefined,
  Bytes: undefined,
});
