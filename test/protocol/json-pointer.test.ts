import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrayIndex, escapeToken, parsePointer } from '../../src/protocol/json-pointer.js';

describe('RFC 6901: a JSON Pointer', () => {
  it.each([
    ['', []],
    ['/', ['']],
    ['/a/b', ['a', 'b']],
    ['/a//b/', ['a', '', 'b', '']],
    ['/a~1b', ['a/b']],
    ['/m~0n', ['m~n']],
    ['/~01', ['~1']],
    ['/~10', ['/0']],
    ['/*', ['*']],
    ['/ ', [' ']],
  ])('%j', (pointer, tokens) => {
    expect(parsePointer(pointer)).toEqual(tokens);
  });

  it.each(['a', 'a/b', '#/a', ' /a', '/~', '/a~', '/a~2', '/~a/b', '/~~0'])(
    '%j is malformed',
    (pointer) => {
      expect(parsePointer(pointer)).toBeNull();
    },
  );

  it('is split into the tokens that it was written with', () => {
    const tokens = fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a', 'é') }));
    fc.assert(
      fc.property(tokens, (names) => {
        const pointer = names.map((name) => `/${escapeToken(name)}`).join('');
        expect(parsePointer(pointer)).toEqual(names);
      }),
    );
  });

  it('indexes arrays by decimal numbers without leading zeros', () => {
    expect(['0', '7', '10'].map(arrayIndex)).toEqual([0, 7, 10]);
    for (const token of ['', '-', '-1', '01', '00', '1.0', '1e0', ' 1', '+1', '٣', 'length']) {
      expect(arrayIndex(token), token).toBeNull();
    }
  });
});
