/**
 * An entry of PostgreSQL's ordered indexes takes 2,704 octets, and no more. A text that may be longer
 * (the key of a collation: one code point may become eighteen) is indexed by its beginning; an order
 * names that first and the whole text after it, so that the index gives the rows nearly in order and
 * only those that begin alike are sorted.
 */

/** Code points, of at most four octets: an account's id and an object's fit beside them. */
const LENGTH = 600;

/** The expression that is indexed; `column` is quoted. */
export function indexedText(column: string): string {
  return `left(${column}, ${LENGTH})`;
}
