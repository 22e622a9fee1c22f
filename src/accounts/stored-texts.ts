/** Reads a JSON column of texts; null: none. */
export function textsOf(column: unknown): readonly string[] {
  return Array.isArray(column) ? column.filter((text) => typeof text === 'string') : [];
}
