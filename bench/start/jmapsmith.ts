import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AccountName, Server } from '../model.js';
import { run, startProcess } from './processes.js';

export interface StartedServer extends Server {
  stop(): Promise<void>;
}

export interface StartedJmapsmith extends StartedServer {
  /** Runs a command of jmapsmith beside the server; resolves to what it prints. */
  readonly tool: (...args: readonly string[]) => Promise<string>;
}

export const ACCOUNT_NAMES: readonly AccountName[] = ['small', 'big', 'scratch', 'huge'];

interface Options {
  readonly name: string;
  /** A folder of its own. */
  readonly folder: string;
  readonly databaseUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The checkout. */
  readonly root: string;
  /** A project that has the checkout as a package; without it, the checkout itself. */
  readonly project?: string;
  readonly nodeOptions: readonly string[];
}

/**
 * Starts jmapsmith as a user does: default settings, but for the level of the log and for what one
 * user may ask for at once.
 */
export async function startJmapsmith(options: Options): Promise<StartedJmapsmith> {
  const { name, folder, root, project } = options;
  const data = join(folder, 'data');
  await mkdir(data, { recursive: true });
  const env = {
    ...process.env,
    PORT: '0',
    DATA_DIR: data,
    DATABASE_URL: options.databaseUrl ?? `file:${join(data, 'jmap.db')}`,
    BLOB_STORE: `file:${join(data, 'blobs')}`,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
    BOOTSTRAP_TOKEN: 'off',
    MAX_CONCURRENT_REQUESTS: '64',
    ...options.env,
  };
  const at = { cwd: project ?? root, env };
  // An older checkout (--before) has it in src itself.
  const main = existsSync(join(root, 'src/server/main.ts')) ? 'src/server/main' : 'src/main';
  const program = (tool: string): readonly string[] =>
    project === undefined
      ? ['scripts/run.mjs', tool === 'start' ? main : `scripts/${tool}`]
      : [join(root, 'bin/jmapsmith.mjs'), tool];
  const tool = (...args: readonly string[]): Promise<string> => {
    const [first = '', ...rest] = args;
    return run([...program(first), ...rest], at);
  };
  const create = (account: string) =>
    tool('account', 'create', '--name', account, '--user', 'bench');
  const accountIds = await Promise.all(
    ACCOUNT_NAMES.map(async (account) => [account, await create(account)] as const),
  );
  const token = await tool('token', 'create', '--user', 'bench');
  const argv = [...options.nodeOptions, ...program('start')];
  const { url, pid, stop } = await startProcess(name, argv, at);
  return {
    ...{ name, protocol: 'jmap', url, pid, token, stop, tool },
    accountIds: Object.fromEntries(accountIds) as Record<AccountName, string>,
  };
}

/** The to-dos of the checkout with an index for searching their text, in a project of its own. */
const INDEXED = `capability: urn:example:todos
types:
  Todo:
    description: One thing to do.
    properties:
      text: { type: string, maxLength: 512, description: The task in a few words. }
      done: { type: boolean, default: false, description: Whether it is done. }
    required: [text]
    filter:
      text: { is: contains, indexed: true }
      done: equals
    sort: [text, done, created, updated]
`;

export function makeIndexedProject(folder: string, root: string): Promise<string> {
  return makeProject(folder, root, INDEXED);
}

/**
 * The to-dos of the checkout as whoever generates them now gets them: the checkout's own migrations
 * are released, and so are the tables that they make.
 */
export async function makeNewProject(folder: string, root: string): Promise<string> {
  return makeProject(folder, root, await readFile(join(root, 'capabilities/todos.yaml'), 'utf8'));
}

/** Makes the project and generates it; resolves to its folder. */
export async function makeProject(
  folder: string,
  root: string,
  descriptor: string,
): Promise<string> {
  await mkdir(join(folder, 'capabilities'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/jmapsmith'), 'junction');
  await writeFile(
    join(folder, 'package.json'),
    '{ "name": "bench", "version": "1.0.0", "type": "module", "private": true }\n',
  );
  await writeFile(
    join(folder, 'tsconfig.json'),
    '{ "extends": "jmapsmith/tsconfig.json", "include": ["capabilities", "generated"] }\n',
  );
  await writeFile(join(folder, 'capabilities/todos.yaml'), descriptor);
  await run([join(root, 'bin/jmapsmith.mjs'), 'generate'], { cwd: folder });
  return folder;
}
