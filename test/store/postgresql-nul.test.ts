import { expect, it } from 'vitest';
import { postgresql } from '../../src/store/postgresql/dialect.js';
import { raw } from '../../src/store/sql/fragment.js';

/** The JSON that a condition on a list gives to PostgreSQL, which takes no U+0000 in a text. */
const itemOf = (text: string): unknown =>
  JSON.parse(String(postgresql.hasItem(raw('tags'), text).values[0]));

it.each([
  ['alone', '\u0000', '\uffff'],
  ['behind backslashes', '\\\u0000\\\\\u0000', '\\\uffff\\\\\uffff'],
  ['beside its own escape', '\\u0000 \u0000', '\\u0000 \uffff'],
  ['between other escapes', '"\n\u0000\u0001', '"\n\uffff\u0001'],
  ['nowhere', '\\u0000\\', '\\u0000\\'],
])('U+0000 in a condition: %s', (_name, text, given) => {
  expect(itemOf(text)).toEqual([given]);
});

it('U+0000 behind a million backslashes is found in one pass', () => {
  expect(itemOf(`${'\\'.repeat(1_000_000)}\u0000`)).toEqual([`${'\\'.repeat(1_000_000)}\uffff`]);
});
