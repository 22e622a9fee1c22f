import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EvolveFile, Location, Model, Problem } from '../../../src/descriptor/model.js';
import { readIfThere } from '../write/manifest.js';

/** The folder of the files that convert objects. */
export const EVOLVE_FOLDER = 'evolve';

/** The name of such a file begins with its migration's number. Others are imported by them. */
const NUMBERED = /^\d/;
const NAME = /^(\d{4})-[A-Za-z0-9-]+\.ts$/;

/** Returns the model with the files of `evolve/`, in order; none of them is run. */
export async function withEvolveFiles(
  root: string,
  model: Model,
): Promise<{ readonly model: Model; readonly problems: readonly Problem[] }> {
  const names = namesIn(join(root, EVOLVE_FOLDER));
  if (names.length === 0) return { model, problems: [] };
  const problems: Problem[] = [];
  const evolveFiles: EvolveFile[] = [];
  for (const name of names) {
    const file = `${EVOLVE_FOLDER}/${name}`;
    const digits = NAME.exec(name)?.[1];
    if (digits === undefined) {
      const words = 'its name must be like 0007-split-name.ts: the number of its migration first.';
      problems.push(wrong({ file, line: 1, column: 1 }, words));
      continue;
    }
    const { types, problems: found } = await readTypes(root, file);
    problems.push(...found);
    evolveFiles.push({ migration: Number(digits), file, types });
  }
  return { model: Object.freeze({ ...model, evolveFiles }), problems };
}

function namesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => NUMBERED.test(name) && name.endsWith('.ts'))
    .sort();
}

/** Returns the types that a file names. */
async function readTypes(
  root: string,
  file: string,
): Promise<Pick<EvolveFile, 'types'> & { readonly problems: readonly Problem[] }> {
  // Only now: the parser is the TypeScript compiler's, the slowest module to load.
  const { parseHookFile } = await import('../hooks/read.js');
  const { importProblems } = await import('../hooks/imports.js');
  const parsed = parseHookFile(file, readIfThere(join(root, file)) ?? '', 'evolution');
  const errors = parsed.syntaxErrors.map(({ at, message }) => wrong(at, message));
  if (errors.length > 0) return { types: [], problems: errors };
  const { hooks } = parsed;
  if (hooks?.kind !== 'object' || hooks.open || hooks.members.size === 0) {
    const words =
      'the file needs `export const evolution = { TYPE(object) { ... } } satisfies Evolution`, ' +
      'with the name of each type as it is.';
    return { types: [], problems: [wrong({ file, line: 1, column: 1 }, words)] };
  }
  const types = [...hooks.members].map(([name, { at }]) => ({ name, at }));
  return { types, problems: importProblems(root, file) };
}

export function wrong(at: Location, message: string): Problem {
  return { at, code: 'bad-evolution', message };
}
