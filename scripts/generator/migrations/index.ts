import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { EmittedFiles, Model, Problem } from '../../../src/descriptor/model.js';
import { orderedTypes } from '../emit/key-ordered.js';
import { schemaPath, storageSchemas, tablesOf } from '../emit/prisma.js';
import { PROVIDERS } from '../emit/prisma-datamodel.js';
import { judgeEvolutions, nextNumber, withEvolutions } from '../evolve/resolve.js';
import { withStubs } from '../evolve/stub.js';
import { prepare } from '../thread/second.js';
import { readApplied } from './applied.js';
import { compareTables, isEmpty } from './compare.js';
import { type Change, compose, printDatamodel } from './compose.js';
import { effectsOf, type TypeEffect } from './effects.js';
import { hold, newlyHeld, prepareTables, requiredConversions, stillHeld } from './held.js';
import {
  BACKFILL_FILE,
  type History,
  MODEL_FILE,
  migrationsFolder,
  readHistory,
  SNAPSHOT_FILE,
  type Snapshot,
  SQL_FILE,
} from './history.js';
import { leave, leftoversOf, withoutLeftovers } from './leftovers.js';
import { releasedTypes, renamesOf } from './lineage.js';
import { nameProblems } from './names.js';
import { contractName, migrationName } from './naming.js';
import { narrowings, redefined } from './narrowing.js';
import { ownValueProblems } from './own-values.js';
import { placeModel } from './place.js';
import { type ReadTable, readDatamodel } from './read-datamodel.js';
import { refusals } from './refusals.js';
import { appliedFiles, committedFiles } from './released.js';
import { searchChanged } from './search-changes.js';
import { type HeldColumn, type Leftover, printSnapshot, takeSnapshot } from './snapshot.js';
import { strayDrops } from './stray-drops.js';
import { strayRenames } from './stray-renames.js';
import { defaultProblems, newUniques, uniqueProblems } from './uniques.js';
import { unusedDrops } from './unused-drops.js';

export interface MigrationPlan {
  /** Every migration's files, the released ones unchanged; paths relative to the root. */
  readonly files: EmittedFiles;
  /** Files of a migration that is not released and no longer needed, or has another name now. */
  readonly obsolete: readonly string[];
  readonly problems: readonly Problem[];
}

/** Begins with the migration engine before anything is read, where there are no migrations yet. */
export function expectMigrations(root: string): void {
  const isNew = PROVIDERS.some((provider) => !existsSync(join(root, migrationsFolder(provider))));
  if (isNew) prepare('prepareDiff');
}

/** The migrations of both databases that are on disk. */
export interface Histories {
  readonly all: readonly History[];
  readonly problems: readonly Problem[];
  /** Nobody can tell what is released: all that is on disk is taken for it. */
  readonly isAssumed: boolean;
  /** Why it is so, where a database could tell. */
  readonly warnings?: readonly Problem[];
}

/**
 * Reads the migrations of both databases. `released`: the files of released migrations
 * (released.ts).
 */
export function readHistories(
  root: string,
  released: ReadonlySet<string> | undefined = committedFiles(root),
): Histories {
  const problems: Problem[] = [];
  const all = PROVIDERS.map((provider) =>
    readHistory(root, provider, released, (problem) => {
      problems.push(problem);
    }),
  );
  return { all, problems, isAssumed: released === undefined };
}

/**
 * Returns the histories that a plan starts from. Committed migrations are released; so is an
 * uncommitted one that the project's own database has applied, which would not fit it any more if
 * it were made anew. If git can't tell, and something has to change, the databases alone tell. If
 * nothing has to change, all migrations stay: a build without git and database (an image, for
 * instance) must find the files on disk current.
 */
export async function releasedHistories(
  root: string,
  model: Model,
  contract: boolean,
): Promise<Histories> {
  const committed = committedFiles(root);
  const histories = readHistories(root, committed);
  const isNew = histories.all.every(({ last }) => last === 0);
  const isUndecided = histories.all.some(({ unreleased }) => unreleased.length > 0);
  if (committed !== undefined && !isUndecided) return histories;
  if (committed === undefined && (isNew || (!contract && isUpToDate(model, histories))))
    return histories;
  const { names, problems } = await readApplied(root, process.env);
  const applied = appliedFiles(root, names);
  if (committed !== undefined) return readHistories(root, new Set([...committed, ...applied]));
  if (problems.length === 0) return readHistories(root, applied);
  return { ...histories, warnings: problems };
}

/** Returns whether the migrations on disk lead to what the descriptors say. */
function isUpToDate(model: Model, histories: Histories): boolean {
  if (histories.problems.length > 0) return false;
  const own = placed(model, histories);
  const schemas = storageSchemas(own);
  const changes = changesOf(own, schemas, histories);
  return problemsOf(changes, own, histories).length === 0 && !changes.some(isNeeded);
}

/**
 * Returns the model with the tables and columns that the released state has (place.ts), and with
 * the conversions of `evolve/`.
 */
