/** Returns an SQL identifier in quotes: a table, a column, an index. */
export function quote(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
