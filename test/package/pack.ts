import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onceInRun } from '../support/once-in-run.js';
import { type CommandResult, ROOT } from '../support/server.js';

/** A folder of this test run alone, with a space in its name, and what removes it. */
export async function emptyFolder(): Promise<{
  readonly root: string;
  remove(): Promise<void>;
}> {
  const parent = await mkdtemp(join(tmpdir(), 'jmapsmith-package-'));
  const root = join(parent, 'our server');
  await mkdir(root);
  return { root, remove: () => rm(parent, { recursive: true, force: true }) };
}

export interface Packed {
  /** The tarball's path. */
  readonly tarball: string;
  readonly files: readonly string[];
}

/** Packs this repository by `npm pack`, once for all files of a run. */
export function packOnce(): Promise<Packed> {
  return onceInRun('packed', (folder) => pack(ROOT, folder));
}

/** The same for the package of the typed client. */
export function packClientOnce(): Promise<Packed> {
  return onceInRun('packed-client', (folder) => pack(join(ROOT, 'client'), folder));
}

async function pack(root: string, folder: string): Promise<Packed> {
  const args = ['pack', '--json', '--silent', '--pack-destination', folder];
  const { stdout } = await succeed(root, 'npm', args);
  // npm says what it packed as a list or, from version 11 on, by name; scripts may print in front.
  const told: unknown = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [one] = Object.values(told as Record<string, unknown>);
  const { filename, files } = one as {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  };
  return { tarball: join(folder, filename), files: files.map(({ path }) => path).sort() };
}

/**
 * Installs a tarball as npm would, without a registry: the package's dependencies are this
 * repository's, below the package itself, where only the package's own modules find them.
 */
export async function install(
  tarball: string,
  root: string,
  name: string = 'jmapsmith',
): Promise<void> {
  const folder = join(root, 'node_modules', name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await succeed(root, 'tar', ['-xzf', tarball, '-C', folder, '--strip-components', '1']);
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
}

/** Runs the `jmapsmith` of `project` in a folder, which is the project's own where not given. */
export function jmapsmith(
  root: string,
  args: readonly string[],
  project: string = root,
): Promise<CommandResult> {
  return run(root, process.execPath, [binOf(project), ...args]);
}

export function binOf(root: string): string {
  return join(root, 'node_modules', 'jmapsmith', 'bin', 'jmapsmith.mjs');
}

/** The same for a tool that must succeed: what it printed. */
export async function tool(root: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await jmapsmith(root, args);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout.trim();
}

export async function write(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function succeed(
  cwd: string,
  program: string,
  args: readonly string[],
): Promise<CommandResult> {
  const result = await run(cwd, program, args);
  if (result.code !== 0)
    throw new Error(`${program} ${args.join(' ')} ended with ${result.code}:\n${result.stderr}`);
  return result;
}

function run(cwd: string, program: string, args: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...output, code }));
  });
}
