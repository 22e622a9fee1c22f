import type { Pool } from './pool.js';

/** Words of letters beyond ASCII, in scripts with and without letter case. */
const SAMPLES = ['война', '北京大学'];

/**
 * Returns the database's LC_CTYPE if pg_trgm doesn't see letters of all scripts and a type has a
 * search index; otherwise undefined. It asks the database about letters, since locale names tell
 * little: with LC_CTYPE C pg_trgm sees only ASCII, whatever the locale provider knows. Searches for
 * other letters then find the same, but read all objects of an account.
 */
export async function blindCtype(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ has: boolean; ctype: string }>(
    `SELECT to_regprocedure('show_trgm(text)') IS NOT NULL AS "has", "datctype" AS "ctype"
     FROM pg_database WHERE "datname" = current_database()`,
  );
  const [database] = rows;
  if (database?.has !== true) return undefined;
  const seen = await pool.query<{ all: boolean }>(
    'SELECT bool_and(cardinality(show_trgm("word")) > 0) AS "all" FROM unnest($1::text[]) AS ' +
      '"word"',
    [SAMPLES],
  );
  return seen.rows[0]?.all === true ? undefined : database.ctype;
}
