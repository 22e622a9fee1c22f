import { hash } from 'node:crypto';
import type {
  DataTypeDefinition,
  FilterDefinition,
  SortDefinition,
} from '../../capability/definition.js';
import { FILTER_OPERATORS } from '../../capability/filter-operators.js';
import { sortKeyOf } from '../../capability/formats/index.js';
import { sortColumn } from '../../capability/shadow-transforms.js';
import type { Comparator } from '../../capability/standard.js';
import { formedText, innerForm, ownForm } from '../../capability/text-forms.js';
import type { TextForm } from '../../capability/text-rule.js';
import { MethodError } from '../../protocol/errors.js';
import {
  emptyObject,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import type { Collation, FilterNode, QueryPlan, Snapshot, SortKey } from '../../store/port.js';
import { complaintsOf, quoted, sentence } from '../issues.js';
import { parseState } from '../states.js';
import { declaredMembers, declaredName, isImmutable, type TypeIndex } from '../type-index.js';
import { identityOfShape, leavesOut, shapeOf } from './query-shape.js';

/** A query's filter, sort and shape, checked, with what identifies them in a queryState. */
export interface CompiledQuery {
  readonly plan: QueryPlan;
  /** Of type, canonical filter and sort, by their meaning. */
  readonly hash: string;
}

const HASH_LENGTH = 16;

/** `args`: all of the call, by which its result may take a shape. */
export function compileQuery(
  index: TypeIndex,
  filter: JsonObject | null,
  sort: readonly Comparator[] | null,
  args: object = {},
): CompiledQuery {
  const { query } = index.type;
  const shape = query === undefined ? undefined : shapeOf(query, args);
  const plan = {
    filter: compileFilter(index, filter),
    sort: compileSort(index, sort),
    ...(shape === undefined ? {} : { shape }),
  };
  const identity = [
    index.type.name,
    canonical(plan.filter),
    plan.sort.map(({ sort, ascending, collation, value }) => [
      ...[sortColumn(sort), sort.by?.operator ?? null, ascending, collation],
      ...(value === undefined ? [] : [value]),
    ]),
    // A state from before a descriptor made a property immutable belongs to another query.
    ...(isStable(plan) ? ['stable'] : []),
    ...(shape === undefined ? [] : [identityOfShape(shape)]),
  ];
  const digest = hash('sha256', JSON.stringify(identity), 'base64url');
  return { plan, hash: digest.slice(0, HASH_LENGTH) };
}

/** Returns a queryState: the state says when, the hash for which query. */
export function formatQueryState(state: string, hash: string): string {
  return `${state}.${hash}`;
}

/** Returns the state in a queryState that was issued for this query; null for any other text. */
export function stateIn(queryState: string, hash: string): string | null {
  const dot = queryState.indexOf('.');
  return queryState.slice(dot + 1) === hash && dot !== -1 ? queryState.slice(0, dot) : null;
}

/** Returns whether a text could be the queryState of some query. */
export function isQueryState(state: string): boolean {
  const [number = '', hash = '', ...more] = state.split('.');
  const isState = parseState(number) !== null || /^\d+-/.test(number);
  return isState && hash.length === HASH_LENGTH && more.length === 0;
}

/** Returns how many results there are; of constant cost where nothing is filtered. */
export function totalOf(
  snapshot: Pick<Snapshot, 'count' | 'objectCount'>,
  type: DataTypeDefinition,
  { filter, shape }: QueryPlan,
): Promise<number> {
  if (shape !== undefined && leavesOut(shape)) return snapshot.count(type, filter, shape);
  return filter.kind === 'all' ? snapshot.objectCount(type) : snapshot.count(type, filter);
}

/**
 * Returns whether filter and sort read nothing that may change while an object lives (RFC 8620
 * 5.6).
 */
export function isStable(plan: QueryPlan): boolean {
  return (
    (plan.shape === undefined || isImmutable(plan.shape.by)) &&
    usedFilters(plan.filter).every(readsImmutable) &&
    plan.sort.every((key) => isImmutable(key.sort.property))
  );
}

/** Of several properties `text` has the first alone in its definition: the others may change. */
function readsImmutable({ property, columns = [] }: FilterDefinition): boolean {
  return columns.length <= 1 && isImmutable(property);
}

/**
 * Returns a filter as JSON in which equal ones look equal. A condition tells what it means, by its
 * column, which keeps its name: a next version may give another meaning to the condition's name.
 */
function canonical(node: FilterNode): unknown {
  if (node.kind === 'operator') return [node.operator, ...node.conditions.map(canonical)];
  if (node.kind !== 'condition') return node.kind;
  const { operator, many, column, columns = [column] } = node.filter;
  return [{ operator, many, columns, value: node.value }];
}

/** The collations that the session advertises, the default first. */
export const COLLATIONS: readonly Collation[] = Object.freeze([
  'i;unicode-casemap',
  'i;ascii-casemap',
  'i;ascii-numeric',
  'i;octet',
] as const);

/** Comparators of one `sort`, repeated ones included. */
const MAX_COMPARATORS = 1000;
const DEFAULT_COLLATION: Collation = 'i;unicode-casemap';
const MEMBERS: readonly string[] = ['property', 'isAscending', 'collation'];

/**
 * Checks a `sort` argument (RFC 8620 5.5). Throws `unsupportedSort` for a property, collation or
 * member that the type doesn't declare and for over 1,000 comparators, `invalidArguments` for a
 * wrong shape.
 */
function compileSort(index: TypeIndex, sort: readonly Comparator[] | null): readonly SortKey[] {
  if (sort !== null && sort.length > MAX_COMPARATORS) {
    unsupported(`The sort has more than ${MAX_COMPARATORS} comparators.`);
  }
  const keys: SortKey[] = [];
  const seen = new Set<string>();
  for (const comparator of sort ?? []) {
    const key = compileComparator(index, comparator as unknown as JsonObject);
    // A repeated key decides nothing. Leaving it out also bounds the length of the sort.
    const identity = JSON.stringify([key.sort.name, key.collation, key.value]);
    if (seen.has(identity)) continue;
    seen.add(identity);
    keys.push(key);
  }
  return keys;
}

function compileComparator(index: TypeIndex, comparator: JsonObject): SortKey {
  const { type, comparatorMembers } = index;
  const { object, doubled } = declaredMembers(comparator, comparatorMembers, type.acceptSnakeCase);
  if (doubled[0] !== undefined) invalid(`${quoted(doubled[0])} is given in both spellings`);
  const property = object['property'];
  const isAscending = object['isAscending'] ?? true;
  if (typeof property !== 'string') invalid('a Comparator needs the string "property"');
  if (typeof isAscending !== 'boolean') invalid('"isAscending" must be a boolean');
  const sort = index.sorts.get(declaredName(property, index.sorts, type.acceptSnakeCase));
  if (sort === undefined) {
    const legal = [...index.sorts.keys()].join(', ');
    unsupported(`${type.name} can't be sorted by ${quoted(property)}; it can by ${legal}.`);
  }
  const argument = sort.by?.argument;
  const further = Object.keys(object).find((name) => !MEMBERS.includes(name) && name !== argument);
  if (further !== undefined)
    unsupported(`A Comparator of ${type.name} by ${sort.name} has no ${quoted(further)}.`);
  return {
    sort,
    ascending: isAscending,
    collation: collationOf(sort, object['collation'] ?? null),
    ...(sort.by === undefined ? {} : { value: comparedText(sort, sort.by, object) }),
  };
}

/** Returns what the Comparator compares with, in the form of the texts that are stored. */
function comparedText(
  { name, property }: SortDefinition,
  { operator, argument }: NonNullable<SortDefinition['by']>,
  object: JsonObject,
): string {
  const value = object[argument];
  if (typeof value !== 'string')
    invalid(`a Comparator by ${quoted(name)} needs the string ${quoted(argument)}`);
  const form = comparedForm({ property, operator });
  return form === undefined ? value : formedText(form, value);
}

/** Returns the collation. It ignores any, known or not, for a non-string, such as a Date (5.5). */
function collationOf(sort: SortDefinition, collation: JsonValue): Collation {
  if (collation !== null && typeof collation !== 'string') invalid('"collation" must be a string');
  const { property, by } = sort;
  if (
    collation === null ||
    by !== undefined ||
    property.kind !== 'string' ||
    sortKeyOf(property) !== undefined
  )
    return DEFAULT_COLLATION;
  const found = COLLATIONS.find((known) => known === collation);
  if (found === undefined) {
    unsupported(`There is no collation ${quoted(collation)}; there are ${COLLATIONS.join(', ')}.`);
  }
  return found;
}

function invalid(what: string): never {
  throw new MethodError('invalidArguments', `"sort": ${what}.`);
}

function unsupported(description: string): never {
  throw new MethodError('unsupportedSort', description);
}

/** RFC 8620 8.5: a filter beyond these is refused before anything is done with it. */
const MAX_DEPTH = 64;
const MAX_NODES = 1000;
/** Characters of all texts together that are looked for within others: they are folded at once. */
const MAX_NEEDLES = 65_536;

/**
 * Items of all lists together that conditions compare with: a list of every id of a /query fits.
 */
const MAX_ITEMS = 100_000;

const ALL: FilterNode = Object.freeze({ kind: 'all' });
const NONE: FilterNode = Object.freeze({ kind: 'none' });

/**
 * Checks a `filter` argument and leaves what constrains (RFC 8620 5.5). Throws
 * `unsupportedFilter` for a condition that the type doesn't declare and for a filter too large,
 * `invalidArguments` for a wrong shape.
 */
function compileFilter(index: TypeIndex, filter: JsonObject | null): FilterNode {
  if (filter === null) return ALL;
  requireFilterWithinBounds(filter);
  return new FilterCompiler(index).compile(filter);
}

/**
 * Throws `unsupportedFilter` for a filter that is nested too deep or has too many nodes. It looks
 * at the shape alone: hooks get arguments before anything else of a filter is judged.
 */
function requireFilterWithinBounds(filter: JsonValue): void {
  const nodes = [{ node: filter, depth: 1 }];
  // An array goes on over what is added while it is walked.
  for (const { node, depth } of nodes) {
    if (depth > MAX_DEPTH) unsupportedFilter(`The filter is nested deeper than ${MAX_DEPTH}.`);
    for (const child of childrenOf(node)) {
      if (nodes.length === MAX_NODES)
        unsupportedFilter(`The filter has more than ${MAX_NODES} nodes.`);
      nodes.push({ node: child, depth: depth + 1 });
    }
  }
}

/**
 * Returns the conditions of an operator; of what a condition compares with, only what is nested
 * again.
 */
function* childrenOf(node: JsonValue): Iterable<JsonValue> {
  if (isJsonArray(node)) yield* node.filter(isNested);
  if (!isJsonObject(node)) return;
  for (const [name, value] of Object.entries(node)) {
    if (isJsonArray(value)) yield* name === 'conditions' ? value : value.filter(isNested);
    else if (isNested(value)) yield value;
  }
}

function isNested(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null;
}

/** Returns every filter definition that a compiled filter uses. */
function usedFilters(node: FilterNode): readonly FilterDefinition[] {
  if (node.kind === 'condition') return [node.filter];
  return node.kind === 'operator' ? node.conditions.flatMap(usedFilters) : [];
}

class FilterCompiler {
  readonly #index: TypeIndex;
  #characters = 0;
  #items = 0;

  constructor(index: TypeIndex) {
    this.#index = index;
  }

  /** Of a filter within the bounds: recursion ends at MAX_DEPTH. */
  compile(node: JsonValue): FilterNode {
    if (!isJsonObject(node))
      invalidFilter('A filter must be a FilterOperator or FilterCondition object.');
    return Object.hasOwn(node, 'operator') ? this.#operator(node) : this.#condition(node);
  }

  #operator(node: JsonObject): FilterNode {
    const { operator, conditions, ...others } = node;
    if (operator !== 'AND' && operator !== 'OR' && operator !== 'NOT') {
      invalidFilter('"operator" in a filter must be "AND", "OR" or "NOT".');
    }
    if (!isJsonArray(conditions))
      invalidFilter('"conditions" of a FilterOperator must be an array of filters.');
    const further = Object.keys(others);
    if (further.length > 0) {
      invalidFilter(`A FilterOperator has no ${further.slice(0, 10).map(quoted).join(', ')}.`);
    }
    const compiled = conditions.map((condition) => this.compile(condition));
    // No condition is all for AND and NOT, none for OR.
    if (compiled.length === 0) return operator === 'OR' ? NONE : ALL;
    return { kind: 'operator', operator, conditions: compiled };
  }

  /**
   * 5.5: all members of a FilterCondition must hold. In order of declaration: equal filters look
   * equal.
   */
  #condition(node: JsonObject): FilterNode {
    const { type, filters } = this.#index;
    const { object, doubled } = declaredMembers(node, filters, type.acceptSnakeCase);
    if (doubled.length > 0) {
      invalidFilter(sentence(doubled.map((name) => `${quoted(name)} is given in both spellings`)));
    }
    const unknown = Object.keys(object).filter((name) => !filters.has(name));
    if (unknown.length > 0) {
      const legal = [...filters.keys()].join(', ');
      const names = unknown.slice(0, 10).map(quoted).join(', ');
      unsupportedFilter(`${type.name} has no filter ${names}; it has ${legal}.`);
    }
    for (const value of Object.values(object)) if (isJsonArray(value)) this.#countItems(value);
    const members = this.#validated(object);
    const conditions: FilterNode[] = [];
    for (const filter of filters.values()) {
      const value = members[filter.name];
      if (value === undefined || !constrains(filter, value)) continue;
      if (FILTER_OPERATORS[filter.operator].compares === 'piece') this.#countText(String(value));
      conditions.push({ kind: 'condition', filter, value });
    }
    const [only, ...rest] = conditions;
    if (only === undefined) return ALL;
    return rest.length === 0 ? only : { kind: 'operator', operator: 'AND', conditions };
  }

  #countItems({ length }: readonly JsonValue[]): void {
    this.#items += length;
    if (this.#items <= MAX_ITEMS) return;
    unsupportedFilter(`The filter has lists of more than ${MAX_ITEMS} items together.`);
  }

  #countText({ length }: string): void {
    this.#characters += length;
    if (this.#characters <= MAX_NEEDLES) return;
    unsupportedFilter(
      `The filter looks for texts of more than ${MAX_NEEDLES} characters together.`,
    );
  }

  /**
   * Returns the values of the members, judged by the generated validator; null is legal everywhere.
   */
  #validated(object: JsonObject): JsonObject {
    const values = emptyObject();
    const nulls: string[] = [];
    for (const [name, value] of Object.entries(object)) {
      if (value === null) nulls.push(name);
      else values[name] = canonicalValue(this.#index.filters.get(name), value);
    }
    const complaints = complaintsOf(this.#index.type.validate.filter, values);
    if (complaints.length > 0) invalidFilter(sentence(complaints.map(({ text }) => text)));
    for (const name of nulls) values[name] = null;
    return values;
  }
}

