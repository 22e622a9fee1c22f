import type { Pool } from './pool.js';

/** Words of letters beyond ASCII, in scripts with and without letter case. */
const SAMPLES = ['война', '北京大学'];

/**
 * Undefined where pg_trgm sees letters of all scripts, or where no type has a search index; else the
 * LC_CTYPE of the database. It is asked what it makes of letters, since names of locales tell little:
 * with LC_CTYPE C it sees ASCII's alone, whatever else the database's locale provider knows. Searches
 * find the same then, but those for other letters read all objects of an account.
 */
export async function blindCtype(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ has: boolean; ctype: string }>(
    `SELECT to_regprocedure('show_trgm(text)') IS NOT NULL AS "has", "datctype" AS "ctype"
     FROM pg_database WHERE "datname" = current_database()`,
  );
  const [database] = rows;
  if (database?.has !== true) return undefined;
  const seen = await pool.query<{ all: boolean }>(
    'SELECT bool_and(cardinality(show_trgm("word")) > 0) AS "all" FROM unnest($1::text[]) AS "word"',
    [SAMPLES],
  );
  return seen.rows[0]?.all === true ? undefined : database.ctype;
}
