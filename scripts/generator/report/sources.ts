import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sources } from '../../../src/descriptor/report/problem-text.js';

/** Returns a function that reads a file below `root`, each file once. */
export function sourcesOf(root: string): Sources {
  const read = new Map<string, string | undefined>();
  return (file) => {
    if (!read.has(file)) read.set(file, textOf(join(root, file)));
    return read.get(file);
  };
}

/** Returns a file's text; undefined where it can't be read: the message then has no excerpt. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
