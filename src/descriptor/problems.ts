import { place } from './check/rule.js';
import type { Problem } from './model.js';
import { byCodeUnit } from './order.js';

/** Returns whether a problem stops a generation; the others are warnings. */
export function isError({ severity }: Problem): boolean {
  return severity !== 'warning';
}

/**
 * Returns the found problems without those at the place of an earlier one: that is told already.
 */
export function besides(
  earlier: readonly Problem[],
  found: readonly Problem[],
): readonly Problem[] {
  const places = new Set(earlier.map(({ at }) => place(at)));
  return found.filter(({ at }) => !places.has(place(at)));
}

/**
 * Returns problems without those that are told twice: two descriptors may use one shared file, and
 * it is wrong for both.
 */
export function withoutDoubles(problems: readonly Problem[]): readonly Problem[] {
  const known = new Map(
    problems.map((problem) => [`${place(problem.at)} ${problem.code} ${problem.message}`, problem]),
  );
  return [...known.values()];
}

/** Compares problems by file, line, column and message: the order in which they are told. */
export function byPlace(a: Problem, b: Problem): number {
  return (
    byCodeUnit(a.at.file, b.at.file) ||
    a.at.line - b.at.line ||
    a.at.column - b.at.column ||
    byCodeUnit(a.message, b.message)
  );
}
