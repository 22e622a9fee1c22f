/**
 * Returns the id that a client means by `text`: itself, or what the creation id behind a "#" was
 * given (RFC 8620 5.3). Null where nothing was created under it. "#" is no character of an Id, so
 * the two can't be confused.
 */
export function resolveId(
  text: string,
  ...maps: readonly ReadonlyMap<string, string>[]
): string | null {
  if (!text.startsWith('#')) return text;
  const creationId = text.slice(1);
  for (const map of maps) {
    const id = map.get(creationId);
    if (id !== undefined) return id;
  }
  return null;
}

/** The `ids` argument of a /get, each object once. */
export interface DistinctIds {
  /** Id to the string that asked for it, in order. */
  readonly existing: ReadonlyMap<string, string>;
  /** Creation ids under which nothing was created. */
  readonly unresolved: ReadonlySet<string>;
}

/** Returns each id once: RFC 8620 5.1 answers an id that is asked for more than once only once. */
export function distinctIds(
  texts: readonly string[],
  createdIds: ReadonlyMap<string, string>,
): DistinctIds {
  const existing = new Map<string, string>();
  const unresolved = new Set<string>();
  for (const text of texts) {
    const id = resolveId(text, createdIds);
    if (id === null) unresolved.add(text);
    else if (!existing.has(id)) existing.set(id, text);
  }
  return { existing, unresolved };
}
