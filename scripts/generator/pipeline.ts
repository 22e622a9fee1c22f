import { checkDescriptors } from './check/index.js';
import { place } from './check/rule.js';
import { viewCapability } from './descriptor/view.js';
import { emitAll } from './emit/index.js';
import { loadDescriptors } from './load/index.js';
import type { Located } from './load/located.js';
import { planMigrations } from './migrations/index.js';
import { buildModel } from './model/index.js';
import type { EmittedFiles, Problem } from './model.js';
import { byCodeUnit } from './order.js';
import { emitManifest } from './write/manifest.js';

/**
 * Everything that a project's descriptors make, in memory: writing, checking and diffing start
 * from this.
 */
export interface Rendered {
  /** What the generator owns: path to text, the manifest included. */
  readonly owned: EmittedFiles;
  /** Migrations: added once, then reviewed and kept. Never overwritten, never pruned. */
  readonly kept: EmittedFiles;
  /** In order of place. Where there are any, there are no files. */
  readonly problems: readonly Problem[];
}

/** Reports what is being done, for whoever waits. */
export type Progress = (what: string) => void;

/** load -> check -> model -> emit. Writes nothing. */
export async function render(
  root: string,
  progress: Progress = () => undefined,
): Promise<Rendered> {
  progress('reading descriptors');
  const loaded = await loadDescriptors(root);
  const readable = loaded.descriptors.filter(
    (descriptor): descriptor is typeof descriptor & { readonly root: Located } =>
      descriptor.root !== undefined,
  );
  const views = readable.map(viewCapability);
  const problems = [...loaded.problems, ...besides(loaded.problems, checkDescriptors(views))];
  if (problems.length > 0) return failed(problems);

  const model = buildModel(views);
  progress('rendering');
  const artefacts = await emitAll(model);
  progress('planning migrations');
  const plan = await planMigrations({ root, model, schemas: artefacts });
  if (plan.problems.length > 0) return failed(plan.problems);
  return { owned: emitManifest(artefacts), kept: plan.files, problems: [] };
}

/** What the rules say of a value that could not be read says nothing: that one is told already. */
function besides(told: readonly Problem[], found: readonly Problem[]): readonly Problem[] {
  const places = new Set(told.map(({ at }) => place(at)));
  return found.filter(({ at }) => !places.has(place(at)));
}

function failed(problems: readonly Problem[]): Rendered {
  return { owned: new Map(), kept: new Map(), problems: [...problems].sort(byPlace) };
}

function byPlace(a: Problem, b: Problem): number {
  return (
    byCodeUnit(a.at.file, b.at.file) ||
    a.at.line - b.at.line ||
    a.at.column - b.at.column ||
    byCodeUnit(a.message, b.message)
  );
}
