import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { place } from '../../../src/descriptor/check/rule.js';
import type { Location, Problem } from '../../../src/descriptor/model.js';

/** One element of what `--format json` prints: an array of these, empty where all is well. */
export interface JsonProblem extends Location {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly related: readonly Location[];
}

export function problemsJson(problems: readonly Problem[]): string {
  const rows = problems.map(
    ({ code, severity, at, message, related = [] }): JsonProblem => ({
      code,
      severity: severity ?? 'error',
      file: at.file,
      line: at.line,
      column: at.column,
      message,
      related: related.map(({ file, line, column }) => ({ file, line, column })),
    }),
  );
  return JSON.stringify(rows, null, 2);
}

/** Gives the path by which GitHub finds a file of the project, which is relative to its root. */
export type WorkspacePath = (file: string) => string;

/**
 * Returns a path as GitHub takes it, relative to the workspace, where the repository lies; the
 * project may be a folder in it. Without GITHUB_WORKSPACE the project's folder counts as the
 * workspace.
 */
export function workspacePath(
  root: string,
  workspace: string | undefined = process.env['GITHUB_WORKSPACE'],
): WorkspacePath {
  if (workspace === undefined || workspace === '') return (file) => file;
  const below = relative(real(workspace), real(root)).split(sep).join('/');
  // A project outside of the workspace has no file that GitHub could show.
  if (below === '' || below.startsWith('..') || isAbsolute(below)) return (file) => file;
  return (file) => `${below}/${file}`;
}

/** Returns the absolute path of a folder, without symbolic links if the folder exists. */
function real(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : resolve(folder);
}

/** Returns a workflow command of GitHub Actions, which shows the problem beside the line. */
export function githubLine(
  { code, severity, at, message, related = [] }: Problem,
  path: WorkspacePath,
): string {
  const parameters = [
    `file=${parameter(path(at.file))}`,
    `line=${at.line}`,
    `col=${at.column}`,
    `title=${parameter(code)}`,
  ];
  const also =
    related.length === 0
      ? ''
      : `\nSee also ${related.map((each) => place({ ...each, file: path(each.file) })).join(', ')}`;
  return `::${severity ?? 'error'} ${parameters.join(',')}::${data(message + also)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function parameter(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
