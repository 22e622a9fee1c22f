import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { schemaPath, tablesOf } from '../emit/prisma.js';
import { PROVIDERS } from '../emit/prisma-datamodel.js';
import type { EmittedFiles, Model, Problem } from '../model.js';
import { prepare } from '../thread/second.js';
import { compareTables, isEmpty } from './compare.js';
import { type Change, compose, printDatamodel } from './compose.js';
import { effectsOf, type TypeEffect } from './effects.js';
import {
  BACKFILL_FILE,
  type History,
  MODEL_FILE,
  migrationsFolder,
  readHistory,
  SNAPSHOT_FILE,
  SQL_FILE,
} from './history.js';
import { nameProblems } from './names.js';
import { migrationName } from './naming.js';
import { givenUp, narrowings, redefined } from './narrowing.js';
import { readDatamodel } from './read-datamodel.js';
import { refusals } from './refusals.js';
import { committedFiles } from './released.js';
import { renamesOf, renameTables } from './renames.js';
import { searchChanged } from './search-changes.js';
import { printSnapshot, takeSnapshot } from './snapshot.js';
import { defaultProblems, newUniques, uniqueProblems } from './uniques.js';
import { unusedDrops } from './unused-drops.js';

export interface MigrationPlan {
  /** Every migration's files, the released ones unchanged; paths relative to the root. */
  readonly files: EmittedFiles;
  /** Files of a migration that is not released and no longer needed, or has another name now. */
  readonly obsolete: readonly string[];
  readonly problems: readonly Problem[];
}

/** Where there are no migrations yet, the engine is begun with before anything is read. */
export function expectMigrations(root: string): void {
  const isNew = PROVIDERS.some((provider) => !existsSync(join(root, migrationsFolder(provider))));
  if (isNew) prepare('prepareDiff');
}

/**
 * The migrations of both databases: the released ones, and one for each database whose schema (of
 * `emitPrisma`) or rows have to move on from them. Writes nothing.
 */
export async function planMigrations({
  root,
  model,
  schemas,
}: {
  readonly root: string;
  readonly model: Model;
  readonly schemas: EmittedFiles;
}): Promise<MigrationPlan> {
  const problems: Problem[] = [];
  const report = (problem: Problem) => {
    problems.push(problem);
  };
  const committed = committedFiles(root);
  const histories = PROVIDERS.map((provider) => readHistory(root, provider, committed, report));
  const changes = histories.map((history) =>
    changeOf(history, model, schemas.get(schemaPath(history.provider)) ?? ''),
  );
  for (const { difference, snapshot, renames, unique, effects, anew } of changes) {
    if (snapshot === undefined) continue;
    const fresh = freshColumns(difference, anew);
    for (const problem of defaultProblems(unique, fresh, model)) report(problem);
    for (const problem of narrowings(snapshot, renames, model)) report(problem);
    for (const problem of refusals(difference, model, snapshot)) report(problem);
    for (const problem of uniqueProblems(unique, effects)) report(problem);
  }
  for (const problem of nameProblems(tablesOf(model), model)) report(problem);

  const files = new Map(histories.flatMap((history) => [...history.files]));
  if (problems.length === 0) {
    // One number for both, so that a change has the same name wherever it is applied.
    const number = Math.max(...histories.map(({ last }) => last)) + 1;
    const snapshotText = snapshotPrinter(model);
    const fresh = await Promise.all(
      changes.filter(isNeeded).map((change) => newMigration(change, number, snapshotText)),
    );
    for (const [path, text] of fresh.flatMap((migration) => [...migration])) files.set(path, text);
  }
  const unreleased = histories.flatMap((history) => history.unreleased);
  return {
    files,
    obsolete: unreleased.filter((path) => !files.has(path)),
    problems: [...distinct(problems), ...unusedDrops(changes, model)],
  };
}

