import type { BackfillStep } from '../../../src/database/backfill.js';
import type { Model } from '../model.js';
import type { Difference } from './compare.js';

/**
 * The shadow columns that `difference` adds to tables that exist, or whose source it changes, and
 * what fills them.
 */
export function backfillsOf(difference: Difference, model: Model): readonly BackfillStep[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  return difference.changed.flatMap((change) => {
    const touched = new Set([
      ...change.added.map((column) => column.name),
      ...change.altered.map(({ after }) => after.name),
    ]);
    const shadows = types.find((type) => type.table === change.after.name)?.shadows ?? [];
    const columns = shadows
      .filter(({ column, property }) => touched.has(column) || touched.has(property.column))
      .map(({ column, property, transform }) => ({ column, from: property.column, transform }));
    return columns.length === 0 ? [] : [{ table: change.after.name, columns }];
  });
}
