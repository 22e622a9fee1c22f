import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { type GenerateOptions, generate } from '../../../scripts/generator/command.js';

export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project of its own in a temporary folder, removed with the test. */
export interface Project {
  readonly root: string;
  generate(options?: Partial<GenerateOptions>): Promise<Run>;
  /** Commits all that is there: the migrations are released from then on. */
  release(): void;
  write(path: string, text: string): Promise<void>;
  read(path: string): Promise<string>;
  remove(path: string): Promise<void>;
  /** Every file below a folder: path to text, in order of path. */
  tree(folder?: string): Promise<Record<string, string>>;
}

/** Commits all that is there. */
export function release(root: string): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  for (const args of [['init'], ['add', '.'], [...who, 'commit', '-m', 'all']])
    execFileSync('git', args, { cwd: root, stdio: 'pipe' });
}

/** Makes a project of descriptors by file name: `{ 'todos.yaml': '...' }`. */
export async function createProject(descriptors: Record<string, string>): Promise<Project> {
  const root = await mkdtemp(join(tmpdir(), 'jmapsmith-generator-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const project: Project = {
    root,
    generate: (options) => capture(() => generate({ ...DEFAULTS, root, ...options })),
    release: () => release(root),
    async write(path, text) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    },
    read: (path) => readFile(join(root, path), 'utf8'),
    remove: (path) => rm(join(root, path), { recursive: true }),
    tree: async (folder = '.') => readTree(join(root, folder)),
  };
  // As in a team's own project, the package is a dependency.
  await mkdir(join(root, 'node_modules'));
  await symlink(REPOSITORY, join(root, 'node_modules', 'jmapsmith'));
  await project.write('package.json', '{ "type": "module", "private": true }\n');
  await mkdir(join(root, 'capabilities'));
  for (const [name, text] of Object.entries(descriptors))
    await project.write(`capabilities/${name}`, text);
  return project;
}

/** The package.json of a project that uses the typed client. */
export const WITH_CLIENT =
  '{ "type": "module", "private": true, "devDependencies": { "@jmapsmith/client": "0.2.0" } }\n';

const DEFAULTS = Object.freeze({ check: false, dryRun: false, watch: false });

/** Runs a command's function and takes what it prints. */
export async function capture(run: () => Promise<number>): Promise<Run> {
  let stdout = '';
  let stderr = '';
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
  try {
    const code = await run();
    // A slow machine shows what it is at; that is no result.
    return { code, stdout, stderr: stderr.replace(/^generate: .* \.\.\.\n/gm, '') };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

export async function readTree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !/^(?:node_modules|\.git)(?:\/|$)/.test(path))
    .sort();
  const texts = await Promise.all(
    paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const),
  );
  return Object.fromEntries(texts);
}

/**
 * A descriptor of one type `Thing` with the lines given, which stand at the level of
 * `properties:`.
 */
export function thing(lines: string): string {
  const indented = lines.trim().replace(/^/gm, '    ');
  return `capability: urn:example:things\ntypes:\n  Thing:\n${indented}\n`;
}

/** Type-checks a project by its tsconfig.json. Resolves to what the compiler complains of. */
export async function compile(root: string): Promise<string> {
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc');
  try {
    return (await promisify(execFile)(process.execPath, [tsc, '-p', root])).stdout;
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}
