import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Provider } from '../emit/prisma-datamodel.js';
import type { Problem } from '../model.js';
import { DatamodelError, type ReadTable, readDatamodel } from './read-datamodel.js';

export const SQL_FILE = 'migration.sql';
/** The datamodel after the migration. */
export const SNAPSHOT_FILE = 'schema.prisma';

const FOLDER = /^(\d{4})_[A-Za-z0-9_]+$/;

/** The migrations of one database as they are on disk. */
export interface History {
  readonly provider: Provider;
  /** The highest number, 0 where there is no migration yet. */
  readonly last: number;
  /** Path relative to the root -> text, of all files in the migrations' folders. */
  readonly files: ReadonlyMap<string, string>;
  readonly snapshot?: Snapshot;
}

/** The datamodel that the database has once all migrations are applied. */
export interface Snapshot {
  /** Relative to the root. */
  readonly file: string;
  readonly text: string;
  readonly tables: readonly ReadTable[];
}

export function migrationsFolder(provider: Provider): string {
  return `prisma/${provider}/migrations`;
}

/** Reads a history; what is wrong with it goes to `report`. */
export function readHistory(
  root: string,
  provider: Provider,
  report: (problem: Problem) => void,
): History {
  const folder = migrationsFolder(provider);
  const files = new Map<string, string>();
  let last = 0;
  let snapshot: Snapshot | undefined;
  for (const name of migrationNames(root, folder)) {
    const path = `${folder}/${name}`;
    const number = Number(FOLDER.exec(name)?.[1]);
    if (number <= last) report(incomplete(path, `has the number ${number}, as another has`));
    last = Math.max(last, number);
    for (const file of filesOf(join(root, path)))
      files.set(`${path}/${file}`, readFileSync(join(root, path, file), 'utf8'));
    for (const needed of [SQL_FILE, SNAPSHOT_FILE])
      if (!files.has(`${path}/${needed}`)) report(incomplete(path, `lacks ${needed}`));
    snapshot = readSnapshot(`${path}/${SNAPSHOT_FILE}`, files, report) ?? snapshot;
  }
  return { provider, last, files, ...(snapshot === undefined ? {} : { snapshot }) };
}

function migrationNames(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && FOLDER.test(entry.name))
    .map((entry) => entry.name)
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10) || (a < b ? -1 : 1));
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

function readSnapshot(
  file: string,
  files: ReadonlyMap<string, string>,
  report: (problem: Problem) => void,
): Snapshot | undefined {
  const text = files.get(file);
  if (text === undefined) return undefined;
  try {
    return { file, text, tables: readDatamodel(text) };
  } catch (error) {
    if (!(error instanceof DatamodelError)) throw error;
    report({
      at: { file, line: error.line, column: 1 },
      code: 'migration-snapshot',
      message: `${error.message}. Snapshots are written by the generator alone: restore this one.`,
    });
    return undefined;
  }
}

function incomplete(path: string, what: string): Problem {
  return {
    at: { file: `${path}/${SNAPSHOT_FILE}`, line: 1, column: 1 },
    code: 'migration-history',
    message: `The migration ${path} ${what}: restore it from version control.`,
  };
}
