import { join } from 'node:path';
import type { Protocol } from '../model.js';
import { startBaseline } from './baselines.js';
import {
  makeIndexedProject,
  makeNewProject,
  type StartedServer,
  startJmapsmith,
} from './jmapsmith.js';
import type { Postgresql } from './postgresql.js';

/** What is measured, by name. */
interface Kind {
  readonly name: string;
  readonly what: string;
  readonly protocol: Protocol;
  readonly postgresql?: boolean;
}

export const KINDS: readonly Kind[] = [
  { name: 'jmapsmith', what: 'jmapsmith on SQLite', protocol: 'jmap' },
  {
    name: 'express',
    what: 'by hand: Express 5, better-sqlite3, a commit for each write',
    protocol: 'rest',
  },
  {
    name: 'fastify',
    what: 'by hand: Fastify 5, better-sqlite3, a commit for each write',
    protocol: 'rest',
  },
  {
    name: 'fastify-shared',
    what: 'by hand: Fastify 5, better-sqlite3, writes that wait share a commit',
    protocol: 'rest',
  },
  { name: 'express-prisma', what: 'by hand: Express 5, Prisma 7 on SQLite', protocol: 'rest' },
  { name: 'http', what: 'node:http that echoes', protocol: 'echo' },
  { name: 'echo-express', what: 'Express 5 with express.json that echoes', protocol: 'echo' },
  {
    name: 'jmapsmith-indexed',
    what: 'jmapsmith on SQLite with `indexed: true` for the text',
    protocol: 'jmap',
  },
  {
    name: 'jmapsmith-pg',
    what: 'jmapsmith on PostgreSQL',
    protocol: 'jmap',
    postgresql: true,
  },
  {
    name: 'fastify-pg',
    what: 'by hand: Fastify 5, pg',
    protocol: 'rest',
    postgresql: true,
  },
];

/** Those that serve a project of their own; all others serve the checkout. */
const PROJECTS: ReadonlyMap<string, (folder: string) => Promise<string>> = new Map([
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
  };
  if (kind.protocol !== 'jmap')
    return startBaseline({ ...options, protocol: kind.protocol, compiled: at.compiled });
  const make = PROJECTS.get(name);
  if (make === undefined) return startJmapsmith(options);
  return startJmapsmith({ ...options, project: await make(join(at.folder, `${name}-project`)) });
}
