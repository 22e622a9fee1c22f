import { execFile } from 'node:child_process';
import { cp, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runConform } from '../conformance/run.js';
import { linkPackage } from '../dev/project.js';
import { binOf, tool } from '../package/pack.js';
import { Client } from '../support/client.js';
import { makeFixtures } from '../support/fixtures.js';
import { onceInRun } from '../support/once-in-run.js';
import { usePostgresql } from '../support/postgresql.js';
import { ROOT, type RunningServer, startServer } from '../support/server.js';
import { type Answer, type Calls, calls } from './calls.js';

/** An example project, served as a team would, and a user with an account there. */
export interface Example extends Calls {
  /** The copy of the project; no test changes it. */
  readonly root: string;
  readonly server: RunningServer;
  /**
   * Creates an object of an RFC, and expects it back exactly: its members, `id`, and those that the
   * server sets. Returns the id.
   */
  storesUnchanged(type: string, object: object, options?: StoreOptions): Promise<string>;
}

export interface StoreOptions {
  /** Members of the create that the RFC's object lacks, such as the id of a list. */
  readonly beside?: object;
  /** Members that the server sets: the answers must have them besides, with any value. */
  readonly serverSet?: readonly string[];
}

/** Folders that `jmapsmith generate`, a build and a server make in a project. */
const MADE = new Set(['node_modules', 'generated', 'docs', 'prisma', 'build', 'data']);

/** How a copy is built: for SQLite without a look at types, or as a team builds it. */
export type Build = 'quick' | 'whole';

const QUICKLY = fileURLToPath(new URL('build-quickly.mjs', import.meta.url));

/**
 * Returns the root of a copy of examples/NAME that has this checkout as its package, generated and
 * built once for all files of a run.
 */
export function exampleProject(name: string, build: Build): Promise<string> {
  return onceInRun(`example-${name}-${build}`, async (folder) => {
    const from = join(ROOT, 'examples', name);
    const made = [...MADE].map((each) => join(from, each));
    const root = join(folder, name);
    await cp(from, root, { recursive: true, filter: (path) => !made.includes(path) });
    await linkPackage(root);
    await linkLibraries(root);
    await tool(root, ['generate', '--max-warnings', '0']);
    if (build === 'whole') await tool(root, ['build']);
    else await promisify(execFile)(process.execPath, [QUICKLY, root]);
    return root;
  });
}

/** Gives a project the libraries of its package.json as this checkout has them. */
async function linkLibraries(root: string): Promise<void> {
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies).filter((each) => each !== 'jmapsmith'))
    await symlink(join(ROOT, 'node_modules', name), join(root, 'node_modules', name), 'dir');
}

/** Serves examples/NAME to the tests of a file or a describe block: from SQLite without a URL. */
export function useExample(name: string, databaseUrl?: () => Promise<string>): () => Example {
  let server: RunningServer | undefined;
  let example: Example | undefined;
  beforeAll(async () => {
    const root = await exampleProject(name, databaseUrl === undefined ? 'quick' : 'whole');
    // Users of the tests have no account in common.
    const own = { BOOTSTRAP_TOKEN: 'on', PRINCIPALS: 'all' };
    const env = { ...own, ...(await databaseEnv(databaseUrl)) };
    server = await startServer({ project: root, bin: binOf(root), env });
    example = await openExample(root, server);
  }, 600_000);
  afterAll(async () => {
    await server?.remove();
  });
  return () => {
    if (example === undefined) throw new Error('The example is served inside tests only.');
    return example;
  };
}

async function databaseEnv(databaseUrl?: () => Promise<string>): Promise<Record<string, string>> {
  return databaseUrl === undefined ? {} : { DATABASE_URL: await databaseUrl() };
}

/** Uses the account and the token of the server's first start: no command, no other process. */
async function openExample(root: string, server: RunningServer): Promise<Example> {
  const token = (await readFile(join(server.dataDir, 'first-token'), 'utf8')).trim();
  const session = await new Client(server.url, token).session();
  const client = new Client(server.url, token, Object.keys(session['capabilities'] as object));
  const [accountId = ''] = Object.keys(session['accounts'] as object);
  const { create, read, ...others } = calls(client, accountId);
  return {
    ...{ root, server, create, read, ...others },
    async storesUnchanged(type, object, { beside = {}, serverSet = [] } = {}) {
      const created = await create(type, { ...beside, ...object });
      const stored: Answer = await read(type, created.id);
      const set = Object.fromEntries(serverSet.map((each) => [each, created[each]]));
      expect(Object.keys(created).sort()).toEqual(['id', ...serverSet].sort());
      expect(stored).toStrictEqual({ ...set, ...beside, ...object, id: created.id });
      return created.id;
    },
  };
}

