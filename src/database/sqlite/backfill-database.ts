import type { Database } from 'better-sqlite3';
import {
  type BackfillDatabase,
  type BackfillNote,
  type BackfillRow,
  NOTES,
  resetStatements,
} from '../backfill-database.js';
import { patiently } from './open.js';

/** For the server's start, while nobody else writes on the connection. */
export function openBackfillDatabase(db: Database): BackfillDatabase {
  const run = (text: string, ...parameters: readonly (string | number)[]): number =>
    patiently(db, () => db.prepare(text).run(...parameters).changes);
  return {
    // One version alone has the file.
    newest: async () => ({ name: '', at: 0 }),
    notes: async () => db.prepare<[], BackfillNote>(NOTES).all(),
    async keep(key, value) {
      run('UPDATE "JmapMeta" SET "value" = ? WHERE "key" = ?', value, key);
    },
    async forget(key) {
      run('DELETE FROM "JmapMeta" WHERE "key" = ?', key);
    },
    async reset(key, table) {
      const transaction = db.transaction(() => {
        if (run('DELETE FROM "JmapMeta" WHERE "key" = ?', key) === 0) return;
        for (const { text, parameters } of resetStatements(table)) run(text, ...parameters);
      });
      patiently(db, () => transaction.immediate());
    },
    async rows({ text, parameters }) {
      const statement = db.prepare(text).raw();
      return statement.all(...parameters) as BackfillRow[];
    },
  };
}
