import { hash } from 'node:crypto';
import type { DataTypeDefinition, FilterDefinition } from '../../capability/definition.js';
import type { Comparator } from '../../capability/standard.js';
import type { JsonObject } from '../../protocol/json.js';
import type { FilterNode, QueryPlan, Snapshot } from '../../store/port.js';
import { formatState, parseState } from '../states.js';
import { isImmutable, type TypeIndex } from '../type-index.js';
import { compileFilter, usedFilters } from './compile-filter.js';
import { compileSort } from './compile-sort.js';

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