/** Returns whether a value constrains anything: null and the empty text need not. */
function constrains({ operator, property }: FilterDefinition, value: JsonValue): boolean {
  if (value === null) return operator === 'equals' && property.nullable;
  return value !== '' || FILTER_OPERATORS[operator].compares !== 'piece';
}

/**
 * Returns a text in the one form of its format that is stored, so that it compares and hashes
 * alike.
 */
function canonicalValue(filter: FilterDefinition | undefined, value: JsonValue): JsonValue {
  const isEntry = filter !== undefined && FILTER_OPERATORS[filter.operator].compares === 'entry';
  if (isEntry && isJsonArray(value)) return canonicalEntry(filter, value);
  const form = filter === undefined ? undefined : comparedForm(filter);
  if (form === undefined) return value;
  if (isJsonArray(value)) return value.map((item) => canonicalValue(filter, item));
  return typeof value === 'string' ? formedText(form, value) : value;
}

/** Returns a key and the text in its value, each in its own form. */
function canonicalEntry({ property }: FilterDefinition, entry: readonly JsonValue[]): JsonValue {
  const forms = [innerForm(property, 'key'), innerForm(property, 'value')];
  return entry.map((text, at) => {
    const form = forms[at];
    return form === undefined || typeof text !== 'string' ? text : formedText(form, text);
  });
}

/** Returns the form of the texts that a condition compares; undefined where it has none. */
function comparedForm({
  property,
  operator,
}: Pick<FilterDefinition, 'property' | 'operator'>): TextForm | undefined {
  const { compares } = FILTER_OPERATORS[operator];
  if (compares === 'key' || compares === 'item') return innerForm(property, compares);
  // A piece of a text is found in any letter case.
  return compares === 'piece' ? undefined : ownForm(property);
}

function invalidFilter(what: string): never {
  throw new MethodError('invalidArguments', `"filter": ${what}`);
}

function unsupportedFilter(description: string): never {
  throw new MethodError('unsupportedFilter', description);
}
