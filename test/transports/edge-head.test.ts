import { expect, test } from 'vitest';
import { linesOf } from '../../src/transports/http/edge-head.js';

test('headers become lines, each with its end', () => {
  expect(linesOf(['A', '1', 'B-c', 'x; y'])).toBe('A: 1\r\nB-c: x; y\r\n');
  expect(linesOf([])).toBe('');
});

test('what could be more than one line is refused: nobody looks at it again', () => {
  for (const value of ['a\r\nB: c', 'a\n', 'a\u0000', '\u4e00']) {
    expect(() => linesOf(['A', value])).toThrow('No header');
  }
  expect(() => linesOf(['A: b\r\nC', 'd'])).toThrow('No header');
});
