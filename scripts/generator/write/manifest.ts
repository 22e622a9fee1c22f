import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../../src/descriptor/model/hash.js';
import type { EmittedFiles } from '../../../src/descriptor/model.js';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { ALL_DESCRIPTORS, preambleText } from '../emit/preamble.js';

export const MANIFEST = 'generated/manifest.json';

/** Hash by path of what the last run wrote. */
export type Manifest = ReadonlyMap<string, string>;

/** Adds the manifest: each owned file with the SHA-256 of its text. */
export function emitManifest(files: EmittedFiles): EmittedFiles {
  const hashes = [...files]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([path, text]) => [path, sha256(text)]);
  const manifest = {
    $comment: preambleText(ALL_DESCRIPTORS),
    files: Object.fromEntries(hashes),
  };
  return new Map([...files, [MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`]]);
}

/** What the last run wrote; empty where there is no manifest or none that can be read. */
export function readManifest(root: string): Manifest {
  const text = readIfThere(join(root, MANIFEST));
  if (text === null) return new Map();
  try {
    const { files } = JSON.parse(text) as { files?: unknown };
    if (typeof files !== 'object' || files === null) return new Map();
    return new Map(Object.entries(files).filter(([path]) => isOwned(path)));
  } catch (error) {
    // A broken manifest owns nothing; the next run writes it anew.
    if (error instanceof SyntaxError) return new Map();
    throw error;
  }
}

/**
 * Only these places can be the generator's, whatever a manifest says: nothing else is ever
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
 * A file's text, or null where there is none. At once: nothing else waits in the process, and of a
 * thousand small files each would take longer to be awaited than to be read.
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
