import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Difference } from './compare.js';
import { isManifest } from './manifest.js';

/**
 * Brings the disk in line. Every text is first written beside its place, and put there only when
 * all are written: whatever fails before leaves everything as it was. The manifests go last, so
 * that a run that is cut short is seen by the next `--check`. Foreign files stay.
 */
export function write(root: string, differences: readonly Difference[]): void {
  const staged = new Map<string, string>();
  const folders = new Set<string>();
  try {
    for (const { path, after } of manifestLast(differences)) {
      if (after === null) continue;
      const to = join(root, path);
      const from = `${to}.${process.pid}.tmp`;
      const folder = dirname(to);
      if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
      folders.add(folder);
      staged.set(from, to);
      writeFileSync(from, after, 'utf8');
    }
    for (const [from, to] of staged) {
      renameSync(from, to);
      staged.delete(from);
    }
  } finally {
    for (const from of staged.keys()) rmSync(from, { force: true });
  }
  for (const { path, finding } of differences) {
    if (finding !== 'orphaned') continue;
    rmSync(join(root, path));
    removeIfEmpty(dirname(join(root, path)));
  }
}

function manifestLast(differences: readonly Difference[]): readonly Difference[] {
  return [
    ...differences.filter(({ path }) => !isManifest(path)),
    ...differences.filter(({ path }) => isManifest(path)),
  ];
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY') return;
    throw error;
  }
}
