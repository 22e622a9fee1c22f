/** Names of properties that something no longer reads, and those that it reads since a change. */
export interface NameChanges {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * Returns which names are no longer read and which are new. Ignores order. `renamed` gives old
 * names of properties by the new.
 */
export function compareNames(
  before: readonly string[],
  after: readonly string[],
  renamed: ReadonlyMap<string, string>,
): NameChanges {
  const isKnown = (name: string) =>
    before.includes(name) || before.includes(renamed.get(name) ?? name);
  const kept = new Set(after.flatMap((name) => [name, renamed.get(name) ?? name]));
  return {
    removed: before.filter((name) => !kept.has(name)),
    added: after.filter((name) => !isKnown(name)),
  };
}