export function placed(model: Model, { all }: Histories): Model {
  const snapshots = all.flatMap(({ snapshot }) => snapshot ?? []);
  const released = snapshots.find((one) => one.model !== undefined) ?? snapshots[0];
  return withEvolutions(placeModel(model, released), all);
}

/**
 * Returns the migrations of both databases: the released ones, and one for each database whose
 * schema (of `storageSchemas`) or rows have to move on from them. Writes nothing.
 */
export async function planMigrations({
  model,
  schemas,
  histories,
  contract = false,
}: {
  /** Placed. */
  readonly model: Model;
  readonly schemas: EmittedFiles;
  readonly histories: Histories;
  /** Takes away what was left for the previous version, even where nothing else is to be done. */
  readonly contract?: boolean;
}): Promise<MigrationPlan> {
  const changes = changesOf(model, schemas, histories);
  const { problems: wrong } = judgeEvolutions(model, histories.all);
  const problems = [...histories.problems, ...wrong, ...problemsOf(changes, model, histories)];
  const files = new Map(histories.all.flatMap((history) => [...history.files]));
  if (problems.length === 0) {
    // One number for both, so that a change has the same name wherever it is applied.
    const number = nextNumber(histories.all);
    const snapshotText = snapshotPrinter(model);
    const needed = changes.filter(
      (change, index) =>
        isNeeded(change) ||
        ((contract || histories.all[index]?.contracts === true) &&
          leftoversOf(change.snapshot).length > 0),
    );
    const fresh = await Promise.all(
      needed.map((change) => newMigration(change, number, snapshotText)),
    );
    for (const [path, text] of fresh.flatMap((migration) => [...migration])) files.set(path, text);
  }
  const unreleased = histories.all.flatMap((history) => history.unreleased);
  return {
    files,
    obsolete: unreleased.filter((path) => !files.has(path)),
    problems: [
      ...(histories.warnings ?? []),
      // A problem, or a migration that is not released, may be the reason for the words.
      ...(problems.length > 0 || histories.isAssumed
        ? distinct(problems)
        : unusedDrops(changes, model)),
    ],
  };
}

function changesOf(model: Model, schemas: EmittedFiles, { all }: Histories): readonly Change[] {
  const number = nextNumber(all);
  return all.map((history) =>
    changeOf(history, model, schemas.get(schemaPath(history.provider)) ?? '', number),
  );
}

/** Returns the problems of changes that would lose data or that a migration can't make. */
function problemsOf(
  changes: readonly Change[],
  model: Model,
  { all }: Histories,
): readonly Problem[] {
  const ofChanges = changes.flatMap((change, index) => {
    const { difference, snapshot, renames, unique, effects, holding } = change;
    if (snapshot === undefined) return [];
    const renamed = strayRenames(snapshot, model, all[index]);
    const problems = [
      ...defaultProblems(unique, freshColumns(difference), model),
      ...narrowings(snapshot, renames, model),
      ...renamed.problems,
      ...refusals(difference, renamed.model, snapshot),
      ...uniqueProblems(unique, effects),
    ];
    const ofValues = ownValueProblems(snapshot, renamed.model);
    return [
      ...withStubs(problems, model, holding.number),
      ...ofValues,
      ...strayDrops(snapshot, model, [...problems, ...ofValues]),
    ];
  });
  return [...ofChanges, ...nameProblems(tablesOf(model), model)];
}

function changeOf(
  { provider, snapshot, tablesByTypeName }: History,
  model: Model,
  schema: string,
  number: number,
): Change {
  const declared = readDatamodel(schema);
  if (snapshot === undefined) {
    const difference = compareTables<ReadTable>([], declared);
    const holding = { before: [], after: [], number };
    const nothing = { renames: [], clean: [], left: [], effects: [], unique: [], holding };
    return { provider, model, snapshot, tables: declared, difference, ...nothing, ...NO_NAMES };
  }
  const leaves = provider === 'postgresql';
  const renames = renamesOf(snapshot, model);
  const kept = stillHeld(snapshot, model);
  const clean = withoutLeftovers(snapshot, kept);
  const own = prepareTables(declared, kept, snapshot, model);
  const difference = compareTables(clean, own);
  const filled = new Map(
    difference.changed.map(({ after, altered }) => [
      after.name,
      new Set(
        altered.filter((column) => !column.after.nullable).map((column) => column.after.name),
      ),
    ]),
  );
  const added = newlyHeld(difference, model, number);
  const leaving = leaves ? leave(snapshot, difference, own, model) : { left: [], tables: own };
  return {
    ...{ provider, model, snapshot, renames, clean, difference },
    ...hold(leaving, added, snapshot),
    holding: { before: snapshot.model?.held ?? [], after: [...kept, ...added], number },
    effects: effectsOf({ snapshot, renames, model, filled, leaves }),
    unique: newUniques(snapshot, model, filled),
    redefined: redefined(snapshot, model),
    reordered: provider === 'sqlite' ? reordered(snapshot, model) : [],
    reused: reusedNames(snapshot, model, tablesByTypeName),
  };
}

