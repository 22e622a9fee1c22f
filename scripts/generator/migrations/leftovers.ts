import type { JsonValue } from '../../../src/protocol/json.js';
import { defaultText } from '../emit/prisma-data-tables.js';
import type { Column, Table } from '../emit/prisma-datamodel.js';
import type { Difference } from './compare.js';
import type { Snapshot } from './history.js';
import { releasedTypes } from './lineage.js';
import type { ReadTable } from './read-datamodel.js';
import type { Leftover, SnapshotProperty } from './snapshot.js';

/**
 * What a migration on PostgreSQL leaves for the version before, which serves until it is stopped:
 * tables and columns that nothing reads any more, and columns that still take null. The next
 * migration takes them away.
 */

/** The released tables as if nothing had been left. */
export function withoutLeftovers(snapshot: Snapshot): readonly ReadTable[] {
  const left = new Map(leftoversOf(snapshot).map((one) => [one.table, one]));
  if (left.size === 0) return snapshot.tables;
  return snapshot.tables.flatMap((table) => {
    const leftover = left.get(table.name);
    if (leftover === undefined) return [table];
    if (leftover.whole === true) return [];
    const gone = new Set(leftover.columns);
    const nullable = new Set(leftover.nullable);
    return [
      {
        ...table,
        columns: table.columns
          .filter(({ name }) => !gone.has(name))
          .map((column) => (nullable.has(column.name) ? { ...column, nullable: false } : column)),
        indexes: table.indexes.filter((index) => !index.some((name) => gone.has(name))),
      },
    ];
  });
}

export function leftoversOf(snapshot: Snapshot | undefined): readonly Leftover[] {
  return snapshot?.model?.left ?? [];
}

/** What this migration leaves of the released tables, and the tables with it. */
export function leave(
  snapshot: Snapshot,
  difference: Difference<ReadTable>,
  tables: readonly Table[],
): { readonly left: readonly Leftover[]; readonly tables: readonly Table[] } {
  const left: Leftover[] = difference.removed.map(({ name }) => ({ table: name, whole: true }));
  const kept = new Map<string, Table>();
  for (const { before, after, removed, altered } of difference.changed) {
    const nullable = altered
      .filter((column) => column.before.nullable && !column.after.nullable)
      .map((column) => column.after.name);
    if (removed.length + nullable.length === 0) continue;
    const columns = removed.map(({ name }) => name);
    const released = releasedTypes(snapshot).get(before.name)?.known?.properties ?? [];
    const gone = released.filter(({ column }) => columns.includes(column));
    const references = gone.filter(({ reference }) => reference !== undefined);
    left.push({
      table: after.name,
      ...(columns.length === 0 ? {} : { columns }),
      ...(references.length === 0 ? {} : { references: references.map(({ column }) => column) }),
      ...(gone.some(({ blob }) => blob) ? { blobs: true as const } : {}),
      ...(nullable.length === 0 ? {} : { nullable }),
    });
    kept.set(after.name, {
      ...after,
      columns: [
        ...after.columns.map((column) =>
          nullable.includes(column.name) ? { ...column, nullable: true } : column,
        ),
        ...removed.map((column) =>
          withDefault(
            column,
            gone.find((one) => one.column === column.name),
          ),
        ),
      ],
      indexes: [
        ...after.indexes,
        ...before.indexes.filter((index) => index.some((name) => columns.includes(name))),
      ],
    });
  }
  return {
    left,
    tables: [...tables.map((table) => kept.get(table.name) ?? table), ...difference.removed],
  };
}

/** New objects need a value there that the version before can serve. */
function withDefault(column: Column, property: SnapshotProperty | undefined): Column {
  if (column.nullable || column.default !== undefined) return column;
  const value = property === undefined ? '' : legalValue(property);
  const fallback = property === undefined ? '""' : defaultText({ ...property, default: value });
  return fallback === undefined ? { ...column, nullable: true } : { ...column, default: fallback };
}

/** The least that the property's schema takes, as far as that is plain. */
function legalValue({ kind, format, schema }: SnapshotProperty): JsonValue {
  const [first] = (schema.enum ?? []) as readonly JsonValue[];
  if (first !== undefined) return first;
  switch (kind) {
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return Math.min(Math.max(0, schema.minimum ?? 0), schema.maximum ?? Infinity);
    case 'date':
      return EPOCH;
    case 'json':
      return schema.type === 'array' ? [] : schema.type === 'object' ? {} : null;
    case 'string':
      if (format === 'date') return EPOCH;
      return format === 'local-date-time' ? EPOCH.slice(0, -1) : '';
  }
}

const EPOCH = '1970-01-01T00:00:00Z';
