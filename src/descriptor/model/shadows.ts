import type {
  FilterMany,
  FilterOperator,
  ShadowForm,
  ShadowTransform,
} from '../../capability/definition.js';
import { sortKeyOf } from '../../capability/formats/index.js';
import { isManifold } from '../../capability/parts.js';
import { SHADOW_COLUMNS, SHADOW_NAMES } from '../../capability/shadow-transforms.js';
import type { ModelFilter, ModelProperty, ModelShadow, ModelSort } from '../model.js';
import { asksForNull, isFolded } from '../operators.js';

/** The columns that conditions and sorts read. */

/** Returns the name of a property's shadow column: `title_folded`. A part is one by itself. */
export function shadowColumn(
  { column, within }: ModelProperty,
  transform: ShadowTransform,
  form?: ShadowForm,
): string {
  if (within !== undefined && transform === 'own' && form === undefined) return column;
  return `${column}_${SHADOW_COLUMNS[transform].suffix}${form === 'list' ? '_list' : ''}`;
}

/** Returns how a condition reads a part that may have several values; undefined for one value. */
export function manyOf(
  { within }: ModelProperty,
  operator: FilterOperator,
  all: boolean,
): FilterMany | undefined {
  if (within === undefined || !isManifold(within.place)) return undefined;
  if (all) return 'all';
  return isFolded(operator) ? 'joined' : 'any';
}

/** Returns the column that a condition on the property reads. */
export function filterColumn(
  property: ModelProperty,
  operator: FilterOperator,
  many?: FilterMany,
): string {
  const form = many === undefined || many === 'joined' ? many : 'list';
  if (isFolded(operator)) return shadowColumn(property, 'fold', form);
  const key = sortKeyOf(property);
  // Whether there is a value, the property's own column tells; often it tells which one, too.
  const isOwn = asksForNull(operator) || (key?.isEquality === false && isEquality(operator));
  const transform = key === undefined || isOwn ? 'own' : key.name;
  return transform === 'own' && form === undefined
    ? property.column
    : shadowColumn(property, transform, form);
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
  sorts: readonly Pick<ModelSort, 'column' | 'casemapColumn' | 'property'>[],
): readonly ModelShadow[] {
  const read = new Set([
    ...filters.flatMap(({ column, columns }) => [column, ...(columns ?? [])]),
    ...sorts.flatMap(({ column, casemapColumn, property }) => [
      ...[column, casemapColumn],
      // The other collations read it.
      ...(property.within === undefined ? [] : [property.column]),
    ]),
  ]);
  return properties.flatMap((property) =>
    columnsOf(property).filter(({ column, transform, form }) => {
      const isMark = transform === 'null' && form === undefined;
      return isMark ? property.nullable && property.optional === true : read.has(column);
    }),
  );
}

/** Returns every shadow column that the property may have. A part may have lists of its values. */
function columnsOf(property: ModelProperty): readonly ModelShadow[] {
  const { within } = property;
  const isMany = within !== undefined && isManifold(within.place);
  const single = SHADOW_NAMES.map((transform) => ({
    column: shadowColumn(property, transform),
    property,
    transform,
    ...(isMany && transform === 'fold' ? { form: 'joined' as const } : {}),
  }));
  if (!isMany) return single;
  const lists = SHADOW_NAMES.map((transform) => ({
    column: shadowColumn(property, transform, 'list'),
    property,
    transform,
    form: 'list' as const,
  }));
  return [...single, ...lists];
}
