import { expect, test } from 'vitest';
import { splitWords } from '../../src/text/index.js';

test.each([
  ['', []],
  [' \t\n', []],
  ['ann lee  ann', ['ann', 'lee']],
  ['"van gogh" vincent', ['van gogh', 'vincent']],
  ["'van  gogh'", ['van  gogh']],
  ['"say \\"hi\\" \\\\ \\n"', ['say "hi" \\ \\n']],
  ["'it\\'s' \"o'brien's\"", ["it's", "o'brien's"]],
  ["o'brien 'tis", ["o'brien", "'tis"]],
  ['5" nails', ['5"', 'nails']],
  ['"open end', ['"open', 'end']],
  ['"a"b "c d"', ['"a"b', 'c d']],
  ['"" x \'\'', ['x']],
])('the words and phrases of %j are %j', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
