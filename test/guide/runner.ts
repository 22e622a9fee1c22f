import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { install, packClientOnce, packOnce, write } from '../package/pack.js';
import { eventually } from '../support/poll.js';
import { freePort } from '../support/postgresql-cluster.js';
import { ROOT } from '../support/server.js';
import { type Step, stepsOf } from './blocks.js';
import { compare } from './compare.js';

/** The address that the guides name; a run has a port of its own. */
const ADDRESS = '127.0.0.1:8080';
/** The provider of a guide, of which a run has one of its own. */
const PROVIDER = '127.0.0.1:9000';
/** The port of the page of a guide. */
const PAGE_PORT = '5173';
/** A start compiles, on a machine that may be busy. */
const START_TIMEOUT = 180_000;
/** After the user's block: what later blocks of the same terminal find, `set -a` exports all. */
const KEEP = '\nenv -0 > "$GUIDE_ENVIRONMENT"';

const nothing = (): Promise<void> => Promise.resolve();

type Environment = Readonly<Record<string, string>>;

/** Follows guides in one folder, as a reader with two terminals does. */
export class GuideRunner {
  readonly #folder: string;
  readonly #replaced: Environment;
  #terminal: Environment;
  #first: Environment | undefined;
  #server: ChildProcess | undefined;
  readonly #beside: ChildProcess[] = [];

  private constructor(folder: string, terminal: Environment, replaced: Environment) {
    this.#folder = folder;
    this.#terminal = terminal;
    this.#replaced = replaced;
  }

  /**
   * Begins in an empty folder with a space in its name. `replaced` are texts of the guides that
   * can't be true here, and what is true.
   */
  static async open(replaced: Environment = {}): Promise<GuideRunner> {
    const folder = join(await mkdtemp(join(tmpdir(), 'jmapsmith-guide-')), 'a reader');
    await mkdir(folder);
    const port = await freePort();
    const own = {
      [ADDRESS]: `127.0.0.1:${port}`,
      [PROVIDER]: `127.0.0.1:${await freePort()}`,
      [PAGE_PORT]: String(await freePort()),
    };
    const here = { ...own, ...replaced };
    const terminal = {
      ...terminalIn(folder, port),
      ...{ JMAP_URL: `http://${own[ADDRESS]}`, PROVIDER_URL: `http://${own[PROVIDER]}` },
    };
    return new GuideRunner(folder, terminal, here);
  }

