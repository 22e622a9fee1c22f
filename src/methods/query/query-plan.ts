import { hash } from 'node:crypto';
import type {
  DataTypeDefinition,
  FilterDefinition,
  SortDefinition,
} from '../../capability/definition.js';
import { isInstant } from '../../capability/shadows.js';
import type { Comparator } from '../../capability/standard.js';
import { MethodError } from '../../protocol/errors.js';
import type { JsonObject, JsonValue } from '../../protocol/json.js';
import type { Collation, FilterNode, QueryPlan, Snapshot, SortKey } from '../../store/port.js';
import { quoted } from '../issues.js';
import { formatState, parseState } from '../states.js';
import { declaredMembers, declaredName, isImmutable, type TypeIndex } from '../type-index.js';
import { compileFilter, usedFilters } from './compile-filter.js';

/** A query's filter and sort, checked, with what identifies them in a queryState. */
export interface CompiledQuery {
  readonly plan: QueryPlan;
  /** Of type, canonical filter and sort (D16). */
  readonly hash: string;
}

const HASH_LENGTH = 16;

export function compileQuery(
  index: TypeIndex,
  filter: JsonObject | null,
  sort: readonly Comparator[] | null,
): CompiledQuery {
  const plan = { filter: compileFilter(index, filter), sort: compileSort(index, sort) };
  const identity = [
    index.type.name,
    canonical(plan.filter),
    plan.sort.map((key) => [key.sort.property.name, key.ascending, key.collation]),
    // A later descriptor may call immutable what changed before it: such a state is of another query.
    ...(isStable(plan) ? ['stable'] : []),
  ];
  const digest = hash('sha256', JSON.stringify(identity), 'base64url');
  return { plan, hash: digest.slice(0, HASH_LENGTH) };
}

/** D16: the counter says when, the hash for which query. */
export function formatQueryState(number: number, hash: string): string {
  return `${formatState(number)}.${hash}`;
}

/** The counter of a queryState that was issued for this query; null for any other text. */
export function parseQueryState(state: string, hash: string): number | null {
  const dot = state.indexOf('.');
  return state.slice(dot + 1) === hash && dot !== -1 ? parseState(state.slice(0, dot)) : null;
}

/** Whether a text could be the queryState of some query. */
export function isQueryState(state: string): boolean {
  const [number = '', hash = '', ...more] = state.split('.');
  return parseState(number) !== null && hash.length === HASH_LENGTH && more.length === 0;
}

/** How many results there are; of constant cost where nothing is filtered. */
export function totalOf(
  snapshot: Snapshot,
  type: DataTypeDefinition,
  { filter }: QueryPlan,
): Promise<number> {
  return filter.kind === 'all' ? snapshot.objectCount(type) : snapshot.count(type, filter);
}

/** 5.6: filter and sort read nothing that may change while an object lives. */
export function isStable(plan: QueryPlan): boolean {
  return (
    usedFilters(plan.filter).every(readsImmutable) &&
    plan.sort.every((key) => isImmutable(key.sort.property))
  );
}

/** Of several properties `text` has the first alone in its definition: the others may change. */
function readsImmutable({ property, columns = [] }: FilterDefinition): boolean {
  return columns.length <= 1 && isImmutable(property);
}

/** A filter as JSON in which equal ones look equal. */
function canonical(node: FilterNode): unknown {
  if (node.kind === 'operator') return [node.operator, ...node.conditions.map(canonical)];
  if (node.kind === 'condition') return [{ name: node.filter.name, value: node.value }];
  return node.kind;
}

/** D15: the collations that the session advertises, the default first. */
export const COLLATIONS: readonly Collation[] = Object.freeze([
  'i;unicode-casemap',
  'i;ascii-casemap',
  'i;ascii-numeric',
  'i;octet',
] as const);

/** Comparators of one `sort`, repeated ones included. */
const MAX_COMPARATORS = 1000;
const DEFAULT_COLLATION: Collation = 'i;unicode-casemap';
const MEMBERS: ReadonlySet<string> = new Set(['property', 'isAscending', 'collation']);

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
    const identity = `${key.sort.property.name} ${key.collation}`;
    if (seen.has(identity)) continue;
    seen.add(identity);
    keys.push(key);
  }
  return keys;
}

function compileComparator(index: TypeIndex, comparator: JsonObject): SortKey {
  const { type } = index;
  const { object, doubled } = declaredMembers(comparator, MEMBERS, type.acceptSnakeCase);
  if (doubled[0] !== undefined) invalid(`${quoted(doubled[0])} is given in both spellings`);
  const property = object['property'];
  const isAscending = object['isAscending'] ?? true;
  if (typeof property !== 'string') invalid('a Comparator needs the string "property"');
  if (typeof isAscending !== 'boolean') invalid('"isAscending" must be a boolean');
  const further = Object.keys(object).find((name) => !MEMBERS.has(name));
  if (further !== undefined) unsupported(`A Comparator of ${type.name} has no ${quoted(further)}.`);
  const sort = index.sorts.get(declaredName(property, index.sorts, type.acceptSnakeCase));
  if (sort === undefined) {
    const legal = [...index.sorts.keys()].join(', ');
    unsupported(`${type.name} can't be sorted by ${quoted(property)}; it can by ${legal}.`);
  }
  return {
    sort,
    ascending: isAscending,
    collation: collationOf(sort, object['collation'] ?? null),
  };
}

/** 5.5: where the property is no string, the collation is ignored, even an unknown one: a Date is none. */
function collationOf(sort: SortDefinition, collation: JsonValue): Collation {
  if (collation !== null && typeof collation !== 'string') invalid('"collation" must be a string');
  const { property } = sort;
  if (collation === null || property.kind !== 'string' || isInstant(property))
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
