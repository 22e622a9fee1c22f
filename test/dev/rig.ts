import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { eventually } from '../support/poll.js';
import type { CommandResult } from '../support/server.js';
import { type TeamProject, teamProject } from './project.js';

const CORE = 'urn:ietf:params:jmap:core';

/** Long enough for a check of types on a busy machine, ms. */
const PATIENCE = 250_000;

/** `jmapsmith dev` in a project, and what it has printed since the last look. */
export class Dev {
  readonly child: ChildProcess;
  #text = '';

  constructor(root: string, env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, ['node_modules/jmapsmith/bin/jmapsmith.mjs', 'dev'], {
      cwd: root,
      // Other variables of the tests' own process are no settings of a server.
      env: { PATH: process.env['PATH'] ?? '', PORT: '0', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        this.#text += chunk;
      });
  }

  /** Resolves to the text once it matches, and begins a new one. */
  async until(pattern: RegExp): Promise<string> {
    await eventually(async () => {
      if (!pattern.test(this.#text)) throw new Error(`Not yet ${pattern}: ${this.#text}`);
    }, PATIENCE);
    const printed = this.#text;
    this.#text = '';
    return printed;
  }
}

/** A project in which `jmapsmith dev` runs, and calls of its server. */
export interface Running {
  readonly project: TeamProject;
  readonly dev: Dev;
  readonly url: string;
  request(name: string, args: object): Promise<unknown>;
}

/** Starts `jmapsmith dev` in a new project before the tests of a file, and ends it after them. */
export function useDev(): () => Running {
  let running: Running | undefined;
  beforeAll(async () => {
    running = await startDev();
  });
  afterAll(async () => {
    running?.dev.child.kill('SIGKILL');
    await running?.project.remove();
  });
  return () => {
    if (running === undefined) throw new Error('The server is there inside tests only.');
    return running;
  };
}

async function startDev(): Promise<Running> {
  const project = await teamProject();
  const dev = new Dev(project.root);
  const begun = await dev.until(/listens on[\s\S]*Watching/);
  const url = /listens on (\S+)/.exec(begun)?.[1] ?? '';
  const token = await readFile(join(project.root, 'data/first-token'), 'utf8');
  const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' };
  const session = await fetch(`${url}/.well-known/jmap`, { headers });
  const [accountId] = Object.keys(((await session.json()) as { accounts: object }).accounts);
  return {
    ...{ project, dev, url },
    async request(name, args) {
      const using = [CORE, 'urn:example:orders'];
      const methodCalls = [[name, { accountId, ...args }, '0']];
      const body = JSON.stringify({ using, methodCalls });
      const response = await fetch(`${url}/jmap`, { method: 'POST', headers, body });
      const { methodResponses } = (await response.json()) as { methodResponses: unknown[][] };
      return methodResponses[0]?.[1];
    },
  };
}

/** Runs a tool of the project's package in its folder. */
export function runTool(root: string, args: readonly string[]): Promise<CommandResult> {
  return runProgram(root, ['node_modules/jmapsmith/bin/jmapsmith.mjs', ...args]);
}

/** Runs Node in a project's folder. */
export async function runProgram(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { stdout, stderr, code };
}
