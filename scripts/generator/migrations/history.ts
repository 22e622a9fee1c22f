import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { typesIn } from '../../../src/descriptor/model/types-in.js';
import type { Problem } from '../../../src/descriptor/model.js';
import { PROVIDERS, type Provider } from '../emit/prisma-datamodel.js';
import { isContract } from './naming.js';
import { DatamodelError, type ReadTable, readDatamodel } from './read-datamodel.js';
import { hashOf, type ModelSnapshot, parseSnapshot } from './snapshot.js';

export const SQL_FILE = 'migration.sql';
/** The datamodel after the migration. */
export const SNAPSHOT_FILE = 'schema.prisma';
/** The model after the migration, and the hash of its parent's; older migrations have none. */
export const MODEL_FILE = 'model.json';
/** The work of the server for rows that exist (src/database/migrations.ts). */
export const BACKFILL_FILE = 'backfill.json';

const FOLDER = /^(\d{4})_[A-Za-z0-9_]+$/;

/** One migration on disk. */
interface Entry {
  readonly name: string;
  readonly number: number;
  /** Relative to the root. */
  readonly path: string;
  readonly files: ReadonlyMap<string, string>;
  readonly model?: ModelSnapshot;
  /** The hash that the next one has as its parent. */
  readonly hash: string;
}

/** The migrations of one database as they are on disk. */
export interface History {
  readonly provider: Provider;
  /** The highest number among the released, 0 where there is none. */
  readonly last: number;
  /** Path relative to the root -> text, of all files in the released migrations' folders. */
  readonly files: ReadonlyMap<string, string>;
  /** Paths of the files of the migration that is not released: it is made anew. */
  readonly unreleased: readonly string[];
  /** That one was asked for, to take away what the released state has left. */
  readonly contracts: boolean;
  /** By name of each type that a release had: the tables of the types of that name. */
  readonly tablesByTypeName: ReadonlyMap<string, ReadonlySet<string>>;
  /** The names of the types of the first release. */
  readonly firstTypeNames: ReadonlySet<string>;
  /** By table of each type that a release had. */
  readonly properties: ReadonlyMap<string, PastNames>;
  /** The model behind each released migration that kept one, by its number. */
  readonly states: ReadonlyMap<number, ModelSnapshot>;
  readonly snapshot?: Snapshot;
}

