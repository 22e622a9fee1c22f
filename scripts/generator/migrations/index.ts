import { schemaPath, tablesOf } from '../emit/prisma.js';
import { PROVIDERS, type Provider, type Table } from '../emit/prisma-datamodel.js';
import { printDatasource, printModels } from '../emit/prisma-text.js';
import type { EmittedFiles, Model, Problem } from '../model.js';
import { backfillsOf } from './backfill.js';
import { compareTables, type Difference, isEmpty } from './compare.js';
import { loadEngine } from './engine.js';
import { type History, migrationsFolder, readHistory, SNAPSHOT_FILE, SQL_FILE } from './history.js';
import { nameProblems } from './names.js';
import { migrationName } from './naming.js';
import { finishPostgresql } from './postgresql.js';
import type { ReadTable } from './read-datamodel.js';
import { readDatamodel } from './read-datamodel.js';
import { refusals } from './refusals.js';
import { finishSqlite } from './sqlite.js';

export interface MigrationPlan {
  /** Every migration's files, those on disk unchanged; paths relative to the root. */
  readonly files: EmittedFiles;
  readonly problems: readonly Problem[];
}

interface Step {
  readonly history: History;
  readonly tables: readonly Table[];
  readonly difference: Difference<ReadTable>;
}

const FINISH = Object.freeze({ sqlite: finishSqlite, postgresql: finishPostgresql });

/**
 * The migrations of both databases: those that `root` has, and one more for each database whose
 * schema (of `emitPrisma`) has moved on from its last migration. Writes nothing.
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
  const steps = PROVIDERS.map((provider) => {
    const history = readHistory(root, provider, report);
    const tables = readDatamodel(schemas.get(schemaPath(provider)) ?? '');
    return { history, tables, difference: compareTables(history.snapshot?.tables ?? [], tables) };
  });
  for (const { history, difference } of steps)
    if (history.snapshot !== undefined)
      for (const problem of refusals(difference, model, history.snapshot)) report(problem);
  for (const problem of nameProblems(tablesOf(model), model)) report(problem);

  const files = new Map(steps.flatMap(({ history }) => [...history.files]));
  if (problems.length === 0) {
    // One number for both, so that a change has the same name wherever it is applied.
    const number = Math.max(...steps.map(({ history }) => history.last)) + 1;
    for (const step of steps)
      if (!isEmpty(step.difference))
        for (const [path, text] of await newMigration(step, model, number)) files.set(path, text);
  }
  return { files, problems: distinct(problems) };
}

async function newMigration(step: Step, model: Model, number: number): Promise<EmittedFiles> {
  const { history, tables, difference } = step;
  const { provider } = history;
  const snapshot = printSnapshot(provider, tables);
  const engine = await loadEngine();
  const sql = await engine.diff(provider, history.snapshot?.text ?? null, snapshot);
  const folder = `${migrationsFolder(provider)}/${migrationName(number, difference)}`;
  return new Map([
    [`${folder}/${SQL_FILE}`, FINISH[provider](sql, backfillsOf(difference, model))],
    [`${folder}/${SNAPSHOT_FILE}`, snapshot],
  ]);
}

function printSnapshot(provider: Provider, tables: readonly Table[]): string {
  return [
    '// The datamodel after this migration: what the generator compares the next one with. Do not edit.',
    '',
    printDatasource(provider),
    printModels(tables, false),
  ].join('\n');
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
