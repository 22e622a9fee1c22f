import type { Problem } from '../../../src/descriptor/model.js';
import { isError } from '../../../src/descriptor/problems.js';
import { foldedText, type Look, problemText } from '../../../src/descriptor/report/problem-text.js';
import { styleOf } from '../../../src/descriptor/report/style.js';
import { printError, printLine } from '../../cli.js';
import { page } from '../../invocation.js';
import { githubLine, problemsJson, workspacePath } from './machine.js';
import { sourcesOf } from './sources.js';

export const FORMATS = Object.freeze(['text', 'json', 'github'] as const);
export type Format = (typeof FORMATS)[number];

export function isFormat(word: string): word is Format {
  return FORMATS.some((format) => format === word);
}

export interface TellOptions {
  readonly root: string;
  readonly format: Format;
  /** As text, warnings of one code are one line, but for those of these codes. */
  readonly unfolded: 'all' | readonly string[];
}

/**
 * Tells problems: as text on stderr, for programs on stdout. A program that reads JSON is told an
 * empty list, too. To programs errors come first; to people they come last, where the prompt is.
 */
export function tellProblems(problems: readonly Problem[], options: TellOptions): void {
  const { root, format } = options;
  const ordered = [...problems.filter(isError), ...problems.filter((problem) => !isError(problem))];
  if (format === 'json') printLine(problemsJson(ordered));
  else if (format === 'github')
    for (const problem of ordered) printLine(githubLine(problem, workspacePath(root)));
  else for (const text of texts(problems, options)) printError(text);
}

function* texts(problems: readonly Problem[], { root, unfolded }: TellOptions): Iterable<string> {
  const sources = sourcesOf(root);
  const style = styleOf(process.stderr, process.env);
  const look: Look = { style, errorsPage: page('reference/errors.md') };
  const warnings = problems.filter((problem) => !isError(problem));
  const isWhole = ({ code }: Problem) => unfolded === 'all' || unfolded.includes(code);
  const byCode = new Map<string, Problem[]>();
  for (const warning of warnings) {
    if (isWhole(warning)) yield problemText(warning, sources, look);
    else byCode.set(warning.code, [...(byCode.get(warning.code) ?? []), warning]);
  }
  for (const folded of byCode.values()) {
    const [first, second] = folded;
    if (first !== undefined && second === undefined) yield problemText(first, sources, look);
    else yield foldedText(folded, look);
  }
  for (const problem of problems.filter(isError)) yield problemText(problem, sources, look);
}

/** Returns the line that counts problems: `1 error, 53 warnings`. */
export function summary(problems: readonly Problem[]): string {
  const warnings = problems.filter(({ severity }) => severity === 'warning').length;
  const errors = counted(problems.length - warnings, 'error');
  return warnings === 0 ? errors : `${errors}, ${counted(warnings, 'warning')}`;
}

/** Returns a number with its noun: `1 error`, `3 warnings`. */
export function counted(count: number, word: string): string {
  return count === 1 ? `1 ${word}` : `${count} ${word}s`;
}
