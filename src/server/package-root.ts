import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package: its own repository, or below a team's node_modules. */
export const PACKAGE_ROOT: string = folderWithPackage(dirname(fileURLToPath(import.meta.url)));

/**
 * Returns whether a project's folder is this package's own: there the engine's sources, its
 * descriptors and what is made of them lie in one folder.
 */
export function isPackageRoot(root: string): boolean {
  return existsSync(root) && realpathSync(root) === realpathSync(PACKAGE_ROOT);
}

/** The file that `jmapsmith build --standalone` writes beside `server.mjs`. */
const STANDALONE = 'standalone.json';

/** The folder that `jmapsmith build --standalone` wrote, where this package runs from one. */
export const STANDALONE_ROOT: string | undefined = folderWithMarker(dirname(dirname(PACKAGE_ROOT)));

/**
 * Returns the folder of the project, with its modules and migrations: the standalone one or the
 * current.
 */
export function projectRoot(): string {
  return STANDALONE_ROOT ?? process.cwd();
}

function folderWithMarker(folder: string): string | undefined {
  return existsSync(join(folder, STANDALONE)) ? folder : undefined;
}

/** Sources lie two folders below it, compiled ones three. */
function folderWithPackage(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('The package has no package.json above its modules.');
  return folderWithPackage(parent);
}
