import { join } from 'node:path';
import type { EmittedFiles } from '../../src/descriptor/model.js';
import { isPackageRoot } from '../../src/server/package-root.js';
import { CLIENT_FOLDER, CLIENT_PACKAGE } from './emit/client-folder.js';
import { readIfThere } from './write/manifest.js';

/** The lists of a project's packages in which the client may be. */
const LISTS = ['dependencies', 'devDependencies'] as const;

/**
 * Returns whether the project uses the typed client: its package.json names the package. The
 * package's own repository has it.
 */
export function namesClient(root: string): boolean {
  if (isPackageRoot(root)) return true;
  const text = readIfThere(join(root, 'package.json'));
  return text !== null && LISTS.some((list) => hasClient(text, list));
}

/** Returns whether a list of a package.json has the client. npm tells what is wrong in the file. */
function hasClient(text: string, list: (typeof LISTS)[number]): boolean {
  try {
    const packages: unknown = (JSON.parse(text) as Readonly<Record<string, unknown>> | null)?.[
      list
    ];
    return typeof packages === 'object' && packages !== null && CLIENT_PACKAGE in packages;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Returns the files that are no part of the typed client. */
export function withoutClient(files: EmittedFiles): EmittedFiles {
  return new Map([...files].filter(([path]) => !path.startsWith(`${CLIENT_FOLDER}/`)));
}
