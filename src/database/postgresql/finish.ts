import {
  type BackfillDriver,
  type BackfillPosition,
  progressKey,
  type RowKey,
  runBackfill,
} from '../backfill.js';
import { clientNames } from '../client-names.js';
import { type Migration, splitSql } from '../migrations.js';
import { quote } from '../quote.js';
import type { PoolClient } from './pool.js';

/**
 * What a migration leaves for after its transaction: a backfill in batches, then statements that run
 * in none. JmapMeta keeps how far it is, from the transaction on until all is done.
 */

const START: BackfillPosition = Object.freeze({ step: 0, after: null });

/** Told of each batch. */
export type TellProgress = (migration: string, type: string, rows: number) => void;

/** In the migration's transaction: says that there is more to do, where there is. */
export async function noteRest(client: PoolClient, migration: Migration): Promise<void> {
  if (migration.backfill.length === 0 && splitSql(migration.sql).outside.length === 0) return;
  await client.query('INSERT INTO "JmapMeta" ("key", "value") VALUES ($1, $2)', [
    progressKey(migration.name),
    JSON.stringify(START),
  ]);
}

/** The names of applied migrations that are not done yet. */
export async function unfinished(
  client: PoolClient,
  migrations: readonly Migration[],
): Promise<ReadonlySet<string>> {
  const positions = await readPositions(client);
  return new Set(
    migrations.map(({ name }) => name).filter((name) => positions.has(progressKey(name))),
  );
}

/** Does the rest of the applied migrations, in order; one that was cut short goes on. */
export async function finish(
  client: PoolClient,
  migrations: readonly Migration[],
  runAlone: (statement: string, migration: Migration) => Promise<void>,
  tell: TellProgress = () => undefined,
): Promise<void> {
  const positions = await readPositions(client);
  for (const migration of migrations) {
    const key = progressKey(migration.name);
    const position = positions.get(key);
    if (position === undefined) continue;
    const names = clientNames(migration.folder);
    await runBackfill(driver(client, key), migration.backfill, position, (table, rows) =>
      tell(migration.name, names.type(table), rows),
    );
    for (const statement of splitSql(migration.sql).outside) await runAlone(statement, migration);
    await client.query('DELETE FROM "JmapMeta" WHERE "key" = $1', [key]);
  }
}

async function readPositions(client: PoolClient): Promise<ReadonlyMap<string, BackfillPosition>> {
  const { rows: tables } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('"JmapMeta"') IS NOT NULL AS "exists"`,
  );
  if (tables[0]?.exists !== true) return new Map();
  const { rows } = await client.query<{ key: string; value: string }>(
    'SELECT "key", "value" FROM "JmapMeta" WHERE "key" LIKE $1',
    [`${progressKey('')}%`],
  );
  return new Map(rows.map(({ key, value }) => [key, JSON.parse(value) as BackfillPosition]));
}

function driver(client: PoolClient, progress: string): BackfillDriver {
  return {
    async select(table, columns, after, limit) {
      const list = columns.map(quote).join(', ');
      const behind = after === null ? '' : 'WHERE ("accountId", "id") > ($2, $3)';
      const { rows } = await client.query<unknown[]>({
        text: `SELECT "accountId", "id", ${list} FROM ${quote(table)} ${behind}
               ORDER BY "accountId", "id" LIMIT $1`,
        values: after === null ? [limit] : [limit, ...after],
        rowMode: 'array',
      });
      return rows.map(([accountId, id, ...values]) => ({
        key: [String(accountId), String(id)] as RowKey,
        values,
      }));
    },
    async update(backfill, rows, position) {
      const { text, values } = updateQuery(backfill, rows);
      await client.query('BEGIN');
      try {
        await client.query(text, values);
        await client.query('UPDATE "JmapMeta" SET "value" = $2 WHERE "key" = $1', [
          progress,
          JSON.stringify(position),
        ]);
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK');
        throw error;
      }
    },
  };
}

type UpdateArguments = Parameters<BackfillDriver['update']>;

/** Gives rows their new values, but for those that somebody has changed since they were read. */
function updateQuery(
  { table, columns }: UpdateArguments[0],
  rows: UpdateArguments[1],
): { readonly text: string; readonly values: unknown[] } {
  const sources = [...new Set(columns.map(({ from }) => from))];
  const assignments = columns.map(({ column }, index) => `${quote(column)} = "v"."new${index}"`);
  // The old version may write while this runs: a row that it changed is its own to fill.
  const unchanged = sources.map(
    (source, index) => `"t".${quote(source)} IS NOT DISTINCT FROM "v"."old${index}"`,
  );
  const arrays = [
    rows.map(({ row }) => row.key[0]),
    rows.map(({ row }) => row.key[1]),
    ...columns.map((_, index) => rows.map(({ values }) => values[index])),
    ...sources.map((_, index) => rows.map(({ row }) => row.values[index])),
  ];
  const types = [
    ...['text', 'text'],
    ...columns.map(({ transform }) => (transform === 'instant' ? 'bigint' : 'text')),
    ...sources.map(() => 'text'),
  ];
  const names = [
    ...['"accountId"', '"id"'],
    ...columns.map((_, index) => `"new${index}"`),
    ...sources.map((_, index) => `"old${index}"`),
  ];
  const unnest = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const text = `UPDATE ${quote(table)} AS "t" SET ${assignments.join(', ')}
 FROM unnest(${unnest}) AS "v"(${names.join(', ')})
 WHERE "t"."accountId" = "v"."accountId" AND "t"."id" = "v"."id" AND ${unchanged.join(' AND ')}`;
  return { text, values: arrays };
}
