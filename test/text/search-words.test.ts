import { expect, test } from 'vitest';
import { searchWords } from '../../src/text/index.js';

test.each([
  ['', []],
  [' a  b\ta ', ['a', 'b']],
  ['"new york" hotel', ['new york', 'hotel']],
  ["'it is' \"it's\"", ['it is', "it's"]],
  ["don't 'tis", ["don't", "'tis"]],
  ['"a', ['"a']],
  ['"a"b', ['"a"b']],
  ['"" \'\'', []],
  ['"say \\"hi\\" \\\\ \\n"', ['say "hi" \\ \\n']],
])('RFC 8621 4.4.1: %j asks for %j', (text, words) => {
  expect(searchWords(text)).toEqual(words);
});

test('takes a step for each character, whatever the quotes', () => {
  const text = `"${"\\'".repeat(100_000)} '${'\\" '.repeat(100_000)}`;
  expect(searchWords(text).length).toBeGreaterThan(0);
});
