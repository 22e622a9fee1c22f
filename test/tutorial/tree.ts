import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** The files of a folder: path with slashes to a hash of the content. */
export type Tree = ReadonlyMap<string, string>;

export interface TreeChanges {
  readonly added: string[];
  readonly changed: string[];
  readonly removed: string[];
}

/**
 * Folders that `git status` leaves out as well: packages and what the build makes of the sources.
 */
const IGNORED = new Set(['node_modules', 'dist', 'build']);

export async function readTree(root: string): Promise<Tree> {
  const tree = new Map<string, string>();
  const visit = async (folder: string): Promise<void> => {
    for (const item of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, item.name);
      if (folder === root && IGNORED.has(item.name)) continue;
      if (item.isDirectory()) {
        await visit(path);
        continue;
      }
      const name = relative(root, path).split(sep).join('/');
      tree.set(
        name,
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      );
    }
  };
  await visit(root);
  return tree;
}

/** Returns the changes from one look to the next, each list in order. */
export function changesBetween(before: Tree, after: Tree): TreeChanges {
  const added = [...after.keys()].filter((path) => !before.has(path));
  const removed = [...before.keys()].filter((path) => !after.has(path));
  const changed = [...after.keys()].filter(
    (path) => before.has(path) && before.get(path) !== after.get(path),
  );
  return { added: added.sort(), changed: changed.sort(), removed: removed.sort() };
}
