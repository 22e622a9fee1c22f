import { join } from 'node:path';
import type { Model, ModelCapability, Problem } from '../../../src/descriptor/model.js';
import { readIfThere } from '../write/manifest.js';
import { behind, checkHooks, hookFileOf } from './check.js';
import type { HookFile } from './read.js';

export interface WithHooks {
  /** The model with `hooksFile` where there is one. */
  readonly model: Model;
  /** Errors, and as warnings the files that may be behind. */
  readonly problems: readonly Problem[];
}

/** The code of a hook file that may be behind: `--check` fails for it, a generation goes on. */
export const BEHIND = 'hook-file-behind';

/** Looks at the hook files of a project; none of them is run. */
export async function withHooks(root: string, model: Model): Promise<WithHooks> {
  const problems: Problem[] = [];
  const capabilities: ModelCapability[] = [];
  for (const capability of model.capabilities) {
    const path = hookFileOf(capability);
    const file = await readHookFile(root, path);
    problems.push(...checkHooks(capability, file));
    if (file !== null) problems.push(...(await importProblemsOf(root, path)));
    const old = file === null ? null : behind(capability, file);
    if (old !== null) problems.push(old);
    capabilities.push(
      file === null ? capability : Object.freeze({ ...capability, hooksFile: path }),
    );
  }
  return {
    model: Object.freeze({ ...model, capabilities: Object.freeze(capabilities) }),
    problems,
  };
}

/** Reads a hook file; null where there is none. */
async function readHookFile(root: string, path: string): Promise<HookFile | null> {
  const text = readIfThere(join(root, path));
  if (text === null) return null;
  // Only now: the parser is the TypeScript compiler's, the slowest module to load.
  const { parseHookFile } = await import('./read.js');
  return parseHookFile(path, text);
}

/** Returns problems of a hook file's imports. Loads the compiler for it, so not without a file. */
async function importProblemsOf(root: string, path: string): Promise<readonly Problem[]> {
  const { importProblems } = await import('./imports.js');
  return importProblems(root, path);
}
