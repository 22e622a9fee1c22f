import type { FilterOperator, ShadowTransform } from '../../capability/definition.js';
import { isInstant } from '../../capability/formats.js';
import type { ModelFilter, ModelProperty, ModelShadow, ModelSort } from '../model.js';
import { isFolded } from '../operators.js';

/** The columns that conditions and sorts read. */

const SUFFIXES: Readonly<Record<ShadowTransform, string>> = Object.freeze({
  fold: 'folded',
  casemap: 'casemap',
  instant: 'instant',
  null: 'null',
});

const TRANSFORMS = Object.keys(SUFFIXES) as readonly ShadowTransform[];

/** Returns the name of a property's shadow column: `title_folded`. */
export function shadowColumn({ column }: ModelProperty, transform: ShadowTransform): string {
  return `${column}_${SUFFIXES[transform]}`;
}

/** Returns the column that a condition on the property reads. */
export function filterColumn(property: ModelProperty, operator: FilterOperator): string {
  if (isFolded(operator)) return shadowColumn(property, 'fold');
  // Whether there is a value, the property's own column tells.
  return isInstant(property) && operator !== 'isNull'
    ? shadowColumn(property, 'instant')
    : property.column;
}

/** Returns the columns that a sort reads; none where it reads the property's own. */
export function sortColumns(property: ModelProperty): Pick<ModelSort, 'column' | 'casemapColumn'> {
  if (property.kind !== 'string' || property.role !== undefined) return {};
  if (isInstant(property)) return { column: shadowColumn(property, 'instant') };
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
    TRANSFORMS.map((transform) => ({
      column: shadowColumn(property, transform),
      property,
      transform,
    })).filter(({ column, transform }) =>
      transform === 'null' ? property.nullable && property.optional === true : read.has(column),
    ),
  );
}
