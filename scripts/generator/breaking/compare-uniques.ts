import type { SnapshotType } from '../migrations/snapshot.js';
import type { Tell } from './model-change.js';

type Names = readonly string[];

/** Compares what no two objects may share. `renamed`: earlier names by present ones. */
export function compareUniques(
  before: SnapshotType,
  after: SnapshotType,
  renamed: ReadonlyMap<string, string>,
  tell: Tell,
): void {
  const isSame = (old: Names, now: Names): boolean => {
    const earlier = now.map((name) => renamed.get(name) ?? name);
    return [earlier, now].some((one) => key(one) === key(old));
  };
  const isEqual = ({ nullsEqual = [] }: SnapshotType, names: Names): boolean =>
    nullsEqual.some((one) => key(one) === key(names));
  const place = (names: Names): string => `${after.name}.${names.join('+')}`;
  for (const unique of after.uniques) {
    const old = before.uniques.find((one) => isSame(one, unique));
    const equal = isEqual(after, unique);
    if (old !== undefined && isEqual(before, old) === equal) continue;
    if (old !== undefined && !equal) {
      tell('wire', false, place(unique), 'any number of objects may have none now');
      continue;
    }
    const what = old === undefined ? 'must be unique now' : 'one object at most may have none now';
    tell('wire', true, place(unique), what);
    tell('storage', true, place(unique), 'the migration is refused where objects collide');
  }
  const kept = new Set(after.properties.flatMap(({ name }) => [name, renamed.get(name) ?? name]));
  for (const old of before.uniques) {
    // Nobody misses the rule where a property is gone.
    if (after.uniques.some((one) => isSame(old, one)) || !old.every((name) => kept.has(name)))
      continue;
    tell('wire', false, place(old), 'need not be unique now');
  }
}

/** Returns the same text for names in any order. */
const key = (names: Names): string => [...names].sort().join('+');
