import type { JSONSchema7 } from 'json-schema';
import type { FilterOperator, PropertyKind, SortOperator } from '../../capability/definition.js';
import { FILTER_OPERATORS } from '../../capability/filter-operators.js';
import { formatNamed, type SortKeyName } from '../../capability/formats/index.js';
import { itemKeyOf } from '../../capability/text-forms.js';
import { kindOf } from '../kinds.js';
import { words } from '../located.js';
import type { ModelFilter, ModelIndex, ModelProperty, ModelSort } from '../model.js';
import { isSearched, OPERATORS } from '../operators.js';
import { itemsOf, type OperandView } from '../part-view.js';
import { mainType } from '../validation/schema.js';
import type { FilterView, SortView } from '../view.js';
import { filterColumn, manyOf, shadowColumn, sortColumns } from './shadows.js';

/** Finds a property of the type, or a part of one. The rules have judged that there is one. */
export type FindOperand = (view: OperandView | undefined) => ModelProperty;

/** Returns the model of a filter. */
export function buildFilter(view: FilterView, find: FindOperand): ModelFilter {
  const property = find(view.property);
  const operator = view.operator as FilterOperator;
  const many = manyOf(property, operator, view.all);
  const column = itemColumn(view, operator, find) ?? filterColumn(property, operator, many);
  const texts =
    view.texts.length === 0 ? [property] : view.texts.map((each) => find(each.property));
  return {
    name: view.name,
    property,
    operator,
    column,
    ...(operator === 'text'
      ? { properties: texts, columns: texts.map((each) => shadowColumn(each, 'fold')) }
      : {}),
    ...(many === undefined ? {} : { many }),
    ...(view.indexed && isSearched(operator) ? { indexed: true as const } : {}),
    schema: conditionSchema(property, operator),
    description: words(view.node) || sentence(view, texts, operator),
    at: view.nameAt,
  };
}

/** Returns the words for a condition without a description: `due` is before this date. */
function sentence(
  { name, all }: FilterView,
  read: readonly ModelProperty[],
  operator: FilterOperator,
): string {
  const { predicate } = OPERATORS[operator];
  // Clients don't know the names of internal properties.
  if (read.some(({ access }) => access === 'internal')) return `\`${name}\` ${predicate}`;
  const names = read.map((each) => `\`${each.name}\``);
  // Only `text` reads several.
  return names.length === 1
    ? `${all ? 'Each of ' : ''}${names.join('')} ${predicate}`
    : `Each word of this text is in ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, in any ` +
        'letter case.';
}

/** Returns the model of a sort, with the columns that order its property. */
export function buildSort(view: SortView, find: FindOperand): ModelSort {
  const property = find(view.property);
  const { name, operator, argument } = view;
  const by =
    operator === undefined || argument === undefined
      ? undefined
      : { operator: operator.name as SortOperator, argument: argument.name };
  const column = by && itemColumn(view, by.operator, find);
  return {
    name,
    property,
    ...(by === undefined ? sortColumns(property) : { by }),
    ...(column === undefined ? {} : { column }),
    indexed: view.indexed,
    at: view.at,
  };
}

/** Returns the column of the keys by which items compare; undefined where they have none. */
function itemColumn(
  { property: list }: FilterView | SortView,
  operator: FilterOperator,
  find: FindOperand,
): string | undefined {
  if (list === undefined || FILTER_OPERATORS[operator].compares !== 'item') return undefined;
  const key = itemKeyOf(find(list));
  return key && shadowColumn(find(itemsOf(list)), key.name as SortKeyName, 'list');
}

/**
 * Returns the ordered indexes that conditions ask for by `indexed: true`, where they compare
 * values, or beginnings.
 */
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
 * Returns the schema of a condition's value without null, which the validator allows for every
 * condition.
 */
function conditionSchema(property: ModelProperty, operator: FilterOperator): JSONSchema7 {
  switch (OPERATORS[operator].value) {
    case 'boolean':
      return { type: 'boolean' };
    case 'list':
      return { type: 'array', items: comparedSchema(property) };
    case 'key':
      return TEXT;
    case 'keys':
      return { type: 'array', items: TEXT };
    case 'entry':
      return { type: 'array', items: TEXT, minItems: 1, maxItems: 2 };
    case 'item':
      return itemSchema(property);
    default:
      return comparedSchema(property);
  }
}

/**
 * Returns the type alone, no bounds or enum: clients can still look for what a narrower schema no
 * longer allows. A format stays where it decides how values compare.
 */
function comparedSchema(property: ModelProperty): JSONSchema7 {
  const { format } = property.schema;
  const order = formatNamed(format)?.order ?? 'none';
  return format === undefined || order === 'none'
    ? SCHEMAS[property.kind]
    : { type: 'string', format };
}

/** Returns the schema of the value that `hasItem` takes. A date is compared as a date. */
function itemSchema({ schema }: ModelProperty): JSONSchema7 {
  const items = schema.items;
  if (typeof items !== 'object' || Array.isArray(items)) return { type: 'string' };
  const { format } = items;
  if (format !== undefined && formatNamed(format)?.kind === 'date')
    return { type: 'string', format };
  return SCHEMAS[kindOf(mainType(items), format) ?? 'string'];
}

const TEXT: JSONSchema7 = { type: 'string' };

/** The schema of a condition's value, by the kind of column that it compares. */
const SCHEMAS: Readonly<Record<PropertyKind, JSONSchema7>> = Object.freeze({
  string: TEXT,
  boolean: { type: 'boolean' },
  integer: {
    type: 'integer',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  number: { type: 'number' },
  date: TEXT,
  json: TEXT,
});
