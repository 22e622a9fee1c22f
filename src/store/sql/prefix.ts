import type { Dialect } from './dialect-port.js';
import { type Fragment, quote, raw, sql } from './fragment.js';

/** Code points: a longer prefix narrows down no more, and indexes hold so many of any text. */
const LENGTH = 100;
const LAST = 0x10ffff;

/**
 * Returns a range of the column's ordered index: all texts that begin with `prefix`, and others
 * only if it is long. `how` wraps each end of the range. Null if it narrows down nothing.
 */
export function prefixRange(
  column: string,
  prefix: string,
  dialect: Dialect,
  how: (end: Fragment) => Fragment = (end) => end,
): Fragment | null {
  const start = [...prefix].slice(0, LENGTH);
  if (start.length === 0) return null;
  const text = raw(dialect.indexedText(quote(column)));
  const from = how(sql`${text} >= ${start.join('')}`);
  const end = successor(start);
  return end === null ? from : sql`(${from} AND ${how(sql`${text} < ${end}`)})`;
}

/**
 * Returns the least text behind all that begin so, by octets of UTF-8, which is the order of code
 * points; null where there is none.
 */
export function successor(points: readonly string[]): string | null {
  for (let length = points.length; length > 0; length -= 1) {
    const point = points[length - 1]?.codePointAt(0) ?? LAST;
    if (point === LAST) continue;
    // Surrogates are no code points of a text.
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    return points.slice(0, length - 1).join('') + String.fromCodePoint(next);
  }
  return null;
}
