import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../src/runtime/paused-work.js';
import { casemapKey, casemapSteps, fold, foldSteps } from '../../src/text/index.js';
import { nfcSteps } from '../../src/text/normalize.js';

/** How often it pauses. */
function pauses(steps: Generator<void, unknown>): number {
  let count = 0;
  while (steps.next().done !== true) count += 1;
  return count;
}

const LONG = 200_000;

describe('work on a long text', () => {
  for (const [what, part] of [
    ['ligatures that become 18 code points each', '\ufdfa'],
    ['marks that are put in order', 'a\u0301\u0316'],
    ['one run of marks', '\u0316\u0301'],
    ['Hangul that is composed', '\u1100\u1161\u11a8'],
    ['text that stays as it is', '東京'],
  ] as const) {
    it(`pauses every few thousand code points: ${what}`, () => {
      const text = part.repeat(LONG / part.length);
      expect(pauses(foldSteps(text))).toBeGreaterThan(40);
      expect(pauses(casemapSteps(text))).toBeGreaterThan(20);
    });
  }

  it('comes to the same with pauses as without', () => {
    const char = fc.constantFrom(
      'a',
      'ß',
      'İ',
      '\u0301',
      '\u0316',
      '\u1100',
      '\u1161',
      '\ufdfa',
      '😀',
    );
    const text = fc.array(char, { minLength: 9000, maxLength: 20_000 }).map((all) => all.join(''));
    fc.assert(
      fc.property(text, (value) => {
        expect(finish(foldSteps(value))).toBe(fold(value));
        expect(finish(casemapSteps(value))).toBe(casemapKey(value));
        expect(finish(nfcSteps(value))).toBe(value.normalize('NFC'));
      }),
      { numRuns: 10 },
    );
  });

  it('normalises characters at the cuts of a long text as elsewhere', () => {
    const parts = [
      'e\u0316\u0301',
      '\u1100\u1161\u11a8',
      '\uac00\u11a8',
      '😀\u0301',
      'a\ud834\udd5e',
      // Gurung Khema and Kirat Rai vowel signs: two may become one, of which another may be a part.
      '\u{1611e}\u{16121}',
      '\u{16d63}\u{16d68}',
    ];
    for (const part of parts) {
      for (let before = 8184; before <= 8194; before += 1) {
        const text = `${'東'.repeat(before)}${part}東${'\u0301'.repeat(3)}`;
        expect(finish(nfcSteps(text))).toBe(text.normalize('NFC'));
      }
    }
  });

  it('ends sort keys: no text makes one of many times its length', () => {
    expect(casemapKey('\ufdfa'.repeat(1_000_000)).length).toBeLessThan(1_000_018);
    // Whether or not what follows is ASCII, the key is the same.
    const beginning = 'x'.repeat(1_000_000);
    expect(casemapKey(`${beginning}y`)).toBe('X'.repeat(1_000_000));
    expect(casemapKey(`${beginning}é`)).toBe('X'.repeat(1_000_000));
  });

  it('puts a run of marks in order, however long it is', () => {
    const run = `a${'\u0301\u0316\u0345\u0323'.repeat(5000)}b`;
    expect(finish(nfcSteps(run))).toBe(run.normalize('NFC'));
  });
});
