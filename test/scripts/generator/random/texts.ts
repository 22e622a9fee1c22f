import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { checkDescriptors } from '../../../../src/descriptor/check/index.js';
import { buildModel } from '../../../../src/descriptor/model/index.js';
import type { Problem } from '../../../../src/descriptor/model.js';
import { parseDescriptor } from '../../../../src/descriptor/parse.js';
import { viewCapability } from '../../../../src/descriptor/view.js';
import { REPOSITORY } from '../project.js';

export const FILE = 'capabilities/things.yaml';
const VALID = ['gadgets', 'rich'].map((name) =>
  readFileSync(join(REPOSITORY, `test/golden/output/${name}/capabilities/${name}.yaml`), 'utf8'),
);

/** Returns the problems of a text; the model is built where nothing is wrong. */
export function judge(source: string): readonly Problem[] {
  const { root, problems } = parseDescriptor(FILE, source);
  const at = { file: FILE, line: 1, column: 1 };
  const views =
    root === undefined ? [] : [viewCapability({ file: FILE, base: 'things', start: at, root })];
  const all = [...problems, ...checkDescriptors(views)];
  if (all.every(({ severity }) => severity === 'warning')) buildModel(views);
  return all;
}

/** Each complaint has a code, words, and a place within the text. */
export function sound(source: string): void {
  const lines = source.split('\n');
  for (const { at, code, message } of judge(source)) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    // Whole, since words that change places make `[object-Z]` of a pattern.
    expect(message).not.toMatch(/undefined|\[object \w+\]|\n {4}at /);
    const line = lines[at.line - 1];
    expect(line, `${at.line} of ${lines.length}`).toBeDefined();
    expect(at.column).toBeLessThanOrEqual((line ?? '').length + 1);
  }
}

const JUNK = [
  ...['\t', '\ufeff', '\u0000', '\ud800', '\r', '\r\n', '\u2028', '&a ', '*a', '!!str ', '!x '],
  ...[
    '<<: *a\n',
    '? ',
    '- ',
    ': ',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|\n',
    '>-\n',
    '#',
    '%YAML 1.1\n',
  ],
  ...[
    '---\n',
    '...\n',
    '1e400',
    '0x1F',
    '-.inf',
    '~',
    '__proto__: {}\n',
    'constructor: 1\n',
    '@',
    '`',
  ],
  ...['9'.repeat(400), '['.repeat(70), '{a: '.repeat(70), '- '.repeat(70), 'x'.repeat(5000)],
];

/** A valid descriptor with a few places that are not what they were. */
export const mutated = fc
  .tuple(
    fc.constantFrom(...VALID),
    fc.array(
      fc.record({
        kind: fc.constantFrom('insert', 'delete line', 'swap lines', 'swap words', 'repeat', 'cut'),
        at: fc.nat(10_000),
        with: fc.nat(10_000),
        junk: fc.constantFrom(...JUNK),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([source, changes]) => changes.reduce(change, source));

function change(
  source: string,
  { kind, at, with: other, junk }: { kind: string; at: number; with: number; junk: string },
): string {
  const index = at % (source.length + 1);
  const lines = source.split('\n');
  const [from, to] = [at % lines.length, other % lines.length];
  switch (kind) {
    case 'insert':
      return source.slice(0, index) + junk + source.slice(index);
    case 'delete line':
      return lines.filter((_, number) => number !== from).join('\n');
    case 'swap lines':
      return lines
        .map((line, n) => (n === from ? lines[to] : n === to ? lines[from] : line))
        .join('\n');
    case 'swap words': {
      const words = source.split(/(\w+)/);
      const [a, b] = [(at % (words.length >> 1)) * 2 + 1, (other % (words.length >> 1)) * 2 + 1];
      return words.map((word, n) => (n === a ? words[b] : n === b ? words[a] : word)).join('');
    }
    case 'repeat':
      return lines.flatMap((line, n) => (n === from ? [line, line] : [line])).join('\n');
    default:
      return source.slice(0, index);
  }
}

/** Characters of any kind, and pieces of YAML in no order. */
export const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc
    .array(fc.constantFrom(...JUNK, 'a', ' ', '\n', 'types', 'properties', 'type', 'string'), {
      maxLength: 40,
    })
    .map((parts) => parts.join('')),
);
