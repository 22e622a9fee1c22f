import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Difference } from './compare.js';
import { MANIFEST } from './manifest.js';

/**
 * Brings the disk in line. Every text is first written beside its place, and put there only when
 * all are written: whatever fails before leaves everything as it was. The manifest goes last, so
 * that a run that is cut short is seen by the next `--check`. Foreign files stay.
 */
export async function write(root: string, differences: readonly Difference[]): Promise<void> {
  const staged: { readonly from: string; readonly to: string }[] = [];
  try {
    for (const { path, after } of manifestLast(differences)) {
      if (after === null) continue;
      const to = join(root, path);
      const from = `${to}.${process.pid}.tmp`;
      await mkdir(dirname(to), { recursive: true });
      staged.push({ from, to });
      await writeFile(from, after, 'utf8');
    }
    for (const { from, to } of staged) await rename(from, to);
  } finally {
    for (const { from } of staged) await rm(from, { force: true });
  }
  for (const { path, finding } of differences) {
    if (finding !== 'orphaned') continue;
    await rm(join(root, path));
    await removeIfEmpty(dirname(join(root, path)));
  }
}

function manifestLast(differences: readonly Difference[]): readonly Difference[] {
  return [
    ...differences.filter(({ path }) => path !== MANIFEST),
    ...differences.filter(({ path }) => path === MANIFEST),
  ];
}

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY') return;
    throw error;
  }
}
