import { type Dirent, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Descriptor, decode } from '../../../src/descriptor/descriptor-file.js';
import { type Located, member, members } from '../../../src/descriptor/located.js';
import type { Location, Problem } from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { type Parsed, parseDescriptor } from '../../../src/descriptor/parse.js';
import { withoutDoubles } from '../../../src/descriptor/problems.js';
import { type ReadShared, withShared } from '../../../src/descriptor/shared-files.js';
import { isPackageRoot } from '../../../src/server/package-root.js';
import {
  type EngineDescriptor,
  engineDescriptors,
  inTeamProject,
  isEngineDescriptor,
  PRINCIPALS_DESCRIPTOR,
  QUOTA_DESCRIPTOR,
} from '../../invocation.js';
import { movedSchema } from './moved.js';

export const DESCRIPTOR_FOLDER = 'capabilities';
const EXTENSION = /\.(yaml|yml|json)$/i;

export interface Loaded {
  readonly descriptors: readonly Descriptor[];
  readonly problems: readonly Problem[];
}

/**
 * Reads every descriptor of a project, and the engine's where it is a package of the project, in
 * the order of their names whatever order the file system gives. Throws only what the file system
 * throws (ENOENT where there is no capabilities/).
 */
export async function loadDescriptors(root: string): Promise<Loaded> {
  const [isPackage, isTeams] = [isPackageRoot(root), inTeamProject(root)];
  const entries = await readdir(join(root, DESCRIPTOR_FOLDER), { withFileTypes: true });
  const named = entries.filter((entry) => isDescriptor(entry) && !(isPackage && isOnDemand(entry)));
  const own = named.map(({ name }) => ({
    file: `${DESCRIPTOR_FOLDER}/${name}`,
    path: join(root, DESCRIPTOR_FOLDER, name),
    isEngines: isPackage && isEngineDescriptor(name),
  }));
  const bases = new Set(own.map(baseOf));
  // A project that has a descriptor of the name means its own.
  const engine = engineDescriptors(root)
    .filter((one) => !bases.has(baseOf(one)))
    .map((one) => ({ ...one, isEngines: true }));
  const files = [...own, ...engine].sort((a, b) => byCodeUnit(basename(a.file), basename(b.file)));
  const readShared = sharedReader(root);
  const problems: Problem[] = [];
  const descriptors: Descriptor[] = [];
  // Once all others are read, it is known what they need.
  const isWanted = ({ need }: OnDemand): boolean =>
    descriptors.some(({ root: of }) => of && need(of));
  for (const { file, path, isEngines } of withOnDemand(files, isWanted)) {
    const start: Location = Object.freeze({ file, line: 1, column: 1 });
    const source = decode(await readFile(path));
    const base = baseOf({ file });
    if (source === undefined) {
      problems.push({ at: start, code: 'syntax', message: 'the file is not UTF-8.' });
      descriptors.push({ file, base, isEngines, start, root: undefined });
      continue;
    }
    const parsed = parseDescriptor(file, source);
    problems.push(...parsed.problems, ...(isTeams ? movedSchema(file, source) : []));
    const whole = parsed.root && withShared(file, parsed.root, readShared);
    problems.push(...(whole?.problems ?? []));
    descriptors.push({ file, base, isEngines, start, root: whole?.root });
  }
  return { descriptors, problems: withoutDoubles(problems) };
}

/** A descriptor of the package that few projects need. */
interface OnDemand {
  readonly descriptor: EngineDescriptor;
  /** Returns whether a descriptor of the project needs it. */
  readonly need: (root: Located) => boolean;
}

const ON_DEMAND: readonly OnDemand[] = Object.freeze([
  { descriptor: QUOTA_DESCRIPTOR, need: hasSeenQuotas },
  { descriptor: PRINCIPALS_DESCRIPTOR, need: hasShares },
]);

/** Returns whether users share objects of one of its types. */
function hasShares(descriptor: Located): boolean {
  return members(member(descriptor, 'types')).some(({ node }) => member(node, 'share'));
}

/** Quotas `of` unreferenced blobs are no objects of the type `Quota`. */
function hasSeenQuotas(descriptor: Located): boolean {
  const quotas = member(descriptor, 'quotas');
  return (
    quotas !== undefined &&
    (quotas.members === undefined ||
      members(quotas).some(({ node }) => member(node, 'of') === undefined))
  );
}

interface DescriptorFile {
  readonly file: string;
  readonly path: string;
  readonly isEngines: boolean;
}

/**
 * Yields the files, and behind them the descriptors of the package that are wanted then. The
 * project has their tables, so they are generated as the project's own descriptors are.
 */
function* withOnDemand(
  files: readonly DescriptorFile[],
  isWanted: (one: OnDemand) => boolean,
): Iterable<DescriptorFile> {
  yield* files;
  for (const one of ON_DEMAND) if (isWanted(one)) yield { ...one.descriptor, isEngines: false };
}

/** Returns a function that reads a shared file of the project, each once. */
function sharedReader(root: string): ReadShared {
  const known = new Map<string, Parsed | undefined>();
  return (file) => {
    if (!known.has(file)) known.set(file, readShared(root, file));
    return known.get(file);
  };
}

function readShared(root: string, file: string): Parsed | undefined {
  const octets = readOctets(join(root, file));
  if (octets === null) return undefined;
  const source = decode(octets);
  if (source !== undefined) return parseDescriptor(file, source);
  const at = { file, line: 1, column: 1 };
  return { root: undefined, problems: [{ at, code: 'syntax', message: 'the file is not UTF-8.' }] };
}

/** Returns a file's octets; null where there is none. */
function readOctets(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null;
    throw error;
  }
}

function baseOf({ file }: { readonly file: string }): string {
  return basename(file).replace(EXTENSION, '');
}

/** Returns whether it is a descriptor of the package that few projects need. */
function isOnDemand({ name }: Dirent): boolean {
  return ON_DEMAND.some(({ descriptor }) => name === basename(descriptor.file));
}

/** Returns whether it is a descriptor: no folder, and no file of an editor (`.#todos.yaml`). */
function isDescriptor(entry: Dirent): boolean {
  return EXTENSION.test(entry.name) && !entry.name.startsWith('.') && !entry.isDirectory();
}
