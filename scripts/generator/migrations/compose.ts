import type { BackfillStep, UniqueCheck } from '../../../src/database/migrations.js';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Model, ModelType } from '../../../src/descriptor/model.js';
import { orderedTypes } from '../emit/key-ordered.js';
import type { Column, Provider, Table } from '../emit/prisma-datamodel.js';
import { printDatasource, printModels } from '../emit/prisma-text.js';
import { meanwhile } from '../thread/second.js';
import { backfillsOf } from './backfill.js';
import { inScanOrder } from './column-order.js';
import type { Difference } from './compare.js';
import type { TypeEffect } from './effects.js';
import { evolveSql, type Holding } from './held.js';
import type { Snapshot } from './history.js';
import { formerLinks, leftoversOf } from './leftovers.js';
import { type Renamed, releasedTypes } from './lineage.js';
import { valuesLeft } from './own-values.js';
import { concurrently, finishPostgresql, outside } from './postgresql.js';
import { nullTimesSql, presentTimesSql } from './present-times.js';
import type { ReadTable } from './read-datamodel.js';
import { searchSql } from './search-changes.js';
import { removeServerTasks, writeServerTasks } from './server-tasks.js';
import {
  clearedSql,
  droppedValuesSql,
  effectsSql,
  objectCountsSql,
  removedTypesSql,
  resetSql,
  reusedNamesSql,
} from './shared-rows.js';
import type { Leftover } from './snapshot.js';
import { quoted, text } from './sql.js';
import { fillSqlite, finishSqlite, reorderSqlite } from './sqlite.js';

/** A migration that is to be written, whatever the database. */
export interface Change {
  readonly provider: Provider;
  readonly model: Model;
  readonly snapshot: Snapshot | undefined;
  readonly renames: readonly Renamed[];
  /** The released tables without what was left for the previous version. */
  readonly clean: readonly ReadTable[];
  /** The tables after the migration, with what it leaves. */
  readonly tables: readonly Table[];
  readonly left: readonly Leftover[];
  /** The columns that stay for files of `evolve/`. */
  readonly holding: Holding;
  /** Between the released types' own tables and those of the types that are here now. */
  readonly difference: Difference<ReadTable>;
  readonly effects: readonly TypeEffect[];
  /** Properties of existing types that are unique from now on. */
  readonly unique: readonly UniqueCheck[];
  /** Tables of types whose names are new to them, and were those of other objects once. */
  readonly reused: readonly string[];
  /** Types that take other values, though no table need change for it. */
  readonly redefined: readonly string[];
  /** SQLite: tables that are in the order of their key from now on. */
  readonly reordered: readonly string[];
}

export interface Composed {
  readonly sql: string;
  readonly backfill: readonly BackfillStep[];
}

const NOTHING =
  '-- No table changes: the model beside this file does, and the next one is compared with it.\n';

/** The engine's words where it finds no difference; the migration may do more than it knows. */
const EMPTY = '-- This is an empty migration.';

/** Returns the migration's SQL, and what is left to the server. */
export async function compose(change: Change): Promise<Composed> {
  const { provider, model, snapshot, clean, tables, difference, effects, left } = change;
  const existing = new Set((snapshot?.tables ?? []).map(({ name }) => name));
  const leftovers = leftoversOf(snapshot);
  const ordered = new Set(orderedTypes(model).map(({ table }) => table));
  const steps: string[] = [];
  const { holding } = change;
  if (snapshot !== undefined && leftovers.length + holding.before.length > 0)
    steps.push(await diff(provider, snapshot.tables, clean));
  const wanted = provider === 'sqlite' ? tables : inScanOrder(tables, model, existing);
  steps.push(await diff(provider, snapshot === undefined ? undefined : clean, wanted));
  const tablesSql = steps
    .filter((sql) => sql.trim() !== EMPTY)
    .map((sql) => (provider === 'sqlite' ? finishSqlite(sql, ordered) : finishPostgresql(sql)));
  tablesSql.push(...(await reorder(change, rewrittenIn(tablesSql), ordered)));
  const rewritten = rewrittenIn(tablesSql);
  const search = searchSql(change, rewritten);
  const backfill = backfillsOf(difference, model, leftovers);
  const objects = difference.changed.some(
    ({ after, added }) =>
      after.name === 'JmapState' && added.some(({ name }) => name === 'objects'),
  );
  const removed = difference.removed.map(({ name }) => name);
  const held = (type: ModelType) =>
    snapshot === undefined || provider === 'sqlite' ? [] : formerLinks(snapshot, type).blobs;
  const evolve = evolveSql(holding, model, provider);
  const parts = [
    ...search.before,
    evolve.before,
    nullTimesSql({ snapshot, leftovers, difference }, model, provider),
    ...leftovers.flatMap((leftover) => fillLeftNulls(leftover, clean)),
    ...difference.changed.flatMap(fillNulls),
    ...tablesSql,
    nullsSql(change),
    presentTimesSql(difference, model, provider),
    ...markNulls(change),
    ...search.triggers,
    ...(provider === 'sqlite' ? backfill.map(fillSqlite) : []),
    ...(objects ? [objectCountsSql(stillThere(change))] : []),
    clearedSql(leftovers, model, existing, held, provider),
    droppedValuesSql(provider === 'sqlite' ? droppedValues(change) : leftovers, provider),
    effectsSql(effects, model, held, provider),
    ...(left.length === 0 ? [removedTypesSql(removed, existing, provider)] : []),
    removeServerTasks(removed),
    writeServerTasks(
      effects,
      backfill,
      left.flatMap(({ table, nullable }) => (nullable === undefined ? [] : [table])),
      provider,
    ),
    reusedNamesSql(change.reused),
    evolve.after,
    resetSql(effects.filter(({ seen }) => seen).map(({ type }) => type.table)),
    ...search.after,
  ];
  const sql = parts.join('') || NOTHING;
  if (provider === 'sqlite') return { sql, backfill: [] };
  const split = concurrently(sql, new Set(clean.map(({ name }) => name)));
  return { sql: split.sql + outside([...split.statements, ...search.concurrent]), backfill };
}

