import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../../src/descriptor/model/hash.js';
import type { EmittedFiles } from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';

const GENERATED = 'generated';
/** Versions before 0.2.0 had a single one, in which every change of two branches met. */
const SINGLE_MANIFEST = `${GENERATED}/manifest.json`;

/** Hash by path of what the last run wrote; a shared file has none. */
export type Manifest = ReadonlyMap<string, string>;

/**
 * Adds a manifest for each folder of generated/: the files of its capability, each with the SHA-256
 * of its text. Branches that change two capabilities change two manifests. Files made of all
 * descriptors are in none, since any two changes of them would meet there.
 */
export function emitManifests(files: EmittedFiles): EmittedFiles {
  const folders = new Map<string, [path: string, hash: string][]>();
  for (const path of files.keys()) {
    const folder = folderOf(path);
    if (folder !== undefined) folders.set(folder, []);
  }
  for (const [path, text] of files) {
    const name = folderOf(path) ?? /^docs\/reference\/(?:.*\/)?([^/]+)\.md$/.exec(path)?.[1];
    folders.get(name ?? '')?.push([path, sha256(text)]);
  }
  const manifests = [...folders].map(([folder, hashes]) => {
    const sorted = hashes.sort(([a], [b]) => byCodeUnit(a, b));
    const text = JSON.stringify({ files: Object.fromEntries(sorted) }, null, 2);
    return [manifestOf(folder), `${text}\n`] as const;
  });
  return new Map([...files, ...manifests]);
}

/** Returns the files of the last run: those that the manifests list, and the manifests. */
export function readManifests(root: string): Manifest {
  const paths = [SINGLE_MANIFEST, ...foldersIn(join(root, GENERATED)).map(manifestOf)];
  const found = new Map<string, string>();
  for (const path of paths) {
    const text = readIfThere(join(root, path));
    if (text === null) continue;
    for (const [owned, hash] of filesIn(text)) found.set(owned, hash);
    found.set(path, sha256(text));
  }
  return found;
}

/** Returns whether a file is a manifest: written last, since it says what was written. */
export function isManifest(path: string): boolean {
  return path === SINGLE_MANIFEST || path === manifestOf(folderOf(path) ?? '');
}

function manifestOf(folder: string): string {
  return `${GENERATED}/${folder}/manifest.json`;
}

/** Returns `todos` of generated/todos/Todo.definition.ts; undefined of a file that all share. */
function folderOf(path: string): string | undefined {
  return /^generated\/([^/]+)\//.exec(path)?.[1];
}

function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Returns what a manifest lists; nothing where it can't be read, as after a merge with conflicts.
 */
function filesIn(text: string): readonly [path: string, hash: string][] {
  try {
    const { files } = JSON.parse(text) as { files?: unknown };
    if (typeof files !== 'object' || files === null) return [];
    return Object.entries(files).filter(([path]) => isOwned(path));
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/**
 * Returns whether a path can be the generator's, whatever a manifest says: nothing else is ever
 * removed.
 */
function isOwned(path: string): boolean {
  return (
    /^(generated|prisma|docs\/reference)\//.test(path) &&
    !path.includes('/migrations/') &&
    !path.split('/').includes('..') &&
    !path.includes('\\')
  );
}

/**
 * Returns a file's text, or null where there is none. At once: nothing else waits in the process,
 * and of a thousand small files each would take longer to be awaited than to be read.
 */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // ENOTDIR: a file stands where a folder of the path should be.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
