import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Location, Problem } from '../model.js';
import { byCodeUnit } from '../order.js';
import type { Located } from './located.js';
import { parseDescriptor } from './parse.js';

export const DESCRIPTOR_FOLDER = 'capabilities';
const EXTENSION = /\.(yaml|yml|json)$/i;

/** A descriptor's text, read and parsed. */
export interface Descriptor {
  /** Relative to the project's root, with `/`. */
  readonly file: string;
  /** The file's name without its extension: the folder in generated/. */
  readonly base: string;
  readonly start: Location;
  readonly root: Located | undefined;
}

export interface Loaded {
  readonly descriptors: readonly Descriptor[];
  readonly problems: readonly Problem[];
}

/**
 * Reads every descriptor of a project, in the order of their names whatever order the file system
 * gives. Throws only what the file system throws (ENOENT where there is no capabilities/).
 */
export async function loadDescriptors(root: string): Promise<Loaded> {
  const entries = await readdir(join(root, DESCRIPTOR_FOLDER), { withFileTypes: true });
  const names = entries.filter(isDescriptor).map(({ name }) => name);
  names.sort(byCodeUnit);
  const problems: Problem[] = [];
  const descriptors: Descriptor[] = [];
  for (const name of names) {
    const file = `${DESCRIPTOR_FOLDER}/${name}`;
    const start: Location = Object.freeze({ file, line: 1, column: 1 });
    const source = decode(await readFile(join(root, DESCRIPTOR_FOLDER, name)));
    const base = name.replace(EXTENSION, '');
    if (source === undefined) {
      problems.push({ at: start, code: 'syntax', message: 'the file is not UTF-8.' });
      descriptors.push({ file, base, start, root: undefined });
      continue;
    }
    const parsed = parseDescriptor(file, source);
    problems.push(...parsed.problems);
    descriptors.push({ file, base, start, root: parsed.root });
  }
  return { descriptors, problems };
}

/** Folders are none, nor is what editors and systems keep beside a file (`.#todos.yaml`). */
function isDescriptor(entry: Dirent): boolean {
  return EXTENSION.test(entry.name) && !entry.name.startsWith('.') && !entry.isDirectory();
}

function decode(octets: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
