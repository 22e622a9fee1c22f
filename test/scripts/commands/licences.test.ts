import { describe, expect, it } from 'vitest';
import { isAllowed, mayUse } from '../../../scripts/licences.mjs';

describe('the licence list (scripts/licences.mjs)', () => {
  const ab = (licence: string): boolean => licence === 'A' || licence === 'B';

  it.each([
    ['A', true],
    ['A*', true],
    ['X', false],
    ['A OR X', true],
    ['X OR A', true],
    ['X OR Y', false],
    ['A AND B', true],
    ['A AND X', false],
    ['X AND A OR B', true],
    ['(A OR X) AND B', true],
    ['(A OR X) AND Y', false],
    ['A AND (X OR (B AND A))', true],
    ['A B', false],
    ['', false],
    ['UNKNOWN', false],
  ])('%j is allowed: %j', (expression, expected) => {
    expect(isAllowed(expression, ab)).toBe(expected);
  });

  it('takes an exception for its package and its licence alone', () => {
    expect(mayUse('lightningcss-linux-x64-gnu', 'MPL-2.0')).toBe(true);
    expect(mayUse('lightningcss', 'GPL-3.0')).toBe(false);
    expect(mayUse('another', 'MPL-2.0')).toBe(false);
    expect(mayUse('another', ['MIT', 'GPL-3.0'])).toBe(false);
    expect(mayUse('another', [])).toBe(false);
  });
});
