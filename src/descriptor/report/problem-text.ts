import { place } from '../check/rule.js';
import type { Location, Problem } from '../model.js';
import { excerpt } from './descriptor-excerpt.js';
import type { Style } from './style.js';

/** A file's text by its path below the root; undefined where it can't be read. */
export type Sources = (file: string) => string | undefined;

/**
 * How problems are shown: how words stand out, and the page that explains each code, if there is
 * one.
 */
export interface Look {
  readonly style: Style;
  readonly errorsPage?: string;
}

/**
 * Returns a problem for people: `file:line:col: message`, the lines that it is about, and the word
 * to look up.
 */
export function problemText(problem: Problem, sources: Sources, look: Look): string {
  const { style } = look;
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
    `  ${composeCode(code, look)}`,
  ].join('\n');
}

/** Places that a folded line names. */
const PLACES = 10;

/** Returns warnings of one code as one line: ten places at most, and the words of the first. */
export function foldedText(warnings: readonly Problem[], look: Look): string {
  const { style } = look;
  const [first] = warnings;
  if (first === undefined) return '';
  const more = warnings.length - PLACES;
  const places = warnings.slice(0, PLACES).map(({ at }, index) => {
    const before = warnings[index - 1]?.at.file;
    return at.file === before ? `${at.line}:${at.column}` : place(at);
  });
  const { code, message } = first;
  return (
    `${places.join(', ')}${more > 0 ? ` and ${more} more` : ''}: ` +
    `${style.warning(`${warnings.length} warnings`)}, the first: ${message} ` +
    composeCode(code, look)
  );
}

/** Returns a code in brackets, with its link if the look has a page of errors. */
function composeCode(code: string, { style, errorsPage }: Look): string {
  return style.dim(errorsPage === undefined ? `[${code}]` : `[${code}] ${errorsPage}#${code}`);
}
