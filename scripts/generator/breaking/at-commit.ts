import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from '../../cli.js';
import { git } from '../git.js';
import { DESCRIPTOR_FOLDER } from '../load/index.js';

/** Runs `work` on a folder with the descriptors as a commit, a tag or a branch has them. */
export async function atCommit<T>(
  root: string,
  ref: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  // A name that begins with a dash would be an option.
  const commit = git(root, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${ref}^{commit}`,
  ]);
  if (commit === undefined)
    throw new UsageError(`--against ${ref}: no commit, tag or branch of this repository.`);
  const args = ['ls-tree', '-r', '--name-only', '-z', commit.trim(), '--', `${DESCRIPTOR_FOLDER}/`];
  const files = (git(root, args) ?? '').split('\u0000').filter((name) => name !== '');
  if (files.length === 0)
    throw new UsageError(`--against ${ref}: it has no ${DESCRIPTOR_FOLDER}/ here.`);
  const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-breaking-'));
  try {
    for (const file of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), git(root, ['show', `${commit.trim()}:./${file}`]) ?? '');
    }
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
