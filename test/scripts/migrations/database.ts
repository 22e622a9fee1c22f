import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { expect, onTestFinished } from 'vitest';
import { migrate, openDatabase } from '../../../src/database/sqlite/index.js';
import type { Model } from '../../../src/descriptor/model.js';
import { generate, temporaryRoot } from './project.js';

/** An empty project with an empty database, for the test that runs. */
export function emptyProject(): { readonly root: string; readonly db: Database } {
  const root = temporaryRoot();
  const db = openDatabase({ file: join(root, 'test.db') });
  onTestFinished(() => void db.close());
  return { root, db };
}

/** Generates for the model and applies what is new; the names of what was applied. */
export async function advanceTo(root: string, db: Database, of: Model): Promise<readonly string[]> {
  const plan = await generate(root, of);
  expect(plan.problems).toEqual([]);
  return migrate(db, join(root, 'prisma/sqlite/migrations')).applied;
}
