import { expect, test } from 'vitest';
import { GeneratedModule } from '../../../../scripts/generator/emit/generated-module.js';
import { code, escapeText, json } from '../../../../scripts/generator/emit/reference/markdown.js';
import { addWireTypes } from '../../../../scripts/generator/emit/wire-types.js';

/**
 * The words of descriptors are printed in programs and pages. None of it may end a comment or a
 * string, nor make a reader see another program than there is (U+202E turns the direction of
 * writing).
 */

const WORDS = `Ends */ evil(); /*\n\${x} \`y\` \u2028 \u202e\n/** {`;

test('wire types show hidden characters as escapes, in strings and in comments', async () => {
  const module = new GeneratedModule('./generated/a/A.types.ts', 'a.yaml');
  await addWireTypes(module, [
    [
      'Thing',
      {
        type: 'object',
        description: WORDS,
        properties: {
          size: { type: 'string', enum: ['*/', "it's", 'a"b', '\u2028', '\u202e', '\u0085', '{'] },
          'a\u2029b{': { type: 'string', description: WORDS },
        },
        additionalProperties: false,
      },
    ],
  ]);
  const text = module.toString();
  expect(text).not.toMatch(/[\u0085\u2028\u2029\u202e]/);
  expect(text.split('\n').slice(2).join('\n')).toBe(`/**
 * Ends * / evil(); /*
 * \${x} \`y\` \\u2028 \\u202e
 * /** {
 */
export interface Thing {
  readonly size?: '*/' | 'it\\'s' | 'a"b' | '\\u2028' | '\\u202e' | '\\u0085' | '{';
  /**
   * Ends * / evil(); /*
   * \${x} \`y\` \\u2028 \\u202e
   * /** {
   */
  readonly 'a\\u2029b{'?: string;
}
`);
});

test('a constant keeps its words in its comment, and its text in its strings', () => {
  const value = { ["it's"]: WORDS, ['__proto__']: '\u202e' };
  const module = new GeneratedModule('./generated/a/a.ts', 'a.yaml');
  module.addConstant({ name: 'a', type: 'object', value, words: WORDS });
  const text = module.toString();
  expect(text).not.toMatch(/[\u2028\u2029\u202e]/);
  expect(text.match(/\*\//g)).toHaveLength(2);
  const printed = text.slice(text.indexOf('= ') + 2, -2);
  // The value that the module would hold: the very value.
  const read: unknown = new Function(`return ${printed};`)();
  expect(read).toEqual(value);
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

test('pages show hidden characters as escapes, and line breaks of a pattern', () => {
  expect(code('^[^\n\u2028|]*$')).toBe('`^[^\\n\\u2028\\|]*$`');
  expect(escapeText('a\u202eb\u2028<c>')).toBe('a\\u202eb &lt;c>');
  expect(json({ a: '\u202e' })).toEqual(['```json', '{ "a": "\\u202e" }', '```', '']);
});
