/**
 * The id that a client means by `text`: itself, or what the creation id behind a "#" was given (RFC
 * 8620 5.3). Null where nothing was created under it. "#" is no character of an Id, so the two
 * can't be confused.
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
