import { UNICODE_VERSION } from '../../text/index.js';
import { MigrationError } from '../migrations.js';
import type { Pool } from './pool.js';

const KEY = 'unicodeVersion';

/** Does the same as the function of this name for SQLite. */
export async function recordUnicodeVersion(pool: Pool): Promise<void> {
  await pool.query(
    'INSERT INTO "JmapMeta" ("key", "value") VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [KEY, UNICODE_VERSION],
  );
  const { rows } = await pool.query<{ value: string }>(
    'SELECT "value" FROM "JmapMeta" WHERE "key" = $1',
    [KEY],
  );
  const recorded = rows[0]?.value;
  if (recorded === UNICODE_VERSION) return;
  throw new MigrationError(
    `The database holds text folded by Unicode ${String(recorded)}; this version of jmapsmith ` +
      `folds by ${UNICODE_VERSION}. Run the version that wrote it.`,
  );
}
