import {
  type BackfillDatabase,
  type BackfillNote,
  type BackfillStatement,
  NOTES,
  resetStatements,
} from '../backfill-database.js';
import type { Pool } from './pool.js';

const NEWEST = `SELECT "migration_name" AS "name", extract(epoch FROM "finished_at") * 1000 AS "at"
 FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL AND "finished_at" IS NOT NULL
 ORDER BY "migration_name" DESC LIMIT 1`;

export function openBackfillDatabase(pool: Pool): BackfillDatabase {
  return {
    async newest() {
      const { rows } = await pool.query<{ name: string; at: string }>(NEWEST);
      return { name: rows[0]?.name ?? '', at: Number(rows[0]?.at ?? 0) };
    },
    notes: async () => (await pool.query<BackfillNote>(NOTES)).rows,
    async keep(key, value) {
      await pool.query('UPDATE "JmapMeta" SET "value" = $2 WHERE "key" = $1', [key, value]);
    },
    async forget(key) {
      await pool.query('DELETE FROM "JmapMeta" WHERE "key" = $1', [key]);
    },
    async reset(key, table) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        // Of servers that start together one takes the note; the others wait for it here.
        const { rowCount } = await client.query('DELETE FROM "JmapMeta" WHERE "key" = $1', [key]);
        if (rowCount === 1)
          for (const statement of resetStatements(table)) await client.query(numbered(statement));
        await client.query('COMMIT');
        client.release();
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
    async rows(statement) {
      const query = { ...numbered(statement), rowMode: 'array' } as const;
      return (await pool.query<[string, string, unknown]>(query)).rows;
    },
  };
}

/** `?` outside of names and strings is the statement's next parameter. */
function numbered({ text, parameters }: BackfillStatement): { text: string; values: unknown[] } {
  let number = 0;
  return {
    text: text.replace(/"(?:[^"]|"")*"|\?/g, (match) => {
      if (match !== '?') return match;
      number += 1;
      return `$${number}`;
    }),
    values: [...parameters],
  };
}
