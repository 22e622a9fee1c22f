import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { type CommandResult, ROOT } from './server.js';

/** A copy of the project in which a test may add descriptors and generate. */
export interface ProjectCopy {
  readonly root: string;
  /** Runs one of its npm scripts. */
  npm(script: string, ...args: readonly string[]): Promise<CommandResult>;
  remove(): Promise<void>;
}

/**
 * Folders that a copy does without: not needed to run, or made again there. The engine comes along
 * as this repository compiled it, and of the Prisma clients a build makes those anew whose schema
 * changed.
 */
const LEFT_OUT = new Set(['node_modules', 'data', '.git', 'coverage', 'test', 'bench']);

/**
 * The files that a copy compiles: what descriptors and hook files change, with the modules of the
 * engine that it imports. The other modules are the same as here.
 */
const BUILD = JSON.stringify({
  extends: './tsconfig.json',
  compilerOptions: {
    noEmit: false,
    outDir: 'dist',
    noUnusedLocals: false,
    noUnusedParameters: false,
  },
  include: ['generated', 'capabilities/*.hooks.ts', 'build/prisma'],
});

export interface CopyOptions {
  /** Where to; a fresh folder if none is given. */
  readonly folder?: string;
  /** A copy that was built, to be copied; this repository if none is given. */
  readonly built?: string;
}

/** As in a clone: the migrations that come along are released. */
function commitMigrations(root: string): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  for (const args of [
    ['init', '-q'],
    ['add', 'prisma'],
    [...who, 'commit', '-q', '-m', 'copied'],
  ])
    execFileSync('git', args, { cwd: root, stdio: 'pipe' });
}

/** Copies the project, adds `descriptors` (paths of files) to its capabilities, and generates. */
export async function copyProject(
  descriptors: readonly string[] = [],
  { folder, built }: CopyOptions = {},
): Promise<ProjectCopy> {
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'jmapsmith-project-')));
  const from = built ?? ROOT;
  try {
    if (built === undefined) await succeed(ROOT, 'build');
    await cp(from, root, {
      recursive: true,
      filter: (source) => !LEFT_OUT.has(relative(from, source).split(sep)[0] ?? ''),
    });
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'dir');
    if (built === undefined) await writeFile(join(root, 'tsconfig.build.json'), BUILD);
    if (!existsSync(join(root, '.git'))) commitMigrations(root);
    for (const file of descriptors) {
      await copyFile(file, join(root, 'capabilities', basename(file)));
      const hooks = file.replace(/[.](?:yaml|yml|json)$/, '.hooks.ts');
      if (existsSync(hooks)) await copyFile(hooks, join(root, 'capabilities', basename(hooks)));
    }
    const project: ProjectCopy = { root, ...npmAt(root) };
    if (descriptors.length > 0) await succeed(root, 'generate');
    return project;
  } catch (error) {
    await npmAt(root).remove();
    throw error;
  }
}

/** Runs an npm script that must succeed. */
async function succeed(root: string, script: string): Promise<void> {
  const { code, stdout, stderr } = await npmAt(root).npm(script);
  if (code !== 0) throw new Error(`npm run ${script} ended with ${code}:\n${stdout}\n${stderr}`);
}

/** Returns the actions on the project in a folder. */
export function npmAt(root: string): Pick<ProjectCopy, 'npm' | 'remove'> {
  return {
    npm: (script, ...args) => npm(root, ['run', '-s', script, '--', ...args]),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

function npm(cwd: string, args: readonly string[]): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', [...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ stdout, stderr, code }));
  });
}
