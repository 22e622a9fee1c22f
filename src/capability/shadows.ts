import type { FilterOperator, PropertyDefinition, ShadowTransform } from './definition.js';
import { FORMATS } from './formats/index.js';

/**
 * The columns that conditions and sorts read. The generator makes tables by these rules, and the
 * builders of definitions look up the same columns.
 */

/** The members of a property on which the column of a comparison depends. */
export type Compared = Pick<PropertyDefinition, 'column' | 'kind' | 'role' | 'format'>;

/** A shadow column and the property that it is filled from. */
export interface Shadow<Property> {
  readonly column: string;
  readonly property: Property;
  readonly transform: ShadowTransform;
}

interface Reading {
  readonly column: string;
  readonly columns?: readonly string[];
}

interface Ordering {
  readonly casemapColumn?: string;
  readonly column?: string;
}

const SUFFIXES: Readonly<Record<ShadowTransform, string>> = Object.freeze({
  fold: 'folded',
  casemap: 'casemap',
  instant: 'instant',
});

/**
 * The subject of each operator: the value, its text in any letter case, or whether there is one.
 */
const COMPARES: Readonly<Record<FilterOperator, 'value' | 'text' | 'presence'>> = Object.freeze({
  equals: 'value',
  in: 'value',
  contains: 'text',
  startsWith: 'text',
  before: 'value',
  after: 'value',
  atLeast: 'value',
  atMost: 'value',
  isNull: 'presence',
  hasKey: 'value',
  hasItem: 'value',
  text: 'text',
});

/** Returns the name of a property's shadow column: `title_folded`. */
export function shadowColumn({ column }: Compared, transform: ShadowTransform): string {
  return `${column}_${SUFFIXES[transform]}`;
}

/** Returns whether the operator reads folded text. */
export function isFolded(operator: FilterOperator): boolean {
  return COMPARES[operator] === 'text';
}

/** Returns the column that a condition on the property reads. */
export function filterColumn(property: Compared, operator: FilterOperator): string {
  if (isFolded(operator)) return shadowColumn(property, 'fold');
  return isInstant(property) && COMPARES[operator] === 'value'
    ? shadowColumn(property, 'instant')
    : property.column;
}

/** Returns whether the property's texts compare by the moments in its shadow column. */
export function isInstant({ format }: Pick<Compared, 'format'>): boolean {
  return format !== undefined && FORMATS[format].compares === 'instant';
}

/** Returns the columns that a sort reads; none where it reads the property's own. */
export function sortColumns(property: Compared): Ordering {
  if (property.kind !== 'string' || property.role !== undefined) return {};
  if (isInstant(property)) return { column: shadowColumn(property, 'instant') };
  return property.format === undefined ? { casemapColumn: shadowColumn(property, 'casemap') } : {};
}

/** Returns the shadow columns that filters and sorts read, in order of the properties. */
export function shadowsOf<Property extends Compared>(
  properties: readonly Property[],
  filters: readonly Reading[],
  sorts: readonly Ordering[],
): readonly Shadow<Property>[] {
  const read = new Set([
    ...filters.flatMap(({ column, columns }) => [column, ...(columns ?? [])]),
    ...sorts.flatMap(({ column, casemapColumn }) => [column, casemapColumn]),
  ]);
  return properties.flatMap((property) =>
    (['fold', 'casemap', 'instant'] as const).flatMap((transform): Shadow<Property>[] => {
      const column = shadowColumn(property, transform);
      return read.has(column) ? [{ column, property, transform }] : [];
    }),
  );
}
