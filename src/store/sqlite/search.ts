import type { SearchTarget } from '../sql/dialect-port.js';
import { type Fragment, name, quote, sql } from '../sql/fragment.js';

/** Code points of what the index holds. */
const GRAM = 3;
/** Trigrams looked up of one word: with more of them the list of rows hardly gets shorter. */
const MAX_GRAMS = 8;
/**
 * So many code points that follow each other are in one piece of a long text (search-pieces.ts),
 * wherever they are. Of a longer word, the lookup takes only the first `WINDOW` code points.
 */
export const WINDOW = 64;
/**
 * Words that are looked up in pieces: each is a lookup of its own, since each may be in another
 * piece.
 */
const MAX_WORDS = 4;

/**
 * Returns the rows that the FTS5 indexes of trigrams name (scripts/generator/migrations/search.ts
 * makes them): a superset, for they know of no positions. Rows whose long text is not indexed to
 * its end yet are among them, whatever is looked for. Words shorter than a trigram say nothing.
 */
export function lookUp(
  { name: index, accountId }: SearchTarget,
  columns: readonly string[],
  words: readonly string[],
): Fragment | null {
  const grams = new Set(words.flatMap((word) => gramsOf([...word])));
  if (grams.size === 0) return null;
  const inColumns = `{${columns.map(quote).join(' ')}}`;
  const matching = (suffix: string, all: Iterable<string>): Fragment => {
    const table = name(index + suffix);
    const rows = name(`${index}${suffix}_row`);
    const query = `${inColumns} : (${[...all].map(quote).join(' AND ')})`;
    return sql`SELECT "r"."id" AS "_id" FROM ${table} CROSS JOIN ${rows} AS "r"
 ON "r"."docid" = ${table}.rowid WHERE ${table} MATCH ${query}
 AND ${table}.rowid BETWEEN ${number} << 32 AND (${number} << 32) + 4294967295
 AND ("r"."docid" & 255 <> 0 OR jmap_tick())`;
  };
  const number = sql`(SELECT "number" FROM "JmapSearchAccount" WHERE "accountId" = ${accountId})`;
  const long = name(`${index}_long`);
  const inPieces = words
    .map((word) => new Set(gramsOf([...word].slice(0, WINDOW))))
    .filter(({ size }) => size > 0)
    .slice(0, MAX_WORDS)
    .map((all) => matching('_piece', all))
    .reduce<Fragment | null>(
      (all, one) => (all === null ? one : sql`${all} INTERSECT ${one}`),
      null,
    );
  const all = sql`SELECT "id" AS "_id" FROM ${long} WHERE "accountId" = ${accountId}`;
  const isElsewhere = sql`SELECT 1 FROM ${name(`${index}_row`)} AS "s"
 WHERE "s"."accountId" = ${accountId} AND "s"."id" = "l"."_id"`;
  return sql`${matching('', grams)} UNION ALL SELECT "l"."_id" FROM (
 SELECT "_id" FROM (${inPieces ?? all}) UNION ${all} AND "at" IS NOT NULL) AS "l"
 WHERE NOT EXISTS (${isElsewhere})`;
}

/**
 * Returns trigrams that cover a word, or as many as are of use for a long one. Leaves those with
 * U+0000, which would end a quoted string of the query language, to the comparison.
 */
function gramsOf(points: readonly string[]): readonly string[] {
  const last = points.length - GRAM;
  if (last < 0) return [];
  const step = Math.max(GRAM, Math.ceil(last / MAX_GRAMS));
  const starts = Array.from({ length: Math.ceil(last / step) }, (_, index) => index * step);
  return [...starts, last]
    .map((start) => points.slice(start, start + GRAM).join(''))
    .filter((gram) => !gram.includes('\0'));
}