/** Names of the properties of a type: in the first release that had it, and in all of them. */
export interface PastNames {
  readonly first: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

/** The state that the database has once all released migrations are applied. */
export interface Snapshot {
  /** Relative to the root. */
  readonly file: string;
  readonly text: string;
  readonly tables: readonly ReadTable[];
  readonly model?: ModelSnapshot;
  readonly hash: string;
}

export function migrationsFolder(provider: Provider): string {
  return `prisma/${provider}/migrations`;
}

/**
 * Reads a history; what is wrong with it goes to `report`. `committed`: see released.ts.
 */
export function readHistory(
  root: string,
  provider: Provider,
  committed: ReadonlySet<string> | undefined,
  report: (problem: Problem) => void,
): History {
  const all = migrationNames(root, migrationsFolder(provider)).map((name) =>
    readEntry(root, `${migrationsFolder(provider)}/${name}`, name),
  );
  const isReleased = ({ path }: Entry) =>
    committed === undefined || committed.has(`${path}/${SQL_FILE}`);
  const released = all.filter(isReleased);
  checkChain(released, report);
  for (const name of halves(root, provider, committed)) report(half(provider, name));
  let snapshot: Snapshot | undefined;
  const tablesByTypeName = new Map<string, Set<string>>();
  let firstTypeNames: ReadonlySet<string> | undefined;
  const properties = new Map<string, PastNames>();
  for (const entry of released) {
    for (const needed of [SQL_FILE, SNAPSHOT_FILE])
      if (!entry.files.has(`${entry.path}/${needed}`))
        report(incomplete(entry.path, `lacks ${needed}`));
    const read = readSnapshot(entry, report);
    const types = read === undefined ? [] : namesIn(read);
    firstTypeNames ??= new Set(types.map(({ name }) => name));
    for (const type of types) {
      const tables = tablesByTypeName.get(type.name) ?? new Set();
      tablesByTypeName.set(type.name, tables.add(type.table));
      const names = new Set(type.properties.map(({ name }) => name));
      const { first = names, all = names } = properties.get(type.table) ?? {};
      properties.set(type.table, { first, all: new Set([...all, ...names]) });
    }
    snapshot = read ?? snapshot;
  }
  return {
    provider,
    last: released.at(-1)?.number ?? 0,
    files: new Map(released.flatMap(({ files }) => [...files])),
    unreleased: all.filter((entry) => !isReleased(entry)).flatMap(({ files }) => [...files.keys()]),
    contracts: all.some((entry) => !isReleased(entry) && isContract(entry.name)),
    tablesByTypeName,
    firstTypeNames: firstTypeNames ?? new Set(),
    properties,
    states: new Map(released.flatMap(({ number, model }) => (model ? [[number, model]] : []))),
    ...(snapshot === undefined ? {} : { snapshot }),
  };
}

/** Returns the types of a release; of one that kept no model, its tables with their columns. */
function namesIn({ model, tables }: Snapshot) {
  if (model !== undefined) return typesIn(model);
  return tables.map(({ name, columns }) => ({ name, table: name, properties: columns }));
}

/** Returns committed migrations that are deleted here and still exist for another database. */
function halves(
  root: string,
  provider: Provider,
  committed: ReadonlySet<string> | undefined,
): readonly string[] {
  const suffix = `/${SQL_FILE}`;
  const own = `${migrationsFolder(provider)}/`;
  const stands = (folder: string, name: string) => existsSync(join(root, folder, name, SQL_FILE));
  return [...(committed ?? [])]
    .filter((path) => path.startsWith(own) && path.endsWith(suffix))
    .map((path) => path.slice(own.length, -suffix.length))
    .filter((name) => FOLDER.test(name) && !existsSync(join(root, own, name)))
    .filter((name) => PROVIDERS.some((other) => stands(migrationsFolder(other), name)));
}

function half(provider: Provider, name: string): Problem {
  const path = `${migrationsFolder(provider)}/${name}`;
  return {
    at: { file: `${path}/${SNAPSHOT_FILE}`, line: 1, column: 1 },
    code: 'migration-history',
    message:
      `The migration ${path} is released, and deleted for this database alone: restore it ` +
      `(git checkout HEAD -- ${path}), or delete it for both where no database has it ` +
      `(rm -r prisma/*/migrations/${name}).`,
  };
}

function readEntry(root: string, path: string, name: string): Entry {
  const files = new Map(
    filesOf(join(root, path)).map((file) => [
      `${path}/${file}`,
      readFileSync(join(root, path, file), 'utf8'),
    ]),
  );
  const text = files.get(`${path}/${MODEL_FILE}`);
  const model = text === undefined ? undefined : parseSnapshot(text);
  return {
    name,
    number: Number(FOLDER.exec(name)?.[1]),
    path,
    files,
    hash: hashOf(text ?? files.get(`${path}/${SNAPSHOT_FILE}`) ?? ''),
    ...(model === undefined ? {} : { model }),
  };
}

/**
 * Reports migrations that were not made from the state after the one before: two with one number or
 * one parent are branches, anything else is an incomplete history.
 */
function checkChain(entries: readonly Entry[], report: (problem: Problem) => void): void {
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    const parent = entry.model?.parent;
    if (entry.files.has(`${entry.path}/${MODEL_FILE}`) && entry.model === undefined)
      report(incomplete(entry.path, `has a ${MODEL_FILE} that the generator would not write`));
    if (before?.number === entry.number) report(branches(before, entry, 'number'));
    else if (parent !== undefined && parent !== (before?.hash ?? null)) {
      const twin = entries.slice(0, index).find(({ model }) => model?.parent === parent);
      report(
        twin === undefined
          ? incomplete(entry.path, 'was made from a state that the migration before does not leave')
          : branches(twin, entry, 'parent'),
      );
    }
  }
}

function branches(one: Entry, other: Entry, what: 'number' | 'parent'): Problem {
  const everywhere = `${other.path.replace(/^prisma\/[^/]+\//, 'prisma/*/')}`;
  return {
    at: { file: `${other.path}/${SNAPSHOT_FILE}`, line: 1, column: 1 },
    code: 'migration-branches',
    message:
      `The migrations ${one.name} and ${other.name} have one ${what}: two branches made them. ` +
      `Delete the one that no database has yet, the later (rm -r ${everywhere}), and generate ` +
      'again: what it did is made anew, after the other.',
    related: [{ file: `${one.path}/${SNAPSHOT_FILE}`, line: 1, column: 1 }],
  };
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
  { path, files, model, hash }: Entry,
  report: (problem: Problem) => void,
): Snapshot | undefined {
  const file = `${path}/${SNAPSHOT_FILE}`;
  const text = files.get(file);
  if (text === undefined) return undefined;
  try {
    const tables = readDatamodel(text);
    return { file, text, tables, hash, ...(model === undefined ? {} : { model }) };
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
