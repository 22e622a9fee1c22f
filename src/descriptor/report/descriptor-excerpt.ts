import type { Location } from '../model.js';
import type { Style } from './style.js';

/** Of a longer line (JSON is often one) the part around the place is shown. */
const WIDTH = 100;
const BEFORE = 60;
/** Lines shown above the place and below it. */
const CONTEXT = 1;

/** Characters that take two cells of a terminal; the space below is as wide. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/gu;
const WIDE_SPACE = '\u3000';

/**
 * Returns the lines around a place with a caret below it, or none where the text has no such line:
 * it may have been saved anew since it was read.
 */
export function excerpt(source: string, at: Location, style: Style): readonly string[] {
  const lines = linesOf(source);
  if (lines[at.line - 1] === undefined) return [];
  const first = Math.max(1, at.line - CONTEXT);
  const last = Math.min(lines.length, at.line + CONTEXT);
  const gutter = String(last).length;
  const shown: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const line = lines[number - 1] ?? '';
    const { text, caret } = cropped(line, number === at.line ? at.column : 1);
    // An empty line below tells nothing.
    if (number !== at.line && text.trim() === '') continue;
    shown.push(`  ${style.dim(`${String(number).padStart(gutter)} |`)} ${text}`.trimEnd());
    if (number === at.line)
      shown.push(`  ${style.dim(`${' '.repeat(gutter)} |`)} ${caret}${style.bad('^')}`);
  }
  return shown;
}

let last: { readonly source: string; readonly lines: readonly string[] } | undefined;

/**
 * Returns the lines of a text, which end as yaml's do. It keeps those of the last text, since a
 * thousand problems may be of one.
 */
function linesOf(source: string): readonly string[] {
  if (last?.source !== source) last = { source, lines: source.split(/\r?\n/) };
  return last.lines;
}

/** Returns a line's part around a column, and the space in front of a caret below it. */
function cropped(line: string, column: number): { readonly text: string; readonly caret: string } {
  const index = Math.min(column - 1, line.length);
  const from = line.length <= WIDTH ? 0 : Math.max(0, index - BEFORE);
  const mark = from > 0 ? '… ' : '';
  const end = from + WIDTH;
  const text = mark + printable(line.slice(from, end)) + (end < line.length ? ' …' : '');
  const before = mark + printable(line.slice(from, index));
  return {
    text,
    caret: [...before.replace(WIDE, WIDE_SPACE)]
      .map((char) => (char === WIDE_SPACE ? char : ' '))
      .join(''),
  };
}

/** Returns text that can't steer the terminal: U+FFFD for control characters, a space for a tab. */
export function printable(text: string): string {
  return text.replaceAll('\t', ' ').replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd');
}
