/**
 * An entry of PostgreSQL's ordered indexes takes at most 2,704 octets. The engine indexes the
 * beginning of a text that may be longer; a collation key has up to 18 code points for one. An
 * order names the beginning first and the whole text after it. So the index gives rows nearly in
 * order, and PostgreSQL sorts only those with equal beginnings.
 */

/** Code points, of at most four octets: an account's id and an object's fit beside them. */
const LENGTH = 600;

/** Returns the expression that is indexed; `column` is quoted. */
export function indexedText(column: string): string {
  return `left(${column}, ${LENGTH})`;
}
