import { page } from '../../invocation.js';
import { place } from '../check/rule.js';
import type { Location, Problem } from '../model.js';
import { excerpt } from './excerpt.js';
import type { Sources } from './sources.js';
import type { Style } from './style.js';

/**
 * A problem for people: `file:line:col: message`, the lines that it is about, and the word to look
 * up.
 */
export function problemText(problem: Problem, sources: Sources, style: Style): string {
  const { at, code, message, related = [], severity } = problem;
  const word = severity === 'warning' ? `${style.warning('warning')}: ` : '';
  const shown = (where: Location) => {
    const source = sources(where.file);
    return source === undefined ? [] : excerpt(source, where, style);
  };
  return [
    `${place(at)}: ${word}${message}`,
    ...shown(at),
    ...related.flatMap((where) => [`  and ${place(where)}`, ...shown(where)]),
    `  ${style.dim(`[${code}] ${page('errors.md')}#${code}`)}`,
  ].join('\n');
}
