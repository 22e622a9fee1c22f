import { execFileSync } from 'node:child_process';

/** Returns the output of git in `root`; undefined where git refuses, or is not there. */
export function git(root: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    if (error instanceof Error && ('status' in error || 'code' in error)) return undefined;
    throw error;
  }
}

/** Returns whether a folder lies in a work tree of git. */
export function isInRepository(root: string): boolean {
  return git(root, ['rev-parse', '--is-inside-work-tree'])?.trim() === 'true';
}
