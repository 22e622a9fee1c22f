import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSelfDescribed, type World } from '../../conform/src/subject/described.js';

/**
 * Returns all types of some descriptors, as a server of this project describes them itself. Paths
 * are relative to this file, or whole.
 */
export function describedWorld(...paths: readonly string[]): World {
  return readSelfDescribed(
    paths.map((path) => {
      const file = fileURLToPath(new URL(path, import.meta.url));
      return { file: path, text: readFileSync(file, 'utf8') };
    }),
  );
}
