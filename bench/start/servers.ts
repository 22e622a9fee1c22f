import { join } from 'node:path';
import { kindOf } from '../kinds.js';
import type { Kind } from '../model.js';
import { startBaseline } from './baselines.js';
import {
  makeIndexedProject,
  makeNewProject,
  type StartedServer,
  startJmapsmith,
} from './jmapsmith.js';
import type { Postgresql } from './postgresql.js';
import { ROOT } from './processes.js';

/** The servers of a project of their own; all others serve the checkout. */
const PROJECTS: ReadonlyMap<string, typeof makeNewProject> = new Map([
  ['jmapsmith-indexed', makeIndexedProject],
  ['jmapsmith-pg', makeNewProject],
]);

interface Environment {
  /** A folder of the whole run. */
  readonly folder: string;
  /** Where the servers by hand have been compiled to. */
  readonly compiled: string;
  readonly postgresql: Postgresql | null;
  /** A folder for CPU profiles; null for none. */
  readonly profiles: string | null;
}

export async function startServer(kind: Kind, at: Environment): Promise<StartedServer> {
  const { name } = kind;
  const folder = join(at.folder, name);
  const nodeOptions =
    at.profiles === null
      ? []
      : ['--cpu-prof', `--cpu-prof-dir=${join(at.profiles, name)}`, '--cpu-prof-interval=500'];
  const databaseUrl =
    kind.postgresql === true ? await at.postgresql?.createDatabase(name) : undefined;
  const options = {
    ...{ name, folder, nodeOptions },
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    env: kind.env ?? {},
  };
  if (kind.protocol !== 'jmap')
    return startBaseline({ ...options, protocol: kind.protocol, compiled: at.compiled });
  const { root = ROOT } = kind;
  const make = PROJECTS.get(kindOf(name));
  if (make === undefined) return startJmapsmith({ ...options, root });
  const project = await make(join(at.folder, `${name}-project`), root);
  return startJmapsmith({ ...options, root, project });
}
