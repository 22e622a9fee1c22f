import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished, TestRunner } from 'vitest';
import { storageSchemas } from '../../../scripts/generator/emit/prisma.js';
import {
  type MigrationPlan,
  placed,
  planMigrations,
  readHistories,
} from '../../../scripts/generator/migrations/index.js';
import { appliedFiles, committedFiles } from '../../../scripts/generator/migrations/released.js';
import type { Model } from '../../../src/descriptor/model.js';

/**
 * An empty folder that is gone after the test, or after the run, where it is for all tests of a
 * file. (Not by a hook of this module: files of one worker share it, so only the first one would
 * have the hook.)
 */
export function temporaryRoot(): string {
  const root = mkdtempSync(join(process.env['JMAPSMITH_TEST_RUN'] ?? tmpdir(), 'migrations-'));
  if (TestRunner.getCurrentTest() !== undefined)
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Does what the generator would do for the database: plans and, where nothing is wrong, writes. */
export async function generate(
  root: string,
  model: Model,
  contract = false,
): Promise<MigrationPlan> {
  const histories = readHistories(root, releasedAt(root));
  const own = placed(model, histories);
  const schemas = storageSchemas(own);
  const plan = await planMigrations({ model: own, schemas, histories, contract });
  if (plan.problems.length === 0)
    for (const [path, text] of [...schemas, ...plan.files]) write(root, path, text);
  return plan;
}

/** With the tables and columns that the migrations on disk give it. */
export function placedAt(root: string, model: Model): Model {
  return placed(model, readHistories(root, releasedAt(root)));
}

/**
 * Returns the committed migrations; without git all that are on disk, as if a database had applied
 * them.
 */
function releasedAt(root: string): ReadonlySet<string> {
  const folders = ['sqlite', 'postgresql'].map((name) => join(root, 'prisma', name, 'migrations'));
  const onDisk = () => folders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
  return committedFiles(root) ?? appliedFiles(root, onDisk());
}

export function write(root: string, path: string, text: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The migrations of one database in a plan, by folder name, in order. */
export function names(plan: MigrationPlan, provider = 'sqlite'): string[] {
  const folder = new RegExp(`^prisma/${provider}/migrations/([^/]+)/migration\\.sql$`);
  return [...plan.files.keys()].flatMap((path) => folder.exec(path)?.[1] ?? []).sort();
}

export function sql(plan: MigrationPlan, name: string, provider = 'sqlite'): string {
  const text = plan.files.get(`prisma/${provider}/migrations/${name}/migration.sql`);
  if (text === undefined) throw new Error(`no migration ${name}`);
  return text;
}
