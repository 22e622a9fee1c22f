import type { BackfillStep } from '../../../src/database/migrations.js';
import type { Model } from '../../../src/descriptor/model.js';
import type { Difference } from './compare.js';
import type { Leftover } from './snapshot.js';

/**
 * Returns the shadow columns that `difference` adds to tables that exist, or whose source it
 * changes, and what fills them. `leftovers`: what the version before may have written null to until
 * now.
 */
export function backfillsOf(
  difference: Difference,
  model: Model,
  leftovers: readonly Leftover[] = [],
): readonly BackfillStep[] {
  const touched = new Map<string, Set<string>>();
  const touch = (table: string, columns: readonly string[]) => {
    const known = touched.get(table) ?? new Set();
    for (const column of columns) known.add(column);
    touched.set(table, known);
  };
  for (const { after, added, altered } of difference.changed)
    touch(
      after.name,
      [...added, ...altered.map((change) => change.after)].map(({ name }) => name),
    );
  for (const { table, nullable = [] } of leftovers) touch(table, nullable);
  const types = model.capabilities.flatMap((capability) => capability.types);
  return [...touched].flatMap(([table, names]) => {
    const shadows = types.find((type) => type.table === table)?.shadows ?? [];
    const columns = shadows
      .filter(({ column, property }) => names.has(column) || names.has(property.column))
      .flatMap(({ column, property, transform }) =>
        transform === 'null' ? [] : [{ column, from: property.column, transform }],
      );
    return columns.length === 0 ? [] : [{ table, columns }];
  });
}
