import { place } from '../check/rule.js';
import type { Location, Problem } from '../model.js';

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

/** A workflow command of GitHub Actions, which shows the problem beside the line. */
export function githubLine({ code, severity, at, message, related = [] }: Problem): string {
  const parameters = [
    `file=${parameter(at.file)}`,
    `line=${at.line}`,
    `col=${at.column}`,
    `title=${parameter(code)}`,
  ];
  const also = related.length === 0 ? '' : `\nSee also ${related.map(place).join(', ')}`;
  return `::${severity ?? 'error'} ${parameters.join(',')}::${data(message + also)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function parameter(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
