import type { FilterDefinition } from '../../capability/definition.js';
import { formatOf } from '../../capability/formats/index.js';
import { MethodError } from '../../protocol/errors.js';
import {
  emptyObject,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import type { FilterNode } from '../../store/port.js';
import { complaintsOf, quoted, sentence } from '../issues.js';
import { declaredMembers, type TypeIndex } from '../type-index.js';

/** RFC 8620 8.5: a filter beyond these is refused before anything is done with it. */
const MAX_DEPTH = 64;
const MAX_NODES = 1000;
/** Characters of all texts together that are looked for within others: they are folded at once. */
const MAX_NEEDLES = 65_536;

/**
 * Items of all lists together that conditions compare with: a list of every id of a /query fits.
 */
const MAX_ITEMS = 100_000;

type Operator = 'AND' | 'OR' | 'NOT';

const ALL: FilterNode = Object.freeze({ kind: 'all' });
const NONE: FilterNode = Object.freeze({ kind: 'none' });

/**
 * Checks a `filter` argument and leaves what constrains (RFC 8620 5.5, D14). Throws
 * `unsupportedFilter` for a condition that the type doesn't declare and for a filter too large,
 * `invalidArguments` for a wrong shape.
 */
export function compileFilter(index: TypeIndex, filter: JsonObject | null): FilterNode {
  if (filter === null) return ALL;
  requireFilterWithinBounds(filter);
  return new FilterCompiler(index).compile(filter);
}

/**
 * Throws `unsupportedFilter` for a filter that is nested too deep or has too many nodes. It looks
 * at the shape alone: hooks get arguments before anything else of a filter is judged.
 */
export function requireFilterWithinBounds(filter: JsonValue): void {
  const nodes = [{ node: filter, depth: 1 }];
  // An array goes on over what is added while it is walked.
  for (const { node, depth } of nodes) {
    if (depth > MAX_DEPTH) unsupported(`The filter is nested deeper than ${MAX_DEPTH}.`);
    for (const child of childrenOf(node)) {
      if (nodes.length === MAX_NODES) unsupported(`The filter has more than ${MAX_NODES} nodes.`);
      nodes.push({ node: child, depth: depth + 1 });
    }
  }
}

/** The conditions of an operator; of what a condition compares with, only what is nested again. */
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

/** Every filter definition that a compiled filter uses. */
export function usedFilters(node: FilterNode): readonly FilterDefinition[] {
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
      invalid('A filter must be a FilterOperator or FilterCondition object.');
    return Object.hasOwn(node, 'operator') ? this.#operator(node) : this.#condition(node);
  }

  #operator(node: JsonObject): FilterNode {
    const { operator, conditions, ...others } = node;
    if (operator !== 'AND' && operator !== 'OR' && operator !== 'NOT') {
      invalid('"operator" in a filter must be "AND", "OR" or "NOT".');
    }
    if (!isJsonArray(conditions))
      invalid('"conditions" of a FilterOperator must be an array of filters.');
    const further = Object.keys(others);
    if (further.length > 0) {
      invalid(`A FilterOperator has no ${further.slice(0, 10).map(quoted).join(', ')}.`);
    }
    const compiled = conditions.map((condition) => this.compile(condition));
    if (compiled.length === 0) return empty(operator);
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
      invalid(sentence(doubled.map((name) => `${quoted(name)} is given in both spellings`)));
    }
    const unknown = Object.keys(object).filter((name) => !filters.has(name));
    if (unknown.length > 0) {
      const legal = [...filters.keys()].join(', ');
      const names = unknown.slice(0, 10).map(quoted).join(', ');
      unsupported(`${type.name} has no filter ${names}; it has ${legal}.`);
    }
    for (const value of Object.values(object)) if (isJsonArray(value)) this.#countItems(value);
    const members = this.#validated(object);
    const conditions: FilterNode[] = [];
    for (const filter of filters.values()) {
      const value = members[filter.name];
      if (value === undefined || !constrains(filter, value)) continue;
      if (EMPTY_IS_ALL.has(filter.operator)) this.#countText(String(value));
      conditions.push({ kind: 'condition', filter, value });
    }
    const [only, ...rest] = conditions;
    if (only === undefined) return ALL;
    return rest.length === 0 ? only : { kind: 'operator', operator: 'AND', conditions };
  }

  #countItems({ length }: readonly JsonValue[]): void {
    this.#items += length;
    if (this.#items <= MAX_ITEMS) return;
    unsupported(`The filter has lists of more than ${MAX_ITEMS} items together.`);
  }

  #countText({ length }: string): void {
    this.#characters += length;
    if (this.#characters <= MAX_NEEDLES) return;
    unsupported(`The filter looks for texts of more than ${MAX_NEEDLES} characters together.`);
  }

  /**
   * The values of the members, judged by the generated validator; null is legal everywhere (D14).
   */
  #validated(object: JsonObject): JsonObject {
    const given = emptyObject();
    const nulls: string[] = [];
    for (const [name, value] of Object.entries(object)) {
      if (value === null) nulls.push(name);
      else given[name] = canonical(this.#index.filters.get(name), value);
    }
    const complaints = complaintsOf(this.#index.type.validate.filter, given);
    if (complaints.length > 0) invalid(sentence(complaints.map(({ text }) => text)));
    for (const name of nulls) given[name] = null;
    return given;
  }
}

/** D14: no condition is all for AND and NOT, none for OR. */
function empty(operator: Operator): FilterNode {
  return operator === 'OR' ? NONE : ALL;
}

const EMPTY_IS_ALL: ReadonlySet<string> = new Set(['contains', 'startsWith', 'text']);

/** D14: what null and the empty text mean. */
function constrains({ operator, property }: FilterDefinition, value: JsonValue): boolean {
  if (value === null) return operator === 'equals' && property.nullable;
  return value !== '' || !EMPTY_IS_ALL.has(operator);
}

/** A text in the one form of its format that is stored, so that it compares and hashes alike. */
function canonical(filter: FilterDefinition | undefined, value: JsonValue): JsonValue {
  const format = filter === undefined ? undefined : formatOf(filter.property);
  if (format?.canonical === undefined) return value;
  if (isJsonArray(value)) return value.map((item) => canonical(filter, item));
  return typeof value === 'string' && format.isLegal(value) ? format.canonical(value) : value;
}

function invalid(what: string): never {
  throw new MethodError('invalidArguments', `"filter": ${what}`);
}

function unsupported(description: string): never {
  throw new MethodError('unsupportedFilter', description);
}
