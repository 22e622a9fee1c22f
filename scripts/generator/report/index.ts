import { printError, printLine } from '../../cli.js';
import type { Problem } from '../model.js';
import { githubLine, problemsJson } from './machine.js';
import { sourcesOf } from './sources.js';
import { styleOf } from './style.js';
import { problemText } from './text.js';

export const FORMATS = Object.freeze(['text', 'json', 'github'] as const);
export type Format = (typeof FORMATS)[number];

export function isFormat(word: string): word is Format {
  return FORMATS.some((format) => format === word);
}

/**
 * Tells problems: as text on stderr, for programs on stdout. An empty list is told to a program
 * that reads JSON, too.
 */
export function tellProblems(root: string, problems: readonly Problem[], format: Format): void {
  if (format === 'json') printLine(problemsJson(problems));
  else if (format === 'github') for (const problem of problems) printLine(githubLine(problem));
  else {
    const sources = sourcesOf(root);
    const style = styleOf(process.stderr, process.env);
    for (const problem of problems) printError(problemText(problem, sources, style));
  }
}

/** `1 error, 53 warnings`. */
export function summary(problems: readonly Problem[]): string {
  const warnings = problems.filter(({ severity }) => severity === 'warning').length;
  const errors = counted(problems.length - warnings, 'error');
  return warnings === 0 ? errors : `${errors}, ${counted(warnings, 'warning')}`;
}

/** `1 error`, `3 warnings`. */
export function counted(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}
