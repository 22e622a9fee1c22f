import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROVIDERS } from '../emit/prisma-datamodel.js';
import { git, isInRepository } from '../git.js';
import { migrationsFolder, SQL_FILE } from './history.js';

/**
 * Returns the files below `prisma/` that are committed: a migration among them is released, since
 * others may have applied it. Undefined where git can't tell: there is no repository, or it ignores
 * the folder.
 */
export function committedFiles(root: string): ReadonlySet<string> | undefined {
  if (!isInRepository(root)) return undefined;
  if (git(root, ['check-ignore', '--quiet', 'prisma']) !== undefined) return undefined;
  return new Set([...filesAt(root, 'HEAD'), ...filesAt(root, 'MERGE_HEAD')]);
}

/**
 * Returns the files below `prisma/` in a commit; none if there is no such commit. While a merge
 * waits for its commit, MERGE_HEAD is the other side: if that is main, databases may have its
 * migrations.
 */
function filesAt(root: string, commit: string): readonly string[] {
  const names = git(root, ['ls-tree', '-r', '--name-only', '-z', commit, '--', 'prisma/']) ?? '';
  return names.split('\u0000').filter((name) => name !== '');
}

/**
 * Returns the same where git can't tell: a migration that a database has applied is released, for
 * both databases, as far as it is there. `names`: of those migrations.
 */
export function appliedFiles(root: string, names: readonly string[]): ReadonlySet<string> {
  return new Set(
    names
      .flatMap((name) => PROVIDERS.map((provider) => `${migrationsFolder(provider)}/${name}`))
      .filter((folder) => existsSync(join(root, folder)))
      .map((folder) => `${folder}/${SQL_FILE}`),
  );
}
