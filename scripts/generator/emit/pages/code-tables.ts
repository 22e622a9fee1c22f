import type { CodeRow } from '../../../../src/descriptor/codes/code-row.js';
import { CODE_SECTIONS, type CodeSection } from '../../../../src/descriptor/codes/index.js';
import { code, table } from '../reference/markdown.js';
import type { Tables } from './index.js';

/** Returns the tables of codes, one for each section. */
export function codeTables(): Tables {
  return Object.fromEntries(CODE_SECTIONS.map((section) => [section.title, rowsOf(section)]));
}

function rowsOf({ codes }: CodeSection): readonly string[] {
  const rows = Object.entries(codes);
  const isWarning = rows.some(([, { silence }]) => silence !== undefined);
  return table(
    ['Code', 'Cause', isWarning ? 'Answer' : 'Wrong, then right'],
    rows.map(([name, row]) => [
      `<a id="${name}"></a>${code(name)}`,
      cell(row.cause),
      isWarning ? cell(row.silence ?? '') : example(row),
    ]),
  );
}

function example({ wrong, right }: CodeRow): string {
  return `${code(wrong)}<br>${code(right)}`;
}

/** Words of this package, which are Markdown already. */
function cell(words: string): string {
  return words.replaceAll('|', '\\|');
}
