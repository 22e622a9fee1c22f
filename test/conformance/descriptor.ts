import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type World, worldOf } from '../../conform/src/subject/described.js';

/** All types of some descriptors; paths are relative to this file, or whole. */
export function describedWorld(...paths: readonly string[]): World {
  return worldOf(
    paths.map((path) => {
      const file = fileURLToPath(new URL(path, import.meta.url));
      return { file: path, text: readFileSync(file, 'utf8') };
    }),
  );
}
