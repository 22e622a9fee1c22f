import type { Database } from 'better-sqlite3';
import { UNICODE_VERSION } from '../../text/index.js';
import { MigrationError } from '../migrations.js';
import { patiently } from './open.js';

const KEY = 'unicodeVersion';

/**
 * Records the Unicode version of the folded texts and collation keys in this database. Throws
 * MigrationError if it has another version: filters and sorts would silently be wrong.
 */
export function recordUnicodeVersion(db: Database): void {
  const select = db.prepare('SELECT "value" FROM "JmapMeta" WHERE "key" = ?').pluck();
  if (select.get(KEY) === undefined) {
    const insert = 'INSERT INTO "JmapMeta" ("key", "value") VALUES (?, ?) ON CONFLICT DO NOTHING';
    patiently(db, () => db.prepare(insert).run(KEY, UNICODE_VERSION));
  }
  const recorded = select.get(KEY);
  if (recorded === UNICODE_VERSION) return;
  throw new MigrationError(
    `The database holds text folded by Unicode ${String(recorded)}; this version of jmapsmith ` +
      `folds by ${UNICODE_VERSION}. Run the version that wrote it.`,
  );
}
