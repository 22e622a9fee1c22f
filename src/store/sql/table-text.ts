import type { Dialect } from './dialect.js';
import type { Row } from './objects.js';

/** Reads the engine's own tables. */
export interface TableReader {
  all(text: string, ...parameters: readonly (string | number | null)[]): Promise<readonly Row[]>;
}

/** Reads and writes them. Each write is begun before the call returns. */
export interface TableWriter extends TableReader {
  write(text: string, ...parameters: readonly (string | number | null)[]): Promise<void>;
}

/**
 * Returns a JSON list of texts that a client gave. U+FFFF stands in the place of U+0000, which jsonb
 * refuses: no stored text has either, so both find nothing.
 */
export function textList(texts: readonly string[]): string {
  return JSON.stringify(texts.map((text) => text.replaceAll('\0', '\uffff')));
}

/**
 * Returns a database's text of a statement. In `text` a parameter is `?`; `IN ?` compares with the texts of a JSON
 * list, and `ROWS(?)` has a row `value` for each element of a JSON list.
 */
export function tableText(dialect: Dialect, text: string): string {
  let position = 0;
  return text.replace(/IN \?|ROWS\(\?\)|\?/g, (found) => {
    position += 1;
    const placeholder = dialect.placeholder(position);
    if (found === '?') return placeholder;
    return found === 'IN ?' ? dialect.isIn(placeholder) : dialect.rowsOf(placeholder);
  });
}
