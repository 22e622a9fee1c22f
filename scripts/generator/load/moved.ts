import { posix } from 'node:path';
import type { Location, Problem } from '../../../src/descriptor/model.js';

/** Files that versions before 0.2.0 generated, and where what they held is now. */

const MODELINE = /^#\s*yaml-language-server:\s*\$schema=(\S+)/m;
const OLD_SCHEMA = 'generated/descriptor.schema.json';
const SCHEMA = '../node_modules/jmapsmith/generated/descriptor.schema.json';

/** Returns a warning where a descriptor tells editors to read a schema of the project's own. */
export function movedSchema(file: string, source: string): readonly Problem[] {
  const found = MODELINE.exec(source);
  const path = found?.[1];
  if (found === null || path === undefined) return [];
  if (posix.join(posix.dirname(file), path) !== OLD_SCHEMA) return [];
  const before = source.slice(0, found.index).split('\n');
  const at = { file, line: before.length, column: 1 };
  return [moved(at, `the schema for editors is in the package: write $schema=${SCHEMA}.`)];
}

const OLD_MODULE = /^(generated\/[^/]+\/(?:[^/]+(?=\.(?:types|stored)\.)|methods(?=\.types\.)))/;

/** Returns a warning where a file of a team imports types by the name of their old module. */
export function movedModule(at: Location, path: string, specifier: string): readonly Problem[] {
  const [stem] = OLD_MODULE.exec(path) ?? [];
  if (stem === undefined) return [];
  const file = `${posix.basename(stem)}${stem.endsWith('/methods') ? '' : '.definition'}.js`;
  const mended = `${posix.dirname(specifier)}/${file}`;
  return [moved(at, `the types of '${specifier}' are in '${mended}' now: import them from there.`)];
}

function moved(at: Location, message: string): Problem {
  return { at, code: 'moved-file', message, severity: 'warning' };
}
