import type { Item, JsonMap } from '../client/json.js';
import type { Random } from '../random.js';
import { listOperands } from './operators.js';
import type { Subject } from './subject.js';

/** Filters that a type's descriptor declares, alone and in trees of operators. */

/** Builds conditions of each declared filter: one for each value to try, `most` of a filter. */
export function buildFilters(
  subject: Subject,
  items: readonly Item[],
  most = Number.POSITIVE_INFINITY,
): readonly JsonMap[] {
  return subject.described.filters.flatMap((filter) =>
    listOperands(filter, items)
      .slice(0, most)
      .map((value) => ({ [filter.name]: value })),
  );
}

/** A tree of operators whose leaves are indexes. */
export type Tree =
  | number
  | { readonly operator: 'AND' | 'OR' | 'NOT'; readonly conditions: readonly Tree[] };

/**
 * Makes a random filter. Each operator has at least one condition, since RFC 8620 5.5 leaves open
 * what an operator without any finds.
 */
export function drawTree(random: Random, leaves: number, depth: number): Tree {
  if (depth === 0 || random.chance(0.3)) return random.integer(0, leaves - 1);
  return {
    operator: random.pick(['AND', 'OR', 'NOT']),
    conditions: Array.from({ length: random.integer(1, 3) }, () =>
      drawTree(random, leaves, depth - 1),
    ),
  };
}

/** Returns the filter of a tree whose leaves are indexes of conditions. */
export function buildFilter(tree: Tree, conditions: readonly JsonMap[]): JsonMap {
  if (typeof tree === 'number') return conditions[tree] ?? {};
  return {
    operator: tree.operator,
    conditions: tree.conditions.map((one) => buildFilter(one, conditions)),
  };
}

/**
 * Tells whether RFC 8620 5.5 has an id match a tree, where it is known what each condition matches.
 */
export function holds(tree: Tree, matched: readonly ReadonlySet<string>[], id: string): boolean {
  if (typeof tree === 'number') return matched[tree]?.has(id) ?? false;
  const { operator, conditions } = tree;
  const matches = (one: Tree): boolean => holds(one, matched, id);
  if (operator === 'AND') return conditions.every(matches);
  return operator === 'OR' ? conditions.some(matches) : !conditions.some(matches);
}
