import type { SearchTarget } from '../sql/dialect.js';
import { type Fragment, name, quote, sql } from '../sql/fragment.js';

/** Code points of what the index holds. */
const GRAM = 3;
/** Trigrams looked up of one word: with more of them the list of rows hardly gets shorter. */
const MAX_GRAMS = 8;

/**
 * The rows that the FTS5 index of trigrams names (scripts/generator/migrations/search.ts makes it):
 * a superset, for it knows of no positions. Words shorter than a trigram say nothing.
 */
export function lookUp(
  { name: index, accountId }: SearchTarget,
  columns: readonly string[],
  words: readonly string[],
): Fragment | null {
  const grams = new Set(words.flatMap(gramsOf));
  if (grams.size === 0) return null;
  const query = `{${columns.map(quote).join(' ')}} : (${[...grams].map(quote).join(' AND ')})`;
  const table = name(index);
  const number = sql`(SELECT "number" FROM "JmapSearchAccount" WHERE "accountId" = ${accountId})`;
  return sql`SELECT "r"."id" AS "_id" FROM ${table} CROSS JOIN ${name(`${index}_row`)} AS "r"
 ON "r"."docid" = ${table}.rowid WHERE ${table} MATCH ${query}
 AND ${table}.rowid BETWEEN ${number} << 32 AND (${number} << 32) + 4294967295
 AND ("r"."docid" & 255 <> 0 OR jmap_tick())`;
}

/**
 * Trigrams of a word that cover it, or of a long one as many as are of use. What a quoted string of
 * the query language can't hold (U+0000 ends the query) is left to the comparison.
 */
function gramsOf(word: string): readonly string[] {
  const points = [...word];
  const last = points.length - GRAM;
  if (last < 0) return [];
  const step = Math.max(GRAM, Math.ceil(last / MAX_GRAMS));
  const starts = Array.from({ length: Math.ceil(last / step) }, (_, index) => index * step);
  return [...starts, last]
    .map((start) => points.slice(start, start + GRAM).join(''))
    .filter((gram) => !gram.includes('\0'));
}