  /**
   * Follows `docs/guide/NAME.md` to its end, and calls `look` behind each step. Further guides
   * begin in the terminal that the first one leaves: a reader may have read no other.
   */
  async follow(name: string, look: (step: Step) => Promise<void> = nothing): Promise<void> {
    this.#terminal = this.#first ?? this.#terminal;
    for (const step of stepsOf(name)) {
      try {
        await this.#take(step);
        await look(step);
      } catch (error) {
        throw new Error(`${step.place}: ${error instanceof Error ? error.message : error}`);
      }
    }
    this.#first ??= this.#terminal;
    await this.stop();
    for (const child of this.#beside.splice(0)) await interrupt(child);
  }

  async close(): Promise<void> {
    await this.stop();
    for (const child of this.#beside.splice(0)) await interrupt(child);
    await rm(join(this.#folder, '..'), { recursive: true, force: true });
  }

  /** Stops the server, as Ctrl-C does. */
  async stop(): Promise<void> {
    const child = this.#server;
    this.#server = undefined;
    if (child !== undefined) await interrupt(child);
  }

  /** Returns a text of a guide as it is true here. */
  here(text: string): string {
    return Object.entries(this.#replaced).reduce(
      (all, [shown, real]) => all.replaceAll(shown, real),
      text,
    );
  }

  /** Resolves to a file below the folder in which the guides make their projects. */
  read(path: string): Promise<string> {
    return readFile(join(this.#folder, path), 'utf8');
  }

  async #take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'install':
        return this.#install(step.packages);
      case 'write':
        return write(this.#project, step.file, this.here(step.text));
      case 'patch':
        return this.#patch(step.file, step.text);
      case 'beside':
        return this.#startBeside(step.text);
      case 'start':
        return this.#start(step);
      case 'run':
        return this.#run(step);
    }
  }

  get #project(): string {
    return this.#terminal['PWD'] ?? this.#folder;
  }

  /** Needs no registry: the packages are this repository's. npm installs the project's, too. */
  async #install(packages: readonly string[]): Promise<void> {
    const modules = join(this.#project, 'node_modules');
    await mkdir(join(modules, '.bin'), { recursive: true });
    for (const named of [...packages, ...(await dependenciesIn(this.#project))]) {
      if (named.endsWith('.tgz')) await this.#installPacked(named);
      else await link(named, modules);
    }
  }

  async #installPacked(named: string): Promise<void> {
    const isClient = named.includes('jmapsmith-client-');
    if (isClient)
      return install((await packClientOnce()).tarball, this.#project, '@jmapsmith/client');
    await install((await packOnce()).tarball, this.#project);
    const bin = join(this.#project, 'node_modules/.bin/jmapsmith');
    await symlink('../jmapsmith/bin/jmapsmith.mjs', bin);
  }

  async #patch(file: string, diff: string): Promise<void> {
    const before = await readFile(join(this.#project, file), 'utf8');
    const lines = diff.split('\n').filter((line) => line !== '');
    const without = (sign: string): string =>
      lines
        .filter((line) => !line.startsWith(sign))
        .map((line) => `${line.slice(1)}\n`)
        .join('');
    const [start, ...more] = before.split(without('+'));
    if (start === undefined || more.length !== 1)
      throw new Error(`its lines are ${more.length} times in ${file}.`);
    await write(this.#project, file, `${start}${without('-')}${more[0]}`);
  }

  async #run({ text, code, shown }: Extract<Step, { kind: 'run' }>): Promise<void> {
    const child = this.#bash(`${this.here(text)}${KEEP}`);
    const output = collect(child);
    const ended = await endOf(child);
    if (ended !== code) throw new Error(`it ended with ${ended}:\n${output.out}\n${output.err}`);
    if (code === 0) await this.#readTerminal();
    if (shown !== undefined)
      compare(shown, code === 0 ? output.out : `${output.out}${output.err}`, this.#replaced);
  }

  async #readTerminal(): Promise<void> {
    const text = await readFile(this.#terminal['GUIDE_ENVIRONMENT'] ?? '', 'utf8');
    this.#terminal = Object.fromEntries(
      text.split('\0').flatMap((entry) => {
        const at = entry.indexOf('=');
        return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)]] : [];
      }),
    );
  }

  /** In a terminal of its own; a server that runs there is stopped first. */
  async #start({ text, shown }: Extract<Step, { kind: 'start' }>): Promise<void> {
    await this.stop();
    const child = this.#bash(this.here(text));
    this.#server = child;
    const output = collect(child);
    await eventually(() => {
      if (child.exitCode !== null) return;
      if (!output.err.includes('"listening"'))
        throw new Error(`it started nothing:\n${output.err}`);
      // The printed lines may arrive behind the line of the log.
      if (shown !== undefined) compare(shown, output.out, this.#replaced);
    }, START_TIMEOUT);
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output.err}`);
  }

  /** In one more terminal, until the guide ends: the next step waits for its first line. */
  async #startBeside(text: string): Promise<void> {
    const child = this.#bash(this.here(text));
    this.#beside.push(child);
    const output = collect(child);
    await eventually(() => {
      if (child.exitCode !== null) return;
      expect(output.out).toMatch(/ http:\/\//);
    }, START_TIMEOUT);
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output.err}`);
  }

  /**
   * Every command of a block must succeed; the process has a group of its own, as in a terminal.
   */
  #bash(script: string): ChildProcess {
    const cwd = existsSync(this.#project) ? this.#project : this.#folder;
    return spawn('bash', ['-aec', script], {
      cwd,
      env: this.#terminal,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}

/** Links a package of this repository with its commands; `NAME@VERSION` has to be the same here. */
async function link(named: string, modules: string): Promise<void> {
  const [, name = named, wanted] = /^(.+)@(.+)$/.exec(named) ?? [];
  const source = join(ROOT, 'node_modules', name);
  await symlink(source, join(modules, name));
  const { version, bin = {} } = JSON.parse(
    await readFile(join(source, 'package.json'), 'utf8'),
  ) as {
    readonly version: string;
    readonly bin?: string | Readonly<Record<string, string>>;
  };
  expect(wanted ?? version, `the version of ${name} here`).toBe(version);
  const commands = typeof bin === 'string' ? { [name]: bin } : bin;
  for (const [command, file] of Object.entries(commands))
    await symlink(join('..', name, file), join(modules, '.bin', command));
}

function terminalIn(folder: string, port: number): Environment {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    PWD: folder,
    PORT: String(port),
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    GUIDE_ENVIRONMENT: join(folder, '.environment'),
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'reader',
    GIT_CONFIG_KEY_1: 'user.email',
    GIT_CONFIG_VALUE_1: 'reader@example.com',
  };
}

/** The packages beside jmapsmith that a project's package.json names. */
async function dependenciesIn(project: string): Promise<readonly string[]> {
  const path = join(project, 'package.json');
  if (!existsSync(path)) return [];
  const { dependencies = {} } = JSON.parse(await readFile(path, 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies).filter((name) => name !== 'jmapsmith');
}

/** Ends a process and its group, as Ctrl-C does. */
async function interrupt(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = endOf(child);
  process.kill(-child.pid, 'SIGINT');
  await ended;
}

function collect(child: ChildProcess): { out: string; err: string } {
  const output = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.err += text;
  });
  return output;
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}
