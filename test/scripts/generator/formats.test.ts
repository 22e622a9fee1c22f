import { describe, expect, it, test } from 'vitest';
import {
  FORMAT_NAMES,
  FORMATS,
  type Format,
  formatNamed,
} from '../../../src/capability/formats/index.js';
import { createAjv } from '../../../src/descriptor/validation/ajv.js';
import { validationSchema } from '../../../src/descriptor/validation/schema.js';
import { thing } from './project.js';
import { judge } from './random/texts.js';

/** Each format keeps the promises of its file, and all else follows from them. */
describe.each(FORMAT_NAMES)('%s', (name) => {
  const format: Format = FORMATS[name];
  const schema = { type: 'string', format: name } as const;
  const stored = createAjv().compile(validationSchema(schema, 'stored'));

  it('takes its legal texts and refuses its wrong ones', () => {
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

  it('is suggested for the words of other languages', () => {
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
  for (const word of ['hostname', 'toString', undefined]) expect(formatNamed(word)).toBeUndefined();
});
