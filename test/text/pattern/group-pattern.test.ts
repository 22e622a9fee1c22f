import { expect, it } from 'vitest';
import { compileGroups, type GroupPattern, PatternError } from '../../../src/text/index.js';
import { Random } from '../../support/random.js';
import { randomPattern, randomText } from './random-pattern.js';

/** The pattern, or null where a part repeats that may match nothing. */
function compileIfLegal(source: string): GroupPattern | null {
  try {
    return compileGroups(source);
  } catch (error) {
    if (error instanceof PatternError && error.kind === 'unsafe') return null;
    throw error;
  }
}

/** The first match of RegExp that doesn't begin in the middle of a surrogate pair. */
function matchNatively(source: string, text: string): readonly (string | undefined)[] | null {
  const native = new RegExp(source, 'uy');
  for (let at = 0; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    native.lastIndex = at;
    const match = native.exec(text);
    if (match !== null) return [...match];
  }
  return null;
}

it('gives the groups of random patterns as RegExp does', () => {
  const random = Random.fromEnvironment();
  const count = { compiled: 0, matched: 0, groups: 0 };
  for (let turn = 0; turn < 3000; turn++) {
    const source = randomPattern(random);
    const pattern = compileIfLegal(source);
    if (pattern === null) continue;
    count.compiled++;
    for (let each = 0; each < 8; each++) {
      const text = randomText(random);
      const words = `seed ${random.seed}: ${JSON.stringify(source)} and ${JSON.stringify(text)}`;
      const found = pattern.exec(text);
      expect(found, words).toEqual(matchNatively(source, text));
      count.matched += Number(found !== null);
      count.groups += Number(found?.slice(1).some(Boolean) ?? false);
    }
  }
  expect(count.compiled).toBeGreaterThan(2_000);
  // Neither all nor nothing.
  expect(count.matched).toBeGreaterThan(4_000);
  expect(count.matched).toBeLessThan(22_000);
  expect(count.groups).toBeGreaterThan(80);
});

it.each([
  ['^team-([a-z]+)$', 'team-red', ['team-red', 'red']],
  ['^team-([a-z]+)$', 'team-RED', null],
  ['^CN=([^,]+),OU=(?<unit>[^,]+)', 'CN=a,OU=b,DC=c', ['CN=a,OU=b', 'a', 'b']],
  ['^(?:a|(b))+$', 'ba', ['ba', undefined]],
  ['(a+?)(a*)', 'xaaa', ['aaa', 'a', 'aa']],
  ['(z)((a+)?(b+)?(c))*', 'zaacbbbcac', ['zaacbbbcac', 'z', 'ac', 'a', undefined, 'c']],
  ['', 'x', ['']],
])('%s matches %s as RegExp does', (source, text, groups) => {
  const native = new RegExp(source, 'u').exec(text);
  expect(native === null ? null : [...native]).toEqual(groups);
  expect(compileGroups(source).exec(text)).toEqual(groups);
});

it('counts groups, each once however often it repeats', () => {
  expect(compileGroups('a').groups).toBe(0);
  expect(compileGroups('(?:(a)(?<name>b)){2,5}').groups).toBe(2);
});

it.each(['^(a+)+$', '^(a|a)*b', '(.+)*x', '^(([a-z])+.)+[A-Z]([a-z])+$', '.*.*.*.*x'])(
  '%s: a text of 1,000 characters takes no time',
  (source) => {
    const pattern = compileGroups(source);
    // RegExp takes two to the power of that many steps.
    expect(pattern.exec(`${'a'.repeat(999)}!`)).toBeNull();
  },
);

it('a longer text matches nothing', () => {
  expect(compileGroups('a').exec('a'.repeat(1000))).toEqual(['a']);
  expect(compileGroups('a').exec('a'.repeat(1001))).toBeNull();
});

it.each([
  ['invalid', '('],
  ['invalid', '(?i:a)'],
  ['unsafe', '(?=a)b'],
  ['unsafe', '(a)\\1'],
  ['unsafe', 'a{1001}'],
  ['unsafe', '(a*)?'],
  ['unsafe', '(?:a|b*)+'],
])('refuses as %s: %s', (kind, source) => {
  expect(() => compileGroups(source)).toThrow(PatternError);
  expect(() => compileGroups(source)).toThrow(expect.objectContaining({ kind }));
});
