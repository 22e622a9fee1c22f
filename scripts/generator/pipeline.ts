import { checkDescriptors } from '../../src/descriptor/check/index.js';
import { isReadable } from '../../src/descriptor/descriptor-file.js';
import { buildModel } from '../../src/descriptor/model/index.js';
import type { EmittedFiles, Problem } from '../../src/descriptor/model.js';
import { besides, byPlace, isError, withoutDoubles } from '../../src/descriptor/problems.js';
import { viewCapability } from '../../src/descriptor/view.js';
import { isPackageRoot } from '../../src/server/package-root.js';
import type { Owners } from './emit/index.js';
import { storageSchemas } from './emit/prisma.js';
import { withEvolveFiles } from './evolve/read.js';
import { withHooks } from './hooks/index.js';
import { canonical } from './load/canonical.js';
import { type Loaded, loadDescriptors } from './load/index.js';
import { expectMigrations, placed, planMigrations, releasedHistories } from './migrations/index.js';
import { endSecondThread } from './thread/second.js';
import { namesClient, withoutClient } from './uses-client.js';
import { emitClientFolder, emitManifests } from './write/manifest.js';

/**
 * Everything that a project's descriptors make, in memory: writing, checking and diffing start
 * from this.
 */
export interface Rendered {
  /** The files of the generator: path to text, the manifest included. */
  readonly owned: EmittedFiles;
  /** Migrations: the released ones as they are, and one that is made anew until it is released. */
  readonly kept: EmittedFiles;
  /** Files of an unreleased migration that are no longer needed. */
  readonly obsolete: readonly string[];
  /** The typed client as it lies in a folder of its own, by file names; empty unless asked for. */
  readonly client: EmittedFiles;
  /** Errors, in order of place. Where there are any, there are no files. */
  readonly problems: readonly Problem[];
  /** Problems that are told and stop nothing, in order of place. */
  readonly warnings: readonly Problem[];
}

/** Reports what is being done, for whoever waits. */
export type Progress = (what: string) => void;

export interface RenderOptions {
  /** See planMigrations. */
  readonly contract?: boolean | undefined;
  /** The typed client is wanted in a folder of its own. */
  readonly withClient?: boolean;
}

/** Renders all files: load -> check -> model -> emit. Writes nothing. */
export async function render(
  root: string,
  progress: Progress = () => undefined,
  options: RenderOptions = {},
): Promise<Rendered> {
  try {
    return await renderAll(root, progress, options);
  } finally {
    await endSecondThread();
  }
}

async function renderAll(
  root: string,
  progress: Progress,
  { contract = false, withClient = false }: RenderOptions,
): Promise<Rendered> {
  progress('reading descriptors');
  expectMigrations(root);
  const loaded = await loadDescriptors(root);
  const readable = loaded.descriptors.filter(isReadable);
  const views = readable.map(viewCapability);
  const found = withoutDoubles(checkDescriptors(views));
  const problems = [...loaded.problems, ...besides(loaded.problems, found)];
  if (problems.some(isError)) return renderFailure(problems);

  const ordered = readable.map((one) => viewCapability({ ...one, root: canonical(one.root) }));
  const evolving = await withEvolveFiles(root, buildModel(ordered));
  const withFiles = await withHooks(root, evolving.model);
  const hooked = {
    model: withFiles.model,
    problems: [...evolving.problems, ...withFiles.problems],
  };
  if (hooked.problems.some(isError)) return renderFailure([...problems, ...hooked.problems]);
  const histories = await releasedHistories(root, hooked.model, contract);
  const model = placed(hooked.model, histories);
  progress('rendering');
  // Only now: ts-morph takes as long to load as all else, and a wrong descriptor doesn't need it.
  const { emitAll } = await import('./emit/index.js');
  const hasClient = namesClient(root);
  const [plan, emitted] = await Promise.all([
    planMigrations({ model, schemas: storageSchemas(model), histories, contract }),
    emitAll(model, { ...ownersOf(root, loaded), withClient: withClient || hasClient }),
  ]);
  const all = [...problems, ...hooked.problems, ...plan.problems];
  if (all.some(isError)) return renderFailure(all);
  return {
    owned: emitManifests(hasClient ? emitted : withoutClient(emitted)),
    client: withClient ? emitClientFolder(emitted) : new Map(),
    kept: plan.files,
    obsolete: plan.obsolete,
    ...splitProblems(all),
  };
}

/** Returns whose capabilities are whose: in the package's repository, they lie side by side. */
function ownersOf(root: string, { descriptors }: Loaded): Owners {
  const engine = descriptors.filter(({ isEngines = false }) => isEngines).map(({ base }) => base);
  return { engine: new Set(engine), isPackage: isPackageRoot(root) };
}

function renderFailure(problems: readonly Problem[]): Rendered {
  const none = new Map<string, string>();
  return { owned: none, client: none, kept: none, obsolete: [], ...splitProblems(problems) };
}

function splitProblems(problems: readonly Problem[]): Pick<Rendered, 'problems' | 'warnings'> {
  const sorted = [...problems].sort(byPlace);
  return {
    problems: sorted.filter(isError),
    warnings: sorted.filter((problem) => !isError(problem)),
  };
}
