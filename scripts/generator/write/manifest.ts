import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { sha256 } from '../../../src/descriptor/model/hash.js';
import type { EmittedFiles } from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { CLIENT_FOLDER } from '../emit/client-folder.js';
import { descriptorOf } from '../emit/preamble.js';

const GENERATED = 'generated';
/** Versions before 0.2.0 had a single one, in which every change of two branches met. */
const SINGLE_MANIFEST = `${GENERATED}/manifest.json`;

/** The manifest of a folder of the client that lies elsewhere. */
const CLIENT_MANIFEST = 'manifest.json';

/** Hash by path of what the last run wrote; a shared file has none. */
export type Manifest = ReadonlyMap<string, string>;

/**
 * Adds a manifest for each folder of generated/: the files of its capability, each with the SHA-256
 * of its text. Branches that change two capabilities change two manifests. So the client's modules
 * are in the manifest of their capability. Files made of all descriptors are in none, since any two
 * changes of them would meet there; only the client's are, which go with it.
 */
export function emitManifests(files: EmittedFiles): EmittedFiles {
  const folders = new Map<string, [path: string, hash: string][]>();
  for (const path of files.keys()) {
    const folder = folderOf(path);
    if (folder !== undefined) folders.set(folder, []);
  }
  for (const [path, text] of files) {
    folders.get(manifestFolder(path, text) ?? '')?.push([path, sha256(text)]);
  }
  const manifests = [...folders].map(
    ([folder, hashes]) => [manifestOf(folder), manifestText(hashes)] as const,
  );
  return new Map([...files, ...manifests]);
}

/** Returns the folder of generated/ whose manifest has a file. */
function manifestFolder(path: string, text: string): string | undefined {
  const inClient = path.startsWith(`${CLIENT_FOLDER}/`) ? descriptorOf(text) : undefined;
  const page = /^docs\/reference\/(?:.*\/)?([^/]+)\.md$/.exec(path)?.[1];
  return inClient ?? folderOf(path) ?? page;
}

/** Returns a manifest of files with their hashes. */
function manifestText(hashes: readonly (readonly [path: string, hash: string])[]): string {
  const sorted = [...hashes].sort(([a], [b]) => byCodeUnit(a, b));
  return `${JSON.stringify({ files: Object.fromEntries(sorted) }, null, 2)}\n`;
}

/** Returns the files of the client as they lie in a folder of their own, with one manifest. */
export function emitClientFolder(files: EmittedFiles): EmittedFiles {
  const own = [...files]
    .filter(([path]) => path.startsWith(`${CLIENT_FOLDER}/`))
    .map(([path, text]) => [path.slice(CLIENT_FOLDER.length + 1), text] as const);
  const hashes = own.map(([name, text]) => [name, sha256(text)] as const);
  return new Map([...own, [CLIENT_MANIFEST, manifestText(hashes)]]);
}

/** Returns the files of the last run in a folder of the client; null of a folder of another use. */
export function readClientManifest(folder: string): Manifest | null {
  const text = readIfThere(join(folder, CLIENT_MANIFEST));
  if (text === null) return null;
  const isModule = (name: string): boolean => /^[A-Za-z0-9][\w.-]*\.ts$/.test(name);
  return new Map([...filesIn(text, isModule), [CLIENT_MANIFEST, sha256(text)]]);
}

/** Returns the files of the last run: those that the manifests list, and the manifests. */
export function readManifests(root: string): Manifest {
  const paths = [SINGLE_MANIFEST, ...foldersIn(join(root, GENERATED)).map(manifestOf)];
  const found = new Map<string, string>();
  for (const path of paths) {
    const text = readIfThere(join(root, path));
    if (text === null) continue;
    for (const [owned, hash] of filesIn(text, isOwned)) found.set(owned, hash);
    found.set(path, sha256(text));
  }
  return found;
}

/** Returns whether a file is a manifest: written last, since it says what was written. */
export function isManifest(path: string): boolean {
  return posix.basename(path) === CLIENT_MANIFEST;
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
function filesIn(
  text: string,
  isOurs: (path: string) => boolean,
): readonly [path: string, hash: string][] {
  try {
    const { files } = JSON.parse(text) as { files?: unknown };
    if (typeof files !== 'object' || files === null) return [];
    return Object.entries(files).filter(([path]) => isOurs(path));
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
