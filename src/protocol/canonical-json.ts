/**
 * Returns JSON with the members of every object in order of their names: equal values, equal text.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return objectText(members.map(([key, inner]) => [key, canonicalJson(inner)]));
}

/** Returns the text of an object whose values are text already; sorts the members given. */
export function objectText(members: [name: string, text: string][]): string {
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${inner}`).join(',')}}`;
}
