import { readdirSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { sha256 } from '../../../src/descriptor/model/hash.js';
import type { EmittedFiles } from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import type { Rendered } from '../pipeline.js';
import { type Manifest, readClientManifest, readIfThere, readManifests } from './manifest.js';

/**
 * The fault of a file on disk. The generator removes an orphan as it wrote it. It leaves one that
 * was edited since (`orphaned-edited`), and a file among the generated ones that it never wrote
 * (`foreign`).
 */
export type Finding =
  | 'missing'
  | 'stale'
  | 'hand-edited'
  | 'orphaned'
  | 'orphaned-edited'
  | 'foreign';

export interface Difference {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly finding: Finding;
  /** The text on disk; null where there is none, or where it is foreign and nobody reads it. */
  readonly before: string | null;
  /** The text that should be there; null where the file should not be. */
  readonly after: string | null;
  /** Of a file of the typed client in a folder of its own: that folder. */
  readonly client?: string;
}

/** Compares what was rendered with what is on disk; in order of path. */
export function compare(root: string, rendered: Rendered): readonly Difference[] {
  const { owned, kept, obsolete } = rendered;
  return differencesOf({
    ...{ root, owned, kept, obsolete },
    manifest: readManifests(root),
    found: filesBelow(root, 'generated'),
  });
}

/**
 * Compares the typed client with a folder of its own; in order of path. `folder` as the command
 * line gave it: the messages say it.
 */
export function compareClient(
  root: string,
  folder: string,
  { client }: Pick<Rendered, 'client'>,
): readonly Difference[] {
  const prefix = relative(root, resolve(folder)).split(sep).join('/');
  const inRoot = <Value>(files: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
    new Map([...files].map(([name, value]) => [`${prefix}/${name}`, value]));
  const differences = differencesOf({
    root,
    owned: inRoot(client),
    manifest: inRoot(readClientManifest(resolve(folder)) ?? new Map()),
    found: filesBelow(root, prefix),
  });
  return differences.map((difference) => ({ ...difference, client: folder }));
}

/** The two sides of a comparison. All paths are relative to the root. */
interface Compared {
  readonly root: string;
  readonly owned: EmittedFiles;
  readonly kept?: EmittedFiles;
  readonly obsolete?: readonly string[];
  readonly manifest: Manifest;
  /** The files in the folders that are the generator's alone. */
  readonly found: readonly string[];
}

function differencesOf(compared: Compared): readonly Difference[] {
  const { root, owned, kept = new Map(), obsolete = [], manifest, found } = compared;
  const differences: Difference[] = [];
  for (const [path, after] of [...owned, ...kept]) {
    const before = readIfThere(join(root, path));
    if (before === after) continue;
    differences.push({ path, before, after, finding: findingOf(before, manifest.get(path)) });
  }
  const gone = [...[...manifest.keys()].filter((path) => !owned.has(path)), ...obsolete];
  for (const path of gone) {
    const before = readIfThere(join(root, path));
    if (before === null) continue;
    const isEdited = findingOf(before, manifest.get(path)) === 'hand-edited';
    const finding = isEdited ? 'orphaned-edited' : 'orphaned';
    differences.push({ path, before, after: null, finding });
  }
  for (const path of found) {
    if (owned.has(path) || manifest.has(path)) continue;
    differences.push({ path, before: null, after: null, finding: 'foreign' });
  }
  return differences.sort((a, b) => byCodeUnit(a.path, b.path));
}

function findingOf(before: string | null, hash: string | undefined): Finding {
  if (before === null) return 'missing';
  return hash === undefined || hash === sha256(before) ? 'stale' : 'hand-edited';
}

function filesBelow(root: string, folder: string): readonly string[] {
  try {
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    return entries.flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(root, path) : [path];
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
