import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CapabilityDefinition } from '../capability/index.js';
import { isPackageRoot } from './package-root.js';

/**
 * The compiled descriptors and hook files of a project. In this repository they lie beside the
 * engine; a team's project keeps them in a folder of its own, since its engine is a package.
 */
export interface Project {
  readonly registry: readonly CapabilityDefinition[];
  /** Returns the module of the Prisma client with the project's own tables: hooks read by it. */
  hookClient(database: Database): Promise<HookClient>;
}

type Database = 'sqlite' | 'postgresql';

interface HookClient {
  readonly PrismaClient: unknown;
}

/** Where a team's project has its compiled modules, below its folder. */
const BUILT = 'build/server';

/** The project's modules can't be loaded: it was not built, or a hook file fails while it loads. */
export class ProjectError extends Error {
  override readonly name = 'ProjectError';
}

/** Loads the project's modules, its hook files included. */
export async function loadProject(root: string): Promise<Project> {
  if (isPackageRoot(root)) return ownProject();
  const at = (module: string): string => join(root, BUILT, module);
  const registry = at('generated/registry.js');
  if (!existsSync(registry))
    throw new ProjectError(`${registry} is missing: run npx jmapsmith build.`);
  const load = (file: string): Promise<unknown> => import(pathToFileURL(file).href);
  // Now, not at the start: Node reads the maps of modules that it loads from here on. The engine's
  // own are loaded by then, and have none.
  process.setSourceMapsEnabled(true);
  return {
    registry: capabilitiesOf((await load(registry).catch(refuseAt(root))) as RegistryModule),
    hookClient: async (database) =>
      (await load(at(`build/prisma/${database}/client.js`))) as HookClient,
  };
}

/** Tells what went wrong in the team's words: which error, and where in its modules. */
function refuseAt(root: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error)) throw error;
    const isOwn = (line: string) => line.includes(root) && !line.includes('node_modules');
    const place = error.stack?.split('\n').slice(1).find(isOwn);
    const where = place === undefined ? '' : ` (${place.trim()})`;
    const missing = 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    const hint = missing ? " An import of a file of yours needs its extension: './rules.js'." : '';
    throw new ProjectError(`A hook file can't be loaded: ${error.message}${where}.${hint}`, {
      cause: error,
    });
  };
}

/** Widened one by one: in one expression the compiler compares the clients' types for seconds. */
const HOOK_CLIENTS: Readonly<Record<Database, () => Promise<HookClient>>> = {
  sqlite: () => import('../../build/prisma/sqlite/client.js'),
  postgresql: () => import('../../build/prisma/postgresql/client.js'),
};

async function ownProject(): Promise<Project> {
  const registry = capabilitiesOf(await import('../../generated/registry.js'));
  return { registry, hookClient: (database) => HOOK_CLIENTS[database]() };
}

/** The exports of a project's generated/registry.ts: its capabilities, whatever they are called. */
export type RegistryModule = Readonly<Record<string, CapabilityDefinition>>;

/** Returns the capabilities of a registry in the order of their names. */
export function capabilitiesOf(module: RegistryModule): readonly CapabilityDefinition[] {
  return Object.values(module).sort((a, b) => (a.name < b.name ? -1 : 1));
}
