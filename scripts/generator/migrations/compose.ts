import type { BackfillStep } from '../../../src/database/backfill.js';
import type { UniqueCheck } from '../../../src/database/uniques.js';
import type { Column, Provider, Table } from '../emit/prisma-datamodel.js';
import { printDatasource, printModels } from '../emit/prisma-text.js';
import type { Model } from '../model.js';
import { meanwhile } from '../thread/second.js';
import { backfillsOf } from './backfill.js';
import type { Difference } from './compare.js';
import type { TypeEffect } from './effects.js';
import type { Snapshot } from './history.js';
import { concurrently, finishPostgresql, outside } from './postgresql.js';
import type { ReadTable } from './read-datamodel.js';
import { renameSql, type TableRename } from './renames.js';
import { removedRestSql, renamedRestSql, restSql } from './rest.js';
import { searchSql } from './search-changes.js';
import { effectsSql, objectCountsSql, removedTypesSql, resetSql } from './shared-rows.js';
import { quoted, text } from './sql.js';
import { fillSqlite, finishSqlite } from './sqlite.js';

/** A migration that is to be written, whatever the database. */
export interface Change {
  readonly provider: Provider;
  readonly model: Model;
  readonly snapshot: Snapshot | undefined;
  readonly renames: readonly TableRename[];
  /** The released tables under their new names. */
  readonly renamed: readonly ReadTable[];
  readonly tables: readonly Table[];
  readonly difference: Difference<ReadTable>;
  readonly effects: readonly TypeEffect[];
  /** What is unique from now on, of types that exist. */
  readonly unique: readonly UniqueCheck[];
  /** Columns by table whose values are given up although their type stays. */
  readonly anew: ReadonlyMap<string, ReadonlySet<string>>;
  /** Types that take other values, though no table need change for it. */
  readonly redefined: readonly string[];
}

export interface Composed {
  readonly sql: string;
  readonly backfill: readonly BackfillStep[];
}

const NOTHING =
  '-- No table changes: the model beside this file does, and the next one is compared with it.\n';

/** What the engine says where it finds no difference; the migration may do more than it knows. */
const EMPTY = '-- This is an empty migration.';

/** The migration's SQL, and what is left to the server. */
export async function compose(change: Change): Promise<Composed> {
  const { provider, model, snapshot, renames, tables, difference, effects } = change;
  const existing = new Set((snapshot?.tables ?? []).map(({ name }) => name));
  const middle = withoutRetyped(change);
  const steps: string[] = [];
  if (middle !== change.renamed) steps.push(await diff(provider, change.renamed, middle));
  steps.push(await diff(provider, snapshot === undefined ? undefined : middle, tables));
  const tablesSql = steps
    .filter((sql) => sql.trim() !== EMPTY)
    .map((sql) => (provider === 'sqlite' ? finishSqlite(sql) : finishPostgresql(sql)));
  const rewritten = new Set(
    [...tablesSql.join('').matchAll(/CREATE TABLE "new_([^"]+)"/g)].map(([, name]) => name ?? ''),
  );
  const search = searchSql(change, rewritten);
  const backfill = backfillsOf(difference, model);
  const objects = difference.changed.some(
    ({ after, added }) =>
      after.name === 'JmapState' && added.some(({ name }) => name === 'objects'),
  );
  const parts = [
    ...search.before,
    ...renames.map((rename) => renameSql(provider, rename, existing)),
    ...difference.changed.flatMap(fillNulls),
    ...tablesSql,
    ...search.triggers,
    ...(provider === 'sqlite' ? backfill.map(fillSqlite) : []),
    ...(objects ? [objectCountsSql(stillThere(change))] : []),
    effectsSql(effects, provider),
    removedTypesSql(
      difference.removed.map(({ name }) => name),
      existing,
      provider,
    ),
    renamedRestSql(renames),
    removedRestSql(difference.removed.map(({ name }) => name)),
    restSql(effects, backfill, provider),
    resetSql(effects.filter(({ seen }) => seen).map(({ type }) => type.name)),
    ...search.after,
  ];
  const sql = parts.join('') || NOTHING;
  if (provider === 'sqlite') return { sql, backfill: [] };
  const old = new Set(change.renamed.map(({ name }) => name));
  const split = concurrently(sql, old);
  return { sql: split.sql + outside([...split.statements, ...search.concurrent]), backfill };
}

function diff(
  provider: Provider,
  from: readonly Table[] | undefined,
  to: readonly Table[],
): Promise<string> {
  return meanwhile('diff', {
    provider,
    from: from === undefined ? null : printDatamodel(provider, from),
    to: printDatamodel(provider, to),
  });
}

export function printDatamodel(provider: Provider, tables: readonly Table[]): string {
  return [
    '// The datamodel after this migration: what the generator compares the next one with. Do not edit.',
    '',
    printDatasource(provider),
    printModels(tables, false),
  ].join('\n');
}

/** A column of another type is another column: its values are given up. */
function withoutRetyped({ renamed, difference, anew }: Change): readonly ReadTable[] {
  const gone = new Map(
    renamed.map(({ name }) => {
      const change = difference.changed.find(({ after }) => after.name === name);
      const retyped = (change?.altered ?? []).filter(
        ({ before, after }) => before.type !== after.type,
      );
      return [
        name,
        new Set([...retyped.map(({ after }) => after.name), ...(anew.get(name) ?? [])]),
      ];
    }),
  );
  if ([...gone.values()].every(({ size }) => size === 0)) return renamed;
  return renamed.map((table) => {
    const names = gone.get(table.name) ?? new Set<string>();
    return {
      ...table,
      columns: table.columns.filter(({ name }) => !names.has(name)),
      indexes: table.indexes.filter((index) => !index.some((name) => names.has(name))),
    };
  });
}

/** A narrowing that the descriptor accepts: null becomes the default. */
function fillNulls({ after, altered }: Difference<ReadTable>['changed'][number]): string[] {
  return altered
    .filter(
      ({ before, after: now }) => before.type === now.type && before.nullable && !now.nullable,
    )
    .map(({ after: column }) => {
      const name = quoted(column.name);
      return `UPDATE ${quoted(after.name)} SET ${name} = ${literal(column)} WHERE ${name} IS NULL;\n\n`;
    });
}

/** A default of Prisma's language as SQL. */
function literal({ default: value = "''", type }: Column): string {
  const expression = /^dbgenerated\((.*)\)$/s.exec(value)?.[1];
  if (expression !== undefined) return JSON.parse(expression) as string;
  return type === 'String' && value.startsWith('"') ? text(JSON.parse(value) as string) : value;
}

function stillThere({ tables, renamed }: Change): readonly Table[] {
  const now = new Set(tables.map(({ name }) => name));
  return renamed.filter(({ name }) => now.has(name));
}
