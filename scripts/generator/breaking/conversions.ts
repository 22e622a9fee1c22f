import type { EvolveFile } from '../../../src/descriptor/model.js';
import { EVOLVE_FOLDER, withEvolveFiles } from '../evolve/read.js';
import { git } from '../git.js';
import type { ModelChange } from './model-change.js';

/** Returns the files of `evolve/` that a commit lacks. */
export async function newConversions(root: string, ref: string): Promise<readonly EvolveFile[]> {
  const { model } = await withEvolveFiles(root, { capabilities: [] });
  const args = ['ls-tree', '-r', '--name-only', '-z', ref, '--', `${EVOLVE_FOLDER}/`];
  const known = new Set((git(root, args) ?? '').split('\u0000'));
  return (model.evolveFiles ?? []).filter(({ file }) => !known.has(file));
}

/** Returns the changes, with the values of types that a file converts: those don't go. */
export function withConversions(
  changes: readonly ModelChange[],
  files: readonly EvolveFile[],
): readonly ModelChange[] {
  return changes.map((change) => {
    const [type] = change.where.split('.');
    const file = files.find(({ types }) => types.some(({ name }) => name === type))?.file;
    const isLost = change.layer === 'storage' && change.breaking && change.what.endsWith(GO);
    if (file === undefined || !isLost) return change;
    const what = `${change.what.slice(0, -GO.length)}${file} converts its values`;
    return { ...change, breaking: false, what };
  });
}

const GO = 'its values go';
