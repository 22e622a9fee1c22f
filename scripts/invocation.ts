import { join } from 'node:path';
import { isPackageRoot, PACKAGE_ROOT, STANDALONE_ROOT } from '../src/server/package-root.js';

/**
 * How the tools of this process were called: by npm in this repository, or as `jmapsmith TOOL` in a
 * team's own project. There this package is a dependency. bin/jmapsmith.mjs says so before it loads
 * a tool, and nothing changes it later.
 */
let asPackage = false;

export function calledAsPackage(): void {
  asPackage = true;
}

/**
 * Returns what a user types to run a tool: `npm run generate -- --watch`,
 * `npx jmapsmith generate --watch`, or `node server.mjs migrate` of a standalone server.
 */
export function command(tool: string, args = ''): string {
  const end = args === '' ? '' : ` ${args}`;
  if (STANDALONE_ROOT !== undefined) return standaloneCommand(tool, end);
  if (asPackage) return `npx jmapsmith ${tool}${end}`;
  if (tool === 'start') return 'npm start';
  // A program often reads the output of these.
  const quiet = ['account', 'tasks', 'token'].includes(tool) ? '-s ' : '';
  return `npm run ${quiet}${tool}${end === '' ? '' : ` --${end}`}`;
}

/** The one command of a standalone server serves where no tool is named. */
function standaloneCommand(tool: string, end: string): string {
  return tool === 'start' ? 'node server.mjs' : `node server.mjs ${tool}${end}`;
}

/** Where the package's pages are, as the user finds them. */
export function page(name: string): string {
  return asPackage ? `node_modules/jmapsmith/docs/${name}` : `docs/${name}`;
}

/** Where editors find the schema of descriptors, from the folder of a project's descriptors. */
export function schemaPath(): string {
  return `../${asPackage ? 'node_modules/jmapsmith/' : ''}generated/descriptor.schema.json`;
}

/** The capabilities that the engine itself serves. */
const ENGINE = Object.freeze([
  'blob.yaml',
  'core.yaml',
  'jmapsmith-admin.yaml',
  'jmapsmith-explain.yaml',
  'jmapsmith-once.yaml',
  'jmapsmith-push.yaml',
  'jmapsmith-reference.yaml',
  'jmapsmith-sync.yaml',
  'webpush-vapid.yaml',
  'websocket.yaml',
]);

/** A descriptor of the package, which a project has without having the file. */
export interface EngineDescriptor {
  /** Its name where a place is told: the same on every machine. */
  readonly file: string;
  readonly path: string;
}

/** The descriptor of the type `Quota`: a project has it if one of its own declares quotas. */
export const QUOTA_DESCRIPTOR = ofPackage('jmapsmith-quota.yaml');

/** The descriptor of principals: a project has it if users share objects of one of its types. */
export const PRINCIPALS_DESCRIPTOR = ofPackage('jmapsmith-principals.yaml');

function ofPackage(name: string): EngineDescriptor {
  return Object.freeze({
    file: `node_modules/jmapsmith/capabilities/${name}`,
    path: join(PACKAGE_ROOT, 'capabilities', name),
  });
}

/** Whether a descriptor of this name, in the package's own repository, is the engine's. */
export function isEngineDescriptor(name: string): boolean {
  return ENGINE.includes(name);
}

/** Whether this package is a dependency of the project in `root`. */
export function inTeamProject(root: string): boolean {
  return asPackage && !isPackageRoot(root);
}

/** The engine's descriptors; none where the project is the engine's own or a tool's test. */
export function engineDescriptors(root: string): readonly EngineDescriptor[] {
  if (!inTeamProject(root)) return [];
  return ENGINE.map(ofPackage);
}
