/** JSON with the members in order: databases have an order of their own. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`);
  return `{${entries.sort().join()}}`;
}