const NO_NAMES = Object.freeze({ redefined: [], reused: [], reordered: [] });

/** Returns tables that are older than the generator's choice of a shape (emit/key-ordered.ts). */
function reordered(snapshot: Snapshot, model: Model): readonly string[] {
  const released = releasedTypes(snapshot);
  return orderedTypes(model)
    .map(({ table }) => table)
    .filter((table) => released.has(table) && released.get(table)?.known?.keyOrdered !== true);
}

/**
 * Returns the tables of types whose name others had. Clients may hold states of those: a state
 * tells a type's name and a number, and nothing else.
 */
function reusedNames(
  snapshot: Snapshot,
  model: Model,
  tablesByTypeName: History['tablesByTypeName'],
): readonly string[] {
  return typesIn(model)
    .filter(({ name, table }) => {
      const before = releasedTypes(snapshot).get(table);
      if (before?.name === name) return false;
      const others = [...(tablesByTypeName.get(name) ?? [])];
      // A table that was there and went is another one now.
      return others.some((other) => other !== table || before === undefined);
    })
    .map(({ table }) => table);
}

/** Returns columns in which every row that exists gets the default; by table. */
function freshColumns({ changed }: Change['difference']): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    changed.map(({ after, added }) => [after.name, new Set(added.map(({ name }) => name))]),
  );
}

function isNeeded(change: Change): boolean {
  const { difference, renames, effects, unique } = change;
  return (
    !isEmpty(difference) ||
    change.redefined.length + change.reordered.length > 0 ||
    renames.length + unique.length + change.left.length > 0 ||
    change.holding.before.length > stillHeldOf(change) ||
    change.model.capabilities.some(({ evolutions = [] }) =>
      evolutions.some(({ migration }) => migration === change.holding.number),
    ) ||
    effects.some(doesMore) ||
    searchChanged(change)
  );
}

/** Returns how many of the columns that were held stay. */
function stillHeldOf({ holding: { after, number } }: Change): number {
  return after.filter(({ since }) => since !== number).length;
}

function doesMore(effect: TypeEffect): boolean {
  const { seen, references, formerReferences, blobs, computed } = effect;
  const lists = [references, formerReferences, computed];
  return seen || blobs || lists.some(({ length }) => length > 0);
}

/** Prints the model once where both histories move on from the same state, and leave the same. */
function snapshotPrinter(model: Model): SnapshotPrinter {
  const printed = new Map<string, string>();
  return (parent, more) => {
    const key = JSON.stringify([parent, more]);
    const text = printed.get(key) ?? printSnapshot(takeSnapshot(model, parent, more));
    printed.set(key, text);
    return text;
  };
}

type SnapshotPrinter = (
  parent: string | null,
  more: { readonly left: readonly Leftover[]; readonly held: readonly HeldColumn[] },
) => string;

async function newMigration(
  change: Change,
  number: number,
  snapshotText: SnapshotPrinter,
): Promise<EmittedFiles> {
  const { provider, snapshot, tables, difference, renames, effects, unique, left } = change;
  const { sql, backfill } = await compose(change);
  const evolved = requiredConversions(snapshot, change.model);
  const more = { left, held: change.holding.after };
  const renamed = renames.map(({ to, properties }) =>
    properties[0] === undefined ? to : `${to}_${properties[0].to}`,
  );
  const touched = [
    ...effects.filter(doesMore).map(({ type }) => type.name),
    ...unique.map(({ table, type = table }) => type),
    ...change.redefined,
    ...change.reordered,
    ...typesIn(change.model)
      .filter(({ converts }) => converts === true)
      .map(({ name }) => name),
  ];
  const others = renamed.length > 0 ? renamed : [...new Set(touched)];
  const name = isNeeded(change)
    ? migrationName(number, difference, isEmpty(difference) ? others : [])
    : contractName(number);
  const folder = `${migrationsFolder(provider)}/${name}`;
  return new Map([
    [`${folder}/${SQL_FILE}`, sql],
    [`${folder}/${SNAPSHOT_FILE}`, printDatamodel(provider, tables)],
    [`${folder}/${MODEL_FILE}`, snapshotText(snapshot?.hash ?? null, more)],
    ...(backfill.length + unique.length + evolved.length === 0
      ? []
      : [[`${folder}/${BACKFILL_FILE}`, printBackfill(backfill, unique, evolved)] as const]),
  ]);
}

function printBackfill(
  steps: readonly unknown[],
  unique: readonly unknown[],
  evolved: readonly string[],
): string {
  const content = {
    steps,
    ...(unique.length === 0 ? {} : { unique }),
    ...(evolved.length === 0 ? {} : { evolved }),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Returns each problem once: both databases complain of the same. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Map<string, Problem>();
  for (const problem of problems) {
    const key = JSON.stringify([problem.code, problem.message]);
    if (!seen.has(key)) seen.set(key, problem);
  }
  return [...seen.values()];
}
