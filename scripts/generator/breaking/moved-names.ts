/** Names of properties that something read before a change alone, and those since then alone. */
export interface MovedNames {
  readonly lost: readonly string[];
  readonly gained: readonly string[];
}

/**
 * Compares what was read with what is read now; `renamed` gives old names of properties by the new.
 * Their order is nothing.
 */
export function listMoved(
  was: readonly string[],
  is: readonly string[],
  renamed: ReadonlyMap<string, string>,
): MovedNames {
  const isKnown = (name: string) => was.includes(name) || was.includes(renamed.get(name) ?? name);
  const kept = new Set(is.flatMap((name) => [name, renamed.get(name) ?? name]));
  return {
    lost: was.filter((name) => !kept.has(name)),
    gained: is.filter((name) => !isKnown(name)),
  };
}
