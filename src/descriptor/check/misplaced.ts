import { descend, type Located, members, text } from '../located.js';
import { isOperator } from '../operators.js';
import { type Path, spoiledBy } from './follow-ons.js';
import type { Report } from './rule.js';

/**
 * Keys of a type that are often written one level too deep, among its properties. Each tells how a
 * value looks that is meant for the type, and not for a property of that name.
 */
const OF_A_TYPE: Readonly<Record<string, (node: Located) => boolean>> = Object.freeze({
  required: isNoObject,
  sort: isNoObject,
  unique: isNoObject,
  indexes: isNoObject,
  drops: isNoObject,
  standardMethods: isNoObject,
  singleton: isNoObject,
  acceptSnakeCase: isNoObject,
  description: isNoObject,
  filter: (node) => isNoObject(node) || members(node).some((each) => isCondition(each.node)),
});

/** The keys of a nested object, in the same way. */
const OF_AN_OBJECT: typeof OF_A_TYPE = Object.freeze({
  required: isNoObject,
  additionalProperties: isNoObject,
  description: isNoObject,
});

/**
 * Reports keys that stand one level too deep, where one of the paths leads to them or into them.
 * Returns their paths.
 */
export function findMisplaced(
  root: Located,
  paths: readonly Path[],
  report: Report,
): readonly Path[] {
  const found = new Map<string, Path>();
  for (const path of paths) {
    const end = path.findIndex((step, index) => isMisplaced(root, path, step, index));
    if (end < 0) continue;
    const misplaced = path.slice(0, end + 1);
    const id = JSON.stringify(misplaced);
    if (found.has(id)) continue;
    found.set(id, misplaced);
    const parent = misplaced.slice(0, -1);
    const key = misplaced.at(-1) ?? '';
    report(
      'misplaced-key',
      descend(root, parent).members?.get(key)?.nameAt ?? root.at,
      `"${key}" stands one level too deep: write it beside "properties", not in it.`,
      // Without it, nothing is known of the whole type.
      { spoils: spoiledBy(root, misplaced.slice(0, -2)) },
    );
  }
  return [...found.values()];
}

/** Returns whether a path leads to the place of another or to one below it. */
export function isAtOrBelow(path: Path, ancestor: Path): boolean {
  return ancestor.every((step, index) => path[index] === step);
}

/** Returns whether the step is a key of a type or an object that stands among the properties. */
function isMisplaced(root: Located, path: Path, step: string, index: number): boolean {
  if (path[index - 1] !== 'properties') return false;
  const keys = index === 3 && path[0] === 'types' ? OF_A_TYPE : OF_AN_OBJECT;
  if (!Object.hasOwn(keys, step)) return false;
  return keys[step]?.(descend(root, path.slice(0, index + 1))) === true;
}

/** Returns whether a node is a scalar or a list. */
function isNoObject({ members: own }: Located): boolean {
  return own === undefined;
}

/** Returns whether a node looks like a filter: an operator, or an object with `is`. */
function isCondition(node: Located): boolean {
  return isOperator(text(node)) || node.members?.has('is') === true;
}
