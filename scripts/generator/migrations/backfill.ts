import { partColumnOf } from '../../../src/capability/part-columns.js';
import type { BackfillColumn, BackfillStep } from '../../../src/database/migrations.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelProperty, ModelShadow } from '../../../src/descriptor/model.js';
import type { Difference } from './compare.js';
import type { Leftover } from './snapshot.js';

/**
 * Returns the shadow columns that `difference` adds to tables that exist, or whose source it
 * changes, and what fills them. `leftovers`: what the previous version may have written null to
 * until now.
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
  const types = typesIn(model);
  return [...touched].flatMap(([table, names]) => {
    const type = types.find((one) => one.table === table);
    const columns = (type?.shadows ?? [])
      .map((shadow) => ({ shadow, from: sourceOf(shadow, type?.properties ?? []) }))
      .filter(({ shadow, from }) => names.has(shadow.column) || names.has(from))
      .flatMap(({ shadow, from }) => backfillOf(shadow, from));
    return columns.length === 0 ? [] : [{ table, columns }];
  });
}

/** Returns the column of the property that a shadow column is made of. */
function sourceOf({ property }: ModelShadow, properties: readonly ModelProperty[]): string {
  const { within, column } = property;
  return properties.find(({ name }) => name === within?.property)?.column ?? column;
}

function backfillOf(shadow: ModelShadow, from: string): readonly BackfillColumn[] {
  const { column, transform } = shadow;
  const part = partColumnOf(shadow);
  if (part !== null) return [{ column, from, part }];
  return transform === 'null' || transform === 'own' ? [] : [{ column, from, transform }];
}
