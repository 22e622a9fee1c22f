import type { FilterOperator, ShadowTransform } from '../../capability/definition.js';
import { sortKeyOf } from '../../capability/formats/index.js';
import { SHADOW_COLUMNS, SHADOW_NAMES } from '../../capability/shadow-transforms.js';
import type { ModelFilter, ModelProperty, ModelShadow, ModelSort } from '../model.js';
import { asksForNull, isFolded } from '../operators.js';

/** The columns that conditions and sorts read. */

/** Returns the name of a property's shadow column: `title_folded`. */
export function shadowColumn({ column }: ModelProperty, transform: ShadowTransform): string {
  return `${column}_${SHADOW_COLUMNS[transform].suffix}`;
}

/** Returns the column that a condition on the property reads. */
export function filterColumn(property: ModelProperty, operator: FilterOperator): string {
  if (isFolded(operator)) return shadowColumn(property, 'fold');
  const key = sortKeyOf(property);
  // Whether there is a value, the property's own column tells; often it tells which one, too.
  const isOwn = asksForNull(operator) || (key?.isEquality === false && isEquality(operator));
  return key === undefined || isOwn ? property.column : shadowColumn(property, key.name);
}

function isEquality(operator: FilterOperator): boolean {
  return operator === 'equals' || operator === 'in';
}

/** Returns the columns that a sort reads; none where it reads the property's own. */
export function sortColumns(property: ModelProperty): Pick<ModelSort, 'column' | 'casemapColumn'> {
  if (property.kind !== 'string' || property.role !== undefined) return {};
  const key = sortKeyOf(property);
  if (key !== undefined) return { column: shadowColumn(property, key.name) };
  return property.format === undefined ? { casemapColumn: shadowColumn(property, 'casemap') } : {};
}

/**
 * Returns the shadow columns that filters and sorts read, in order of the properties, and those
 * that tell null from what is absent.
 */
export function shadowsOf(
  properties: readonly ModelProperty[],
  filters: readonly Pick<ModelFilter, 'column' | 'columns'>[],
  sorts: readonly Pick<ModelSort, 'column' | 'casemapColumn'>[],
): readonly ModelShadow[] {
  const read = new Set([
    ...filters.flatMap(({ column, columns }) => [column, ...(columns ?? [])]),
    ...sorts.flatMap(({ column, casemapColumn }) => [column, casemapColumn]),
  ]);
  return properties.flatMap((property) =>
    SHADOW_NAMES.map((transform) => ({
      column: shadowColumn(property, transform),
      property,
      transform,
    })).filter(({ column, transform }) =>
      transform === 'null' ? property.nullable && property.optional === true : read.has(column),
    ),
  );
}
