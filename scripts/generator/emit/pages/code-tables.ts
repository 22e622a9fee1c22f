import { CODE_SECTIONS, type CodeSection } from '../../../../src/descriptor/codes/index.js';
import { code } from '../reference/markdown.js';
import type { Tables } from './index.js';

/** Returns the entries of codes, one list of lines for each section. */
export function codeTables(): Tables {
  return Object.fromEntries(CODE_SECTIONS.map((section) => [section.title, entriesOf(section)]));
}

/** Returns each code as a heading, so that the code is the anchor. */
function entriesOf({ codes }: CodeSection): readonly string[] {
  return Object.entries(codes).flatMap(([name, row]) => {
    const { cause, wrong = '', right = '', cure, silence } = row;
    const hasExample = cure === undefined && silence === undefined;
    const text = [cause, cure, silence].filter((part) => part !== undefined).join(' ');
    const example = hasExample ? [`${code(wrong)} → ${code(right)}`, ''] : [];
    return [`### ${name}`, '', text, '', ...example];
  });
}
