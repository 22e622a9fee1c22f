import type { JsonObject, JsonValue } from '../../../../src/protocol/json.js';
import { withoutHidden } from '../code.js';

/** Pieces of Markdown. Words come from descriptors: none of them may end a cell or open a tag. */

const WIDTH = 90;

export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const line = (cells: readonly string[]): string =>
    `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''];
}

/** Escapes words for a line of their own or for a cell. */
export function escapeText(words: string): string {
  return withoutHidden(words.trim().replace(/\s+/g, ' '))
    .replace(/[&<]/g, (character) => (character === '&' ? '&amp;' : '&lt;'))
    .replaceAll('|', '\\|');
}

/** Splits words into paragraphs. */
export function paragraphs(words: string): readonly string[] {
  if (words.trim() === '') return [];
  return words.split(/\n\s*\n/).flatMap((paragraph) => [escapeText(paragraph), '']);
}

/** Writes text as code, in a cell too; a longer fence where the text has backticks. */
export function code(raw: string): string {
  // A pattern may have a line break or a tab as it is.
  const text = withoutHidden(raw).replace(/[\n\r\t]/g, (space) =>
    JSON.stringify(space).slice(1, -1),
  );
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(0, ...runs) + 1);
  const space = runs.length > 0 ? ' ' : '';
  return `${fence}${space}${text.replace(/\s+/g, ' ').replaceAll('|', '\\|')}${space}${fence}`;
}

export function json(value: JsonValue): readonly string[] {
  return ['```json', withoutHidden(jsonText(value, '')), '```', ''];
}

/** Writes a value as JSON: a part that fits on a line stands on one. */
function jsonText(value: JsonValue, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const line = inlineWithin(value, WIDTH - indent.length);
  if (line !== undefined) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = entriesOf(value).map(([name, item]) => inner + name + jsonText(item, inner));
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

/**
 * Returns the value on one line; undefined, as soon as it is known, where that is longer than
 * `room`.
 */
function inlineWithin(value: JsonValue, room: number): string | undefined {
  let line: string;
  if (typeof value === 'object' && value !== null) {
    const parts: string[] = [];
    let rest = room;
    for (const [name, item] of entriesOf(value)) {
      const text = inlineWithin(item, rest - name.length);
      if (text === undefined) return undefined;
      rest -= name.length + text.length;
      parts.push(name + text);
    }
    const text = parts.join(', ');
    if (Array.isArray(value)) line = `[${text}]`;
    else line = parts.length === 0 ? '{}' : `{ ${text} }`;
  } else line = JSON.stringify(value);
  return line.length > room ? undefined : line;
}

/** Returns each value and the text before it: for an array no text. */
function entriesOf(value: object): (readonly [string, JsonValue])[] {
  if (Array.isArray(value)) return value.map((item: JsonValue) => ['', item] as const);
  return Object.entries(value as JsonObject).map(
    ([name, item]) => [`${JSON.stringify(name)}: `, item] as const,
  );
}

/** Joins words: "a", "a and b", "a, b and c". */
export function list(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
