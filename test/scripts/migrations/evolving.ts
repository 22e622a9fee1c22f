import { expect } from 'vitest';
import type { Model } from '../../../src/descriptor/model.js';
import { generate, temporaryRoot } from './project.js';
import type { Started } from './starting.js';

/** One database with one project's migrations. */
export interface Evolving {
  /** Applies what the folder has; the names of what was applied. */
  migrate(root: string): Promise<readonly string[]>;
  run(statement: string): Promise<void>;
  /** Numbers as numbers, whatever the driver gives. */
  rows(statement: string): Promise<readonly Record<string, unknown>[]>;
  /** Does what a server's start does with what migrations left. */
  start(of: Started): Promise<void>;
  /** Several servers may have the database. */
  readonly isShared: boolean;
}

/** Begins a project with a model, on a database with the accounts a and b. */
export async function begin<Database extends Evolving>(open: () => Promise<Database>, of: Model) {
  const db = await open();
  const root = temporaryRoot();
  /** Generates and applies the migration to another model; returns the names of those applied. */
  const advance = async (next: Model, contract = false) => {
    const plan = await generate(root, next, contract);
    expect(plan.problems).toEqual([]);
    return db.migrate(root);
  };
  await advance(of);
  for (const account of ['a', 'b'])
    await db.run(
      `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
       VALUES ('${account}', '', 'u', 1)`,
    );
  return { db, root, advance };
}