function changeOf({ provider, snapshot }: History, model: Model, schema: string): Change {
  const renames = renamesOf(snapshot?.tables ?? [], model);
  const renamed = renameTables(snapshot?.tables ?? [], renames);
  const tables = readDatamodel(schema);
  const difference = compareTables(renamed, tables);
  const anew = snapshot === undefined ? new Map() : givenUp(snapshot, renames, model);
  const altered = new Map(
    tables.map(({ name }) => {
      const change = difference.changed.find(({ after }) => after.name === name);
      const columns = (change?.altered ?? [])
        .filter(({ before, after }) => before.type !== after.type || !after.nullable)
        .map(({ after }) => after.name);
      return [name, new Set([...columns, ...(anew.get(name) ?? [])])];
    }),
  );
  const effects = snapshot === undefined ? [] : effectsOf(snapshot, renames, model, altered);
  const unique = snapshot === undefined ? [] : newUniques(snapshot, renames, model, altered);
  const what = {
    ...{ difference, effects, unique, anew },
    redefined: snapshot === undefined ? [] : redefined(snapshot, renames, model),
  };
  return { provider, model, snapshot, renames, renamed, tables, ...what };
}

/** Columns in which every row that exists gets the default; by table. */
function freshColumns(
  { changed }: Change['difference'],
  anew: Change['anew'],
): ReadonlyMap<string, ReadonlySet<string>> {
  const fresh = new Map([...anew].map(([table, columns]) => [table, new Set(columns)]));
  for (const { after, added, altered } of changed) {
    const retyped = altered.filter(({ before, after: now }) => before.type !== now.type);
    const names = [...added, ...retyped.map((change) => change.after)].map(({ name }) => name);
    fresh.set(after.name, new Set([...(fresh.get(after.name) ?? []), ...names]));
  }
  return fresh;
}

function isNeeded(change: Change): boolean {
  const { difference, renames, effects, unique, anew } = change;
  return (
    !isEmpty(difference) ||
    change.redefined.length > 0 ||
    [...anew.values()].some(({ size }) => size > 0) ||
    renames.length + unique.length > 0 ||
    effects.some(doesMore) ||
    searchChanged(change)
  );
}

function doesMore(effect: TypeEffect): boolean {
  const { seen, references, formerReferences, blobs, counts, computed } = effect;
  const lists = [references, formerReferences, counts, computed];
  return seen || blobs || lists.some(({ length }) => length > 0);
}

/** Prints the model once where both histories move on from the same state. */
function snapshotPrinter(model: Model): (parent: string | null) => string {
  const printed = new Map<string | null, string>();
  return (parent) => {
    const text = printed.get(parent) ?? printSnapshot(takeSnapshot(model, parent));
    printed.set(parent, text);
    return text;
  };
}

async function newMigration(
  change: Change,
  number: number,
  snapshotText: (parent: string | null) => string,
): Promise<EmittedFiles> {
  const { provider, snapshot, tables, difference, renames, effects, unique, anew } = change;
  const { sql, backfill } = await compose(change);
  const renamed = renames.map(({ to, columns }) =>
    columns[0] === undefined ? to : `${to}_${columns[0].to}`,
  );
  const touched = [
    ...effects.filter(doesMore).map(({ type }) => type.name),
    ...unique.map(({ table }) => table),
    ...change.redefined,
    ...[...anew].filter(([, { size }]) => size > 0).map(([table]) => table),
  ];
  const others = renamed.length > 0 ? renamed : [...new Set(touched)];
  const name = migrationName(number, difference, isEmpty(difference) ? others : []);
  const folder = `${migrationsFolder(provider)}/${name}`;
  return new Map([
    [`${folder}/${SQL_FILE}`, sql],
    [`${folder}/${SNAPSHOT_FILE}`, printDatamodel(provider, tables)],
    [`${folder}/${MODEL_FILE}`, snapshotText(snapshot?.hash ?? null)],
    ...(backfill.length + unique.length === 0
      ? []
      : [[`${folder}/${BACKFILL_FILE}`, printBackfill(backfill, unique)] as const]),
  ]);
}

function printBackfill(steps: readonly unknown[], unique: readonly unknown[]): string {
  const content = unique.length === 0 ? { steps } : { steps, unique };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Both databases have the same complaints: one is enough. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Map<string, Problem>();
  for (const problem of problems) {
    const key = JSON.stringify([problem.code, problem.message]);
    if (!seen.has(key)) seen.set(key, problem);
  }
  return [...seen.values()];
}
