import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { copyProject, npmAt, type ProjectCopy } from '../support/project.js';
import { ROOT } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';

/** Copies the project of all tests, which is built, into a git repository with one commit. */
export async function releasedProject(): Promise<ProjectCopy> {
  const project = await copyProject([], { built: await sharedProject() });
  git(project.root, 'init', '--quiet');
  commit(project.root);
  return project;
}

/**
 * Writes files into `capabilities/`, generates, builds and commits: what a team does for a release.
 */
export async function release(
  { root, npm }: Pick<ProjectCopy, 'root' | 'npm'>,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(root, 'capabilities', name), text);
  // Built here: a start must not wait for it.
  for (const script of ['generate', 'build']) {
    const { code, stdout, stderr } = await npm(script);
    if (code !== 0) throw new Error(`npm run ${script} ended with ${code}:\n${stdout}\n${stderr}`);
  }
  commit(root);
}

/** Clones a project into another folder: servers of the version before keep theirs. */
export async function cloned(from: ProjectCopy, root: string): Promise<ProjectCopy> {
  git(from.root, 'clone', '--quiet', from.root, root);
  // No commit has what was compiled, and a copy of the project compiles only what changes.
  for (const folder of ['build', 'dist'])
    await cp(join(from.root, folder), join(root, folder), { recursive: true });
  if (!existsSync(join(root, 'node_modules')))
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'dir');
  return { ...from, root, ...npmAt(root) };
}

/** All that is there, committed. */
export function commit(root: string): void {
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message', 'capabilities: change');
}

export function git(root: string, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=Team', '-c', 'user.email=team@example.com'];
  execFileSync('git', [...who, ...args], { cwd: root, stdio: 'pipe' });
}