/**
 * Returns comments that name columns in which the previous version finds null in new objects: no
 * plain value is legal there.
 */
function nullsSql({ difference, tables }: Change): string {
  return difference.changed
    .flatMap(({ after, removed }) => {
      const kept = tables.find(({ name }) => name === after.name)?.columns ?? [];
      return removed
        .filter(({ nullable }) => !nullable)
        .filter(({ name }) => kept.find((column) => column.name === name)?.nullable === true)
        .map(
          ({ name }) =>
            `-- The previous version finds null in "${after.name}"."${name}" of objects that the ` +
            'new one creates.\n',
        );
    })
    .join('');
}

/** Returns the SQL that marks the nulls of properties which may be absent from now on. */
function markNulls({ model, snapshot }: Change): readonly string[] {
  if (snapshot === undefined) return [];
  const types = typesIn(model);
  return types.flatMap((type) => {
    const before = releasedTypes(snapshot).get(type.table);
    return type.shadows.flatMap(({ column, property, transform }) => {
      const old = before?.properties.find((one) => one.column === property.column)?.known;
      if (transform !== 'null' || old?.nullable !== true || old.optional === true) return [];
      const from = quoted(property.column);
      return [`UPDATE ${quoted(type.table)} SET ${quoted(column)} = 1 WHERE ${from} IS NULL;\n\n`];
    });
  });
}

/** Returns the values of users that nothing reads any more. */
function droppedValues({ snapshot, model }: Change): readonly Leftover[] {
  if (snapshot === undefined) return [];
  const types = typesIn(model);
  return types.map((type) => ({ table: type.table, values: valuesLeft(snapshot, type) }));
}

/** Returns tables that the SQL makes anew. */
function rewrittenIn(sql: readonly string[]): ReadonlySet<string> {
  const made = sql.join('').matchAll(/CREATE TABLE "new_([^"]+)"/g);
  return new Set([...made].map(([, name]) => name ?? ''));
}

/**
 * Returns the SQL for tables that get the order of their key and that no other step writes anew.
 */
function reorder(
  { provider, tables, reordered }: Change,
  rewritten: ReadonlySet<string>,
  ordered: ReadonlySet<string>,
): Promise<readonly string[]> {
  const names = reordered.filter((name) => !rewritten.has(name));
  const each = tables.filter(({ name }) => names.includes(name));
  return Promise.all(
    each.map(async (table) =>
      reorderSqlite(table, finishSqlite(await diff(provider, undefined, [table]), ordered)),
    ),
  );
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
    '// The datamodel after this migration: what the generator compares the next one with. Do ' +
      'not edit.',
    '',
    printDatasource(provider),
    printModels(tables, false),
  ].join('\n');
}

/** Returns the SQL of a narrowing that the descriptor accepts: null becomes the default. */
function fillNulls({ after, altered }: Difference<ReadTable>['changed'][number]): string[] {
  return altered
    .filter(
      ({ before, after: now }) => before.type === now.type && before.nullable && !now.nullable,
    )
    .map(({ after: column }) => fillNull(after.name, column));
}

/** Returns the SQL that fills the nulls which the previous version has written since. */
function fillLeftNulls({ table, nullable = [] }: Leftover, clean: readonly ReadTable[]): string[] {
  const columns = clean.find(({ name }) => name === table)?.columns ?? [];
  return columns
    .filter(({ name }) => nullable.includes(name))
    .map((column) => fillNull(table, column));
}

function fillNull(table: string, column: Column): string {
  const name = quoted(column.name);
  return `UPDATE ${quoted(table)} SET ${name} = ${literal(column)} WHERE ${name} IS NULL;\n\n`;
}

/** Returns a default of Prisma's language as SQL. */
function literal({ default: value = "''", type }: Column): string {
  const expression = /^dbgenerated\((.*)\)$/s.exec(value)?.[1];
  if (expression !== undefined) return JSON.parse(expression) as string;
  return type === 'String' && value.startsWith('"') ? text(JSON.parse(value) as string) : value;
}

function stillThere({ tables, clean }: Change): readonly Table[] {
  const now = new Set(tables.map(({ name }) => name));
  return clean.filter(({ name }) => now.has(name));
}
