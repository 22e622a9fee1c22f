import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { type CommandResult, runTools, type ToolStep } from './operator.js';
import { within } from './poll.js';

export type { CommandResult, ToolStep };

/** This repository's root. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The first start after a change builds, on a machine that may be busy. */
const START_TIMEOUT = 180_000;
/** The start says by itself why it took too long, and leaves nothing: its hook ends after it. */
const HOOK_TIMEOUT = START_TIMEOUT + 30_000;
const STOP_TIMEOUT = 60_000;

export interface ServerOptions {
  /** Variables over the harness's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The root of the project to run; this repository if none is given. */
  readonly project?: string;
  /**
   * The `jmapsmith` of a project that has the engine as a package; without it, this repository's
   * scripts.
   */
  readonly bin?: string;
  /** Serve this folder, made by an earlier server, in place of a fresh one. */
  readonly dataDir?: string;
}

/** Options, or what makes them once earlier `beforeAll`s have run. */
export type LaterOptions = ServerOptions | (() => Promise<ServerOptions>);

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A server in its own process with its own database and blobs, started as a user starts it. */
export interface RunningServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
  /** Returns its output so far. */
  stdout(): string;
  stderr(): string;
  /** SIGTERM; resolves when the process is gone. */
  stop(): Promise<Exit>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<Exit>;
  /**
   * Starts another process on the same data and the same port, after stopping this one where it
   * still runs.
   */
  restart(env?: Readonly<Record<string, string>>): Promise<RunningServer>;
  /** Runs a tool of the project (`scripts/account` ...) in the server's environment. */
  command(script: string, args: readonly string[]): Promise<CommandResult>;
  /** The same for a tool that must succeed: its standard output, trimmed. */
  tool(script: string, args: readonly string[]): Promise<string>;
  /** The same for several, one after another. */
  tools(steps: readonly ToolStep[]): Promise<readonly string[]>;
  /** Ends the process and removes its folder. */
  remove(): Promise<void>;
}

/**
 * Processes that still run: none may outlive the tests, even failing ones. A worker that is killed,
 * as one is that a time-out or Ctrl+C ends, has no such moment: servers look for it themselves
 * (`environment`).
 */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  const project = options.project ?? ROOT;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'jmapsmith-test-')));
  const env = environment(dataDir, options.env ?? {});
  const program = (script: string): readonly string[] =>
    options.bin === undefined ? ['scripts/run.mjs', script] : [options.bin, basename(script)];
  const child = spawn(
    process.execPath,
    program(options.bin === undefined ? 'src/server/main' : 'start'),
    {
      cwd: project,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  running.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });

  let url: string;
  try {
    url = await within('The line with the URL', firstUrl(child, output, exited), START_TIMEOUT);
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    throw new Error(
      `The server did not start: ${String(error)}\n${output.stdout}\n${output.stderr}`,
    );
  }
  const pid = child.pid;
  if (pid === undefined) throw new Error('A server that printed its URL has a process id.');

  const end = async (signal: NodeJS.Signals): Promise<Exit> => {
    if (running.has(child)) child.kill(signal);
    try {
      const exit = await within(`The end of the server after ${signal}`, exited, STOP_TIMEOUT);
      requireNoSecrets(output.stdout + output.stderr);
      return exit;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  };
  const server: RunningServer = {
    url,
    dataDir,
    env,
    pid,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async restart(more = {}) {
      await end('SIGTERM');
      const port = new URL(url).port;
      return startServer({ ...options, dataDir, env: { ...options.env, PORT: port, ...more } });
    },
    command: (script, args) => runCommand(project, env, [...program(script), ...args]),
    async tool(script, args) {
      const [output = ''] = await server.tools([[script, args]]);
      return output;
    },
    tools: (steps) =>
      options.bin === undefined ? runTools({ root: project, env, steps }) : oneByOne(server, steps),
    async remove() {
      await end('SIGKILL');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return server;
}

/** Tokens of ours, and JWTs. */
const SECRETS = /jms_[a-z0-9]+_[A-Za-z0-9_-]{43}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/;

/** Throws where a server of any test has printed a credential, whatever its level of the log. */
function requireNoSecrets(output: string): void {
  const line = output.split('\n').find((each) => SECRETS.test(each));
  if (line !== undefined) throw new Error(`A server printed a credential: ${line}`);
}

async function oneByOne(server: RunningServer, steps: readonly ToolStep[]): Promise<string[]> {
  const outputs: string[] = [];
  for (const [script, args] of steps) {
    const texts = args.map((each) => (typeof each === 'number' ? (outputs[each] ?? '') : each));
    const { code, stdout, stderr } = await server.command(script, texts);
    if (code !== 0) throw new Error(`${script} ${texts.join(' ')} ended with ${code}: ${stderr}`);
    outputs.push(stdout.trim());
  }
  return outputs;
}

/** Starts a server before the tests of a file (or describe block) and removes it after them. */
export function useServer(options: LaterOptions = {}): () => RunningServer {
  let server: RunningServer | undefined;
  beforeAll(async () => {
    server = await startServer(typeof options === 'function' ? await options() : options);
  }, HOOK_TIMEOUT);
  afterAll(async () => {
    await server?.remove();
  });
  return () => {
    if (server === undefined) throw new Error('The server is there inside tests only.');
    return server;
  };
}

function environment(
  dataDir: string,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const inherited = Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', 'LANG', 'SYSTEMROOT'].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  return {
    ...inherited,
    // As `npm start` has it: the server ends when the process that started it does
    // (scripts/launcher.mjs).
    npm_lifecycle_event: 'start',
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: `file:${join(dataDir, 'jmap.db')}`,
    BLOB_STORE: `file:${join(dataDir, 'blobs')}`,
    LOG_LEVEL: 'warn',
    BOOTSTRAP_TOKEN: 'off',
    ...more,
  };
}

/** The first URL on standard output, which the contract promises in one line. */
function firstUrl(
  child: ChildProcess,
  output: { stdout: string },
  exited: Promise<Exit>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const url = /\bhttps?:\/\/[^\s"'<>]+(?=[^\n]*\n)/.exec(output.stdout)?.[0];
      if (url !== undefined) resolve(new URL(url).origin);
    };
    child.stdout?.on('data', look);
    child.once('error', reject);
    void exited.then(({ code, signal }) => reject(new Error(`It ended with ${code ?? signal}.`)));
  });
}

function runCommand(
  cwd: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve({ stdout, stderr, code });
    });
  });
}
