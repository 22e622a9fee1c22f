import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CommandResult } from '../support/server.js';

/**
 * A folder in which a program finds Node, `/app`, `/data` and `/tmp`, and nothing else of this
 * machine. The strictest way that the machine allows is taken, and the titles of the tests name it.
 * The variable JAIL takes another one, by its `kind`.
 */

/** Makes all but `/data` and `/tmp` of the folder $1 read-only, then runs the command behind it. */
const READ_ONLY = `set -e
mount --make-rprivate /
mount --bind "$1" "$1"
for folder in data tmp; do mount --bind "$1/$folder" "$1/$folder"; done
mount -o remount,bind,ro "$1"
shift
exec "$@"`;

const isRoot = process.getuid?.() === 0;
/** The user and group `nobody`; who is not root stays who they are. */
const AS_NOBODY = isRoot ? ['--setgid', '65534', '--setuid', '65534'] : [];
const NEW_MOUNTS = isRoot ? ['--mount'] : ['--user', '--map-root-user', '--mount'];

function inRoot(folder: string): readonly string[] {
  return ['unshare', '--root', folder, '--wd', '/app', ...AS_NOBODY];
}

const WAYS = [
  {
    kind: 'a read-only file system of its own, as another user',
    isAllowed: () =>
      spawnSync('unshare', [...NEW_MOUNTS, 'mount', '--make-rprivate', '/']).status === 0,
    isReadOnly: true,
    wrap: (folder: string) => [
      ...['unshare', ...NEW_MOUNTS, 'sh', '-c', READ_ONLY, 'sh', folder],
      ...inRoot(folder),
    ],
  },
  {
    kind: 'a root folder of its own, as another user',
    isAllowed: () => isRoot && spawnSync('unshare', ['--root', '/', 'true']).status === 0,
    isReadOnly: true,
    wrap: inRoot,
  },
  {
    kind: 'a folder alone, with an empty environment',
    isAllowed: () => true,
    isReadOnly: false,
    wrap: null,
  },
] as const;

const forced = process.env['JAIL'];
const way = WAYS.find(({ kind, isAllowed }) => (forced ?? kind) === kind && isAllowed());
if (way === undefined) throw new Error(`JAIL=${forced} is no way that this machine allows.`);

/** How a program is shut in. */
export const JAIL: string = way.kind;

/** Whether a program can write to nothing but `/data` and `/tmp`. */
export const IS_READ_ONLY: boolean = way.isReadOnly;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Such a folder. Paths of arguments and variables begin at its root. */
export class Jail {
  readonly folder: string;

  constructor() {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'jmapsmith-jail-')));
    chmodSync(this.folder, 0o755);
    for (const name of ['app', 'data', 'tmp']) mkdirSync(join(this.folder, name));
    for (const name of ['data', 'tmp']) chmodSync(join(this.folder, name), 0o777);
    if (way?.wrap !== null) this.#installNode();
  }

  /** Node, and the system's libraries that it links. */
  #installNode(): void {
    const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
    const paths = [...libraries.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
    for (const path of paths) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      copyFileSync(path, join(this.folder, path));
    }
    mkdirSync(join(this.folder, 'bin'), { recursive: true });
    copyFileSync(process.execPath, join(this.folder, 'bin/node'));
  }

  /** Returns the path on this machine of a path in the jail. */
  outside(path: string): string {
    return join(this.folder, path);
  }

  /** Starts `node ARGUMENT...` in `/app`, with these variables alone. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = this.#spawn(args, env);
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  /** Runs `node ARGUMENT...` in `/app` to its end. */
  run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
    const child = this.start(args, env);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ ...output, code }));
    });
  }

  #spawn(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const wrap = way?.wrap ?? null;
    if (wrap === null) {
      const own = Object.entries(env).map(([name, value]) => [name, this.#located(value)]);
      const options = { cwd: this.outside('app'), env: Object.fromEntries(own), stdio: [...stdio] };
      return spawn(
        process.execPath,
        args.map((each) => this.#located(each)),
        options,
      );
    }
    const [program = '', ...more] = wrap(this.folder);
    // The shell needs a PATH. Its folders are not there inside.
    const all = { PATH: process.env['PATH'] ?? '', ...env };
    return spawn(program, [...more, '/bin/node', ...args], { env: all, stdio: [...stdio] });
  }

  /** Without a root of its own, paths such as `/data` are those of the folder. */
  #located(text: string): string {
    return text.replace(/^(file:)?\/(app|data|tmp)\b/, (_, scheme = '', name) => {
      return `${scheme}${this.outside(name)}`;
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
