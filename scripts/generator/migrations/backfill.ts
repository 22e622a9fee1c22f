import type { ShadowTransform } from '../../../src/capability/definition.js';
import type { Model } from '../model.js';
import type { Difference } from './compare.js';

/** Shadow columns that a migration adds to a table which may have rows. */
export interface Backfill {
  readonly table: string;
  readonly columns: readonly {
    readonly column: string;
    readonly from: string;
    readonly transform: ShadowTransform;
  }[];
}

/** The shadow columns that `difference` adds to tables that exist, and what fills them. */
export function backfillsOf(difference: Difference, model: Model): readonly Backfill[] {
  const types = model.capabilities.flatMap((capability) => capability.types);
  return difference.changed.flatMap((change) => {
    const added = new Set(change.added.map((column) => column.name));
    const shadows = types.find((type) => type.table === change.after.name)?.shadows ?? [];
    const columns = shadows
      .filter((shadow) => added.has(shadow.column))
      .map(({ column, property, transform }) => ({ column, from: property.column, transform }));
    return columns.length === 0 ? [] : [{ table: change.after.name, columns }];
  });
}
