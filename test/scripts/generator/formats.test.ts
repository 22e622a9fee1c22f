import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  FORMAT_NAMES,
  FORMATS,
  type Format,
  type FormatName,
  formatNamed,
} from '../../../src/capability/formats.js';
import { createAjv } from '../../../src/descriptor/validation/ajv.js';
import { validationSchema } from '../../../src/descriptor/validation/schema.js';
import { REPOSITORY, thing } from './project.js';
import { judge } from './random/texts.js';

/** Each format keeps the promises of its file, and all else follows from them. */
describe.each(FORMAT_NAMES)('%s', (name) => {
  const format: Format = FORMATS[name];
  const schema = { type: 'string', format: name } as const;
  const stored = createAjv().compile(validationSchema(schema, 'stored'));

  it('judges its own texts', () => {
    for (const text of format.legal) expect(stored(text), text).toBe(true);
    for (const text of format.illegal) {
      expect(stored(text), text).toBe(false);
      expect(stored.errors?.map(({ message }) => message)).toEqual([format.message]);
    }
    const numbered = Array.from({ length: 100 }, (_, n) => format.numbered(n));
    expect(new Set(numbered).size).toBe(100);
    for (const text of numbered) expect(format.isCanonical(text), text).toBe(true);
  });

  it('stores a legal text in a form that it then leaves alone', () => {
    for (const text of format.legal) {
      const canonical = format.canonical?.(text) ?? text;
      expect(format.isCanonical(canonical), text).toBe(true);
    }
  });

  it('within a value of JSON takes that form alone', () => {
    const list = createAjv().compile(
      validationSchema({ type: 'array', items: schema, maxItems: 9 }, 'stored'),
    );
    for (const text of [...format.legal, ...format.illegal])
      expect(list([text]), text).toBe(format.isCanonical(text));
  });

  it('is what to write for the words of other languages', () => {
    for (const word of format.otherNames) {
      expect(messageOf(`{ type: ${word} }`), word).toContain(`Write type: string, format: ${name}`);
      expect(messageOf(`{ type: string, format: ${word} }`), word).toContain(
        `Write format: ${name}.`,
      );
    }
    expect(messageOf(`{ type: ${name} }`)).toContain(`format: ${name}`);
  });
});

function messageOf(schema: string): string {
  return judge(thing(`properties:\n  a: ${schema}`))
    .map(({ message }) => message)
    .join('\n');
}

test('a word that is no format has no row, whatever objects inherit', () => {
  for (const word of ['email', 'toString', undefined]) expect(formatNamed(word)).toBeUndefined();
});

/** The rows of formats in the table of docs/descriptors.md. `UPDATE_DOCS=1` writes them anew. */
test('docs/descriptors.md says of each format what its row says', () => {
  const path = join(REPOSITORY, 'docs/descriptors.md');
  const lines = readFileSync(path, 'utf8').split('\n');
  const rows = FORMAT_NAMES.map(rowOf);
  const isRow = (line: string): boolean => line.startsWith('| `string` with `format: ');
  if (process.env['UPDATE_DOCS'] === '1') {
    const first = lines.findIndex(isRow);
    const rest = lines.filter((line) => !isRow(line));
    writeFileSync(path, [...rest.slice(0, first), ...rows, ...rest.slice(first)].join('\n'));
  } else expect(lines.filter(isRow), 'UPDATE_DOCS=1 writes the rows').toEqual(rows);
});

function rowOf(name: FormatName): string {
  const { kind, notation, description, compares } = FORMATS[name];
  const moment =
    'its moment in `<property>_instant` (INTEGER / bigint) where a filter or sort reads it';
  const text = compares === 'instant' ? `TEXT / text; ${moment}` : 'TEXT / text';
  const cells = [
    `\`string\` with \`format: ${name}\``,
    notation,
    kind === 'date' ? 'milliseconds: INTEGER / bigint' : text,
    description.replace(/\.$/, ''),
    '`string`',
  ];
  return `| ${cells.join(' | ')} |`;
}
