import { git } from '../git.js';

/**
 * The files below `prisma/` that are committed: a migration among them is released, since others
 * may have applied it. Undefined where nobody can tell (no repository, no git, or a folder that the
 * repository ignores): every migration on disk counts as released then.
 */
export function committedFiles(root: string): ReadonlySet<string> | undefined {
  if (git(root, ['rev-parse', '--is-inside-work-tree'])?.trim() !== 'true') return undefined;
  if (git(root, ['check-ignore', '--quiet', 'prisma']) !== undefined) return undefined;
  return new Set([...filesAt(root, 'HEAD'), ...filesAt(root, 'MERGE_HEAD')]);
}

/**
 * A repository without a commit has released nothing. While a merge waits for its commit, what the
 * other side released is released: where that is main, databases may have it.
 */
function filesAt(root: string, commit: string): readonly string[] {
  const names = git(root, ['ls-tree', '-r', '--name-only', '-z', commit, '--', 'prisma/']) ?? '';
  return names.split('\u0000').filter((name) => name !== '');
}
