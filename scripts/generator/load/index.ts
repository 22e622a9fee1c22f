import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Descriptor, decode } from '../../../src/descriptor/descriptor-file.js';
import type { Location, Problem } from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { parseDescriptor } from '../../../src/descriptor/parse.js';
import { isPackageRoot } from '../../../src/server/package-root.js';
import { engineDescriptors, inTeamProject, isEngineDescriptor } from '../../invocation.js';
import { movedSchema } from './moved.js';

export const DESCRIPTOR_FOLDER = 'capabilities';
const EXTENSION = /\.(yaml|yml|json)$/i;

export interface Loaded {
  readonly descriptors: readonly Descriptor[];
  readonly problems: readonly Problem[];
}

/**
 * Reads every descriptor of a project, and the engine's where it is a package of the project, in
 * the order of their names whatever order the file system gives. Throws only what the file system
 * throws (ENOENT where there is no capabilities/).
 */
export async function loadDescriptors(root: string): Promise<Loaded> {
  const [isPackage, isTeams] = [isPackageRoot(root), inTeamProject(root)];
  const entries = await readdir(join(root, DESCRIPTOR_FOLDER), { withFileTypes: true });
  const own = entries.filter(isDescriptor).map(({ name }) => ({
    file: `${DESCRIPTOR_FOLDER}/${name}`,
    path: join(root, DESCRIPTOR_FOLDER, name),
    isEngines: isPackage && isEngineDescriptor(name),
  }));
  const bases = new Set(own.map(baseOf));
  // A project that has a descriptor of the name means its own.
  const engine = engineDescriptors(root)
    .filter((one) => !bases.has(baseOf(one)))
    .map((one) => ({ ...one, isEngines: true }));
  const files = [...own, ...engine].sort((a, b) => byCodeUnit(basename(a.file), basename(b.file)));
  const problems: Problem[] = [];
  const descriptors: Descriptor[] = [];
  for (const { file, path, isEngines } of files) {
    const start: Location = Object.freeze({ file, line: 1, column: 1 });
    const source = decode(await readFile(path));
    const base = baseOf({ file });
    if (source === undefined) {
      problems.push({ at: start, code: 'syntax', message: 'the file is not UTF-8.' });
      descriptors.push({ file, base, isEngines, start, root: undefined });
      continue;
    }
    const parsed = parseDescriptor(file, source);
    problems.push(...parsed.problems, ...(isTeams ? movedSchema(file, source) : []));
    descriptors.push({ file, base, isEngines, start, root: parsed.root });
  }
  return { descriptors, problems };
}

function baseOf({ file }: { readonly file: string }): string {
  return basename(file).replace(EXTENSION, '');
}

/** Returns whether it is a descriptor: no folder, and no file of an editor (`.#todos.yaml`). */
function isDescriptor(entry: Dirent): boolean {
  return EXTENSION.test(entry.name) && !entry.name.startsWith('.') && !entry.isDirectory();
}
