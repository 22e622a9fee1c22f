import type { JSONSchema7 } from 'json-schema';
import type { FilterOperator } from '../../../src/capability/definition.js';
import { isSearched, OPERATORS } from '../descriptor/operators.js';
import type { FilterView, SortView } from '../descriptor/view.js';
import { words } from '../load/located.js';
import type { ModelFilter, ModelIndex, ModelProperty, ModelShadow, ModelSort } from '../model.js';

/** Finds a property of the type by its name. */
export type Find = (name: string) => ModelProperty;

const SUFFIX = Object.freeze({ fold: 'folded', casemap: 'casemap', instant: 'instant' });

function shadowColumn(property: ModelProperty, transform: ModelShadow['transform']): string {
  return `${property.column}_${SUFFIX[transform]}`;
}

/** The shadow that the operator reads of the property; undefined where it reads the property. */
function filterShadow(
  property: ModelProperty,
  operator: FilterOperator,
): ModelShadow['transform'] | undefined {
  if (OPERATORS[operator].folded) return 'fold';
  // RFC 8620 1.4: two Dates of different offsets may be one moment.
  return property.format === 'date' && operator !== 'isNull' ? 'instant' : undefined;
}

function columnOf(property: ModelProperty, shadow: ModelShadow['transform'] | undefined): string {
  return shadow === undefined ? property.column : shadowColumn(property, shadow);
}

export function buildFilter(view: FilterView, find: Find): ModelFilter {
  const property = find(view.propertyName);
  const operator = view.operator as FilterOperator;
  const column = columnOf(property, filterShadow(property, operator));
  const texts = view.texts.length === 0 ? [property] : view.texts.map(({ name }) => find(name));
  return {
    name: view.name,
    property,
    operator,
    column,
    ...(operator === 'text'
      ? { properties: texts, columns: texts.map((each) => shadowColumn(each, 'fold')) }
      : {}),
    ...(view.indexed && isSearched(operator) ? { indexed: true as const } : {}),
    schema: conditionSchema(property, operator),
    description: words(view.node) || sentence(texts, operator),
    at: view.nameAt,
  };
}

/** What a condition without a description says: `due` is before this date. */
function sentence(read: readonly ModelProperty[], operator: FilterOperator): string {
  const names = read.map(({ name }) => `\`${name}\``);
  // Only `text` reads several.
  return names.length === 1
    ? `${names.join('')} ${OPERATORS[operator].predicate}`
    : `Each word of this text is in ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, in any ` +
        'letter case.';
}

export function buildSort(view: SortView, find: Find): ModelSort {
  const property = find(view.propertyName);
  return {
    property,
    ...sortColumn(property),
    indexed: view.indexed,
    at: view.at,
  };
}

/** Ids and local dates are compared as octets (D7 gives ids one letter case): they need no key. */
function sortColumn(property: ModelProperty): { casemapColumn?: string; column?: string } {
  if (property.kind !== 'string' || property.role !== undefined) return {};
  if (property.format === 'date') return { column: shadowColumn(property, 'instant') };
  if (property.format !== undefined) return {};
  return { casemapColumn: shadowColumn(property, 'casemap') };
}

/** `indexed: true` on a condition that compares values, or beginnings, asks for an ordered index. */
export function filterIndexes(
  views: readonly FilterView[],
  filters: readonly ModelFilter[],
): readonly ModelIndex[] {
  return filters.flatMap(({ name, property, operator, column, at }): ModelIndex[] =>
    !isSearched(operator) && views.some((view) => view.name === name && view.indexed)
      ? [{ properties: [property], columns: [column], at }]
      : [],
  );
}

/**
 * The schema of a condition's value without null, which the validator allows for every condition.
 */
function conditionSchema(property: ModelProperty, operator: FilterOperator): JSONSchema7 {
  switch (OPERATORS[operator].value) {
    case 'boolean':
      return { type: 'boolean' };
    case 'list':
      return { type: 'array', items: comparedSchema(property) };
    case 'key':
      return { type: 'string' };
    case 'item':
      return itemSchema(property);
    default:
      return comparedSchema(property);
  }
}

/**
 * The type alone, no bounds or enum: what a narrower schema no longer allows can still be looked
 * for (D13).
 */
function comparedSchema(property: ModelProperty): JSONSchema7 {
  if (property.kind === 'date') return { type: 'string', format: 'utc-date' };
  if (property.format === 'date' || property.format === 'local-date-time')
    return { type: 'string', format: property.format };
  return scalarSchema(property.kind);
}

function itemSchema({ schema }: ModelProperty): JSONSchema7 {
  const items = schema.items;
  if (typeof items !== 'object' || Array.isArray(items)) return { type: 'string' };
  if (items.format === 'utc-date') return { type: 'string', format: 'utc-date' };
  return scalarSchema([items.type].flat().find((type) => type !== 'null'));
}

function scalarSchema(type: string | undefined): JSONSchema7 {
  switch (type) {
    case 'boolean':
    case 'number':
      return { type };
    case 'integer':
      return {
        type: 'integer',
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      };
    default:
      return { type: 'string' };
  }
}

/** The shadow columns that filters and sorts read, in order of the properties. */
export function shadowsOf(
  properties: readonly ModelProperty[],
  filters: readonly ModelFilter[],
  sorts: readonly ModelSort[],
): readonly ModelShadow[] {
  const read = new Set([
    ...filters.flatMap(({ column, columns }) => [column, ...(columns ?? [])]),
    ...sorts.flatMap(({ column, casemapColumn }) => [column, casemapColumn]),
  ]);
  return properties.flatMap((property) =>
    (['fold', 'casemap', 'instant'] as const).flatMap((transform): ModelShadow[] => {
      const column = shadowColumn(property, transform);
      return read.has(column) ? [{ column, property, transform }] : [];
    }),
  );
}