/**
 * Tests examples/NAME on both databases: the same cases as on SQLite in the fast tier, and the
 * whole conformance runner with its samples, over HTTP and WebSocket. The types compile.
 */
export function longTests(
  name: string,
  cases: (example: () => Example, makeDatabase: () => Promise<string>) => void,
): void {
  const postgresql = usePostgresql();
  const onPostgresql = (database: string) => () => postgresql().createDatabase(database);

  it('the types of the hook files and tests compile', async () => {
    await tool(await exampleProject(name, 'whole'), ['check']);
  });
  cases(useExample(name, onPostgresql('cases')), onPostgresql('project'));

  it.each([
    ['SQLite', 'http'],
    ['SQLite', 'websocket'],
    ['PostgreSQL', 'http'],
    ['PostgreSQL', 'websocket'],
  ])('on %s every conformance check passes over %s', async (database, transport) => {
    const root = await exampleProject(name, 'whole');
    const url = database === 'SQLite' ? undefined : onPostgresql(transport);
    // Users of the run have no account in common, and find each other to share with.
    const env = { PRINCIPALS: 'all', ...(await databaseEnv(url)) };
    const server = await startServer({ project: root, bin: binOf(root), env });
    try {
      await passConformance(root, server, transport);
    } finally {
      await server.remove();
    }
  });
}

async function passConformance(
  root: string,
  server: RunningServer,
  transport: string,
): Promise<void> {
  const { u1, u2, u3 } = await makeFixtures(server, ['A2', 'AR', 'u2', 'u3']);
  const others = [u2, u3].flatMap(({ token }) => ['--other-token', token]);
  const { outcomes, ended } = await runConform([
    ...['--url', server.url, '--token', u1.token, ...others, '--transport', transport],
    ...['--samples', join(root, 'samples.yaml')],
  ]);
  const failed = outcomes.filter(({ status }) => status === 'failed');
  expect(failed.map(({ id, type, failure }) => [id, type, failure?.message])).toEqual([]);
  const reasons = outcomes.map(({ reason = '' }) => reason);
  expect(reasons.filter((one) => one.startsWith('The server refuses this sample'))).toEqual([]);
  expect(ended).toBeUndefined();
  const passed = outcomes.filter(({ status }) => status === 'passed');
  expect(new Set(passed.map(({ type }) => type))).toEqual(
    new Set([null, ...(await typesOf(root))]),
  );
  // Somebody is there to share with. If a type is shared, each check of two users passes.
  expect(reasons.filter((one) => NOBODY.test(one))).toEqual([]);
  const shown = new Set(passed.map(({ id }) => id));
  const ofTwo = new Set(outcomes.map(({ id }) => id).filter((id) => OF_TWO.test(id)));
  if (await sharesObjects(root)) expect([...ofTwo].filter((id) => !shown.has(id))).toEqual([]);
}

/** Checks of what one user shares with another, and why they would show nothing. */
const OF_TWO = /^(?:view|share)-/;
const NOBODY = /^(?:One user is known alone|No other user is a principal)/;

/** Returns whether a type of the project has `share`. */
async function sharesObjects(root: string): Promise<boolean> {
  const files = await readdir(join(root, 'capabilities'));
  const texts = files
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => readFile(join(root, 'capabilities', file), 'utf8'));
  return (await Promise.all(texts)).some((text) => /^ {4}share:/m.test(text));
}

/** The names of all types of a project that have methods, from what is generated. */
async function typesOf(root: string): Promise<readonly string[]> {
  const folder = join(root, 'generated');
  const files = await readdir(folder, { recursive: true, encoding: 'utf8' });
  const names = files.map(async (file) => {
    const name = /(\w+)[.]definition[.]ts$/.exec(file)?.[1];
    if (name === undefined) return [];
    // A type of the server's alone has none: `standardMethods(type, {})`.
    const text = await readFile(join(folder, file), 'utf8');
    return /jmap[.]standardMethods\((?!\w+, [{][}])/.test(text) ? name : [];
  });
  return (await Promise.all(names)).flat();
}
