import type { PropertyKind } from '../../capability/definition.js';
import { partValue } from '../../capability/part-columns.js';
import { SHADOW_TRANSFORMS, shadowKind } from '../../capability/shadow-transforms.js';
import { parseJson } from '../../protocol/ijson.js';
import { clientNames } from '../client-names.js';
import { type BackfillColumn, type BackfillStep, type Migration, splitSql } from '../migrations.js';
import { quote } from '../quote.js';
import { COLUMN_TYPES } from './column-types.js';
import { hasTable, type PoolClient } from './pool.js';

/**
 * The work that a migration leaves for after its transaction: backfill batches, each in a
 * transaction with its progress, then statements outside of any. JmapMeta keeps the progress from
 * that transaction to the end, so that a run that was cut short goes on where it stood.
 */

type RowKey = readonly [accountId: string, id: string];

/** Where a backfill stands: the step, and the key of the last row that it did. */
interface Position {
  readonly step: number;
  readonly after: RowKey | null;
}

/** A row: its key, then the texts that its new values are made of. */
interface Row {
  readonly key: RowKey;
  readonly sources: readonly (string | null)[];
}

const START: Position = Object.freeze({ step: 0, after: null });

/** Rows of a batch. */
const BATCH = 1000;

/** Key of JmapMeta where a migration's backfill keeps its position until it is done. */
function progressKey(migration: string): string {
  return `backfill:${migration}`;
}

/** Told of each batch. */
export type TellProgress = (migration: string, type: string, rows: number) => void;

/** Notes in the migration's transaction that there is more to do, where there is. */
export async function noteUnfinished(client: PoolClient, migration: Migration): Promise<void> {
  if (migration.backfill.length === 0 && splitSql(migration.sql).outside.length === 0) return;
  await client.query('INSERT INTO "JmapMeta" ("key", "value") VALUES ($1, $2)', [
    progressKey(migration.name),
    JSON.stringify(START),
  ]);
}

/** Returns the names of applied migrations that are not done yet. */
export async function readUnfinished(
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
    for (const [index, step] of migration.backfill.entries()) {
      if (index < position.step) continue;
      const after = index === position.step ? position.after : null;
      const save = (done: RowKey) => savePosition(client, key, { step: index, after: done });
      const tellRows = (rows: number) => tell(migration.name, names.type(step.table), rows);
      await fill(client, step, after, { save, tell: tellRows });
    }
    for (const statement of splitSql(migration.sql).outside) await runAlone(statement, migration);
    await client.query('DELETE FROM "JmapMeta" WHERE "key" = $1', [key]);
  }
}

async function readPositions(client: PoolClient): Promise<ReadonlyMap<string, Position>> {
  if (!(await hasTable(client, 'JmapMeta'))) return new Map();
  const { rows } = await client.query<{ key: string; value: string }>(
    'SELECT "key", "value" FROM "JmapMeta" WHERE "key" LIKE $1',
    [`${progressKey('')}%`],
  );
  return new Map(rows.map(({ key, value }) => [key, JSON.parse(value) as Position]));
}

async function savePosition(client: PoolClient, key: string, position: Position): Promise<void> {
  const value = JSON.stringify(position);
  await client.query('UPDATE "JmapMeta" SET "value" = $2 WHERE "key" = $1', [key, value]);
}

/** Fills the rows of a step behind `after`, a batch in a transaction. */
async function fill(
  client: PoolClient,
  step: BackfillStep,
  after: RowKey | null,
  progress: { save(done: RowKey): Promise<void>; tell(rows: number): void },
): Promise<void> {
  let done = 0;
  for (let last = after; ; ) {
    const rows = await readRows(client, step, last);
    last = rows.at(-1)?.key ?? null;
    if (last === null) return;
    const { text, values } = updateQuery(step, rows);
    await client.query('BEGIN');
    try {
      await client.query(text, values);
      await progress.save(last);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    }
    done += rows.length;
    progress.tell(done);
  }
}

async function readRows(
  client: PoolClient,
  step: BackfillStep,
  after: RowKey | null,
): Promise<readonly Row[]> {
  // Of JSON the text, which is compared with what is there when the row is written.
  const list = sourcesOf(step)
    .map((source) => `${quote(source)}::text`)
    .join(', ');
  const behind = after === null ? '' : 'WHERE ("accountId", "id") > ($2, $3)';
  const { rows } = await client.query<[string, string, ...(string | null)[]]>({
    text: `SELECT "accountId", "id", ${list} FROM ${quote(step.table)} ${behind}
           ORDER BY "accountId", "id" LIMIT $1`,
    values: [BATCH, ...(after ?? [])],
    rowMode: 'array',
  });
  return rows.map(([accountId, id, ...sources]) => ({ key: [accountId, id], sources }));
}

/** Returns the columns that values are made of. */
function sourcesOf({ columns }: BackfillStep): readonly string[] {
  return [...new Set(columns.map(({ from }) => from))];
}

/** Returns the value of a column for the text of its source. */
function makeValue(column: BackfillColumn, text: string): string | number | boolean | null {
  return 'part' in column
    ? partValue(column.part, parseJson(text))
    : SHADOW_TRANSFORMS[column.transform].make(text);
}

function kindOf(column: BackfillColumn): PropertyKind {
  if (!('part' in column)) return SHADOW_TRANSFORMS[column.transform].kind;
  const { kind, transform, form } = column.part;
  return shadowKind({ property: { kind }, transform, ...(form === undefined ? {} : { form }) });
}

/** Gives rows their new values, but for those that somebody has changed since they were read. */
function updateQuery(
  step: BackfillStep,
  rows: readonly Row[],
): { readonly text: string; readonly values: unknown[] } {
  const { table, columns } = step;
  const sources = sourcesOf(step);
  const assignments = columns.map(({ column }, index) => `${quote(column)} = "v"."new${index}"`);
  // The old version may write while this runs: a row that it changed is its own to fill.
  const unchanged = sources.map(
    (source, index) => `"t".${quote(source)}::text IS NOT DISTINCT FROM "v"."old${index}"`,
  );
  const arrays = [
    rows.map(({ key }) => key[0]),
    rows.map(({ key }) => key[1]),
    ...columns.map((column) => {
      const texts = rows.map((row) => row.sources[sources.indexOf(column.from)] ?? null);
      return texts.map((text) => (text === null ? null : makeValue(column, text)));
    }),
    ...sources.map((_, index) => rows.map((row) => row.sources[index])),
  ];
  const types = [
    ...['text', 'text'],
    ...columns.map((column) => COLUMN_TYPES[kindOf(column)]),
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
