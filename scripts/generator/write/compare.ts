import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../../src/descriptor/model/hash.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import type { Rendered } from '../pipeline.js';
import { readIfThere, readManifests } from './manifest.js';

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
}

/** Compares what was rendered with what is on disk; in order of path. */
export function compare(root: string, rendered: Rendered): readonly Difference[] {
  const manifest = readManifests(root);
  const differences: Difference[] = [];
  for (const [path, after] of [...rendered.owned, ...rendered.kept]) {
    const before = readIfThere(join(root, path));
    if (before === after) continue;
    differences.push({ path, before, after, finding: findingOf(before, manifest.get(path)) });
  }
  const gone = [
    ...[...manifest.keys()].filter((path) => !rendered.owned.has(path)),
    ...rendered.obsolete,
  ];
  for (const path of gone) {
    const before = readIfThere(join(root, path));
    if (before === null) continue;
    const isEdited = findingOf(before, manifest.get(path)) === 'hand-edited';
    const finding = isEdited ? 'orphaned-edited' : 'orphaned';
    differences.push({ path, before, after: null, finding });
  }
  for (const path of filesBelow(root, 'generated')) {
    if (rendered.owned.has(path) || manifest.has(path)) continue;
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
