import { expect, it } from 'vitest';
import { compilePattern, type Pattern, PatternError } from '../../../src/text/index.js';
import { Random } from '../../support/random.js';
import { isSlow } from './backtracking.js';
import { randomPattern, randomText } from './random-pattern.js';

/** Counts the looks at its characters. Nothing else of it is looked at. */
class CountedText {
  looks = 0;
  readonly length: number;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.length = text.length;
  }

  charCodeAt(at: number): number {
    this.looks++;
    return this.#text.charCodeAt(at);
  }

  codePointAt(at: number): number | undefined {
    this.looks++;
    return this.#text.codePointAt(at);
  }
}

function looksOf(source: string, text: string): number {
  const counted = new CountedText(text);
  compilePattern(source).test(counted as unknown as string);
  return counted.looks;
}

/** The pattern, or undefined where it has too large a table. */
function compileIfSmall(source: string): Pattern | undefined {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError && error.kind === 'unsafe') return undefined;
    throw error;
  }
}

/**
 * Whether RegExp matches from one of the characters. V8 also begins in the middle of a surrogate
 * pair, where `\\B` holds; the standard doesn't (ECMA-262, 22.2.7.2: AdvanceStringIndex).
 */
function matchesNatively(source: string, text: string): boolean {
  const native = new RegExp(source, 'uy');
  for (let at = 0; at <= text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    native.lastIndex = at;
    if (native.test(text)) return true;
  }
  return false;
}

it('matches random texts by random patterns as RegExp does', () => {
  const random = Random.fromEnvironment();
  const count = { compiled: 0, matched: 0 };
  for (let turn = 0; turn < 800; turn++) {
    const source = randomPattern(random);
    const pattern = compileIfSmall(source);
    if (pattern === undefined) continue;
    for (let each = 0; each < 12; each++) {
      const text = randomText(random);
      const matches = pattern.test(text);
      const words = `seed ${random.seed}: ${JSON.stringify(source)} and ${JSON.stringify(text)}`;
      expect(matches, words).toBe(matchesNatively(source, text));
      count.matched += Number(matches);
    }
    count.compiled++;
  }
  expect(count.compiled).toBeGreaterThan(700);
  // Neither all nor nothing.
  expect(count.matched).toBeGreaterThan(800);
  expect(count.matched).toBeLessThan(8_800);
});

it.each(['.', '\\d', '\\w', '\\s', '\\S', '[^a-z\\s]', '[\\w\\u{1F600}-\\u{1F64F}]', '\\p{Lu}'])(
  '%s takes the characters that it takes in RegExp',
  (source) => {
    const pattern = compilePattern(source);
    const native = new RegExp(source, 'u');
    const different: number[] = [];
    for (let code = 0; code <= 0x10_ffff; code += code < 0x1_0000 ? 1 : 61) {
      const text = String.fromCodePoint(code);
      if (pattern.test(text) !== native.test(text)) different.push(code);
    }
    expect(different).toEqual([]);
  },
);

/** RegExp takes the square of the length, its cube or two to the power of it. */
const SLOW = [
  ...['a[ab]*b[ab]*b[ab]*c', '[a-z]+@[a-z]+', '(a+)+$', '(a|a)*b', '(.*)*x', '(a|aa)+$', '(a?)+b'],
  ...['(x+x+)+y', '([a-z]+)*!', '^(([a-z])+.)+[A-Z]([a-z])+$', '.*.*.*x', '\\s*\\s*$', '\\w+\\d+$'],
];

it.each(SLOW)('%s: two looks at each character of a long text', (source) => {
  expect(isSlow(source)).toBe(true);
  for (const piece of ['a', 'ab', 'x', ' ', '0', 'é']) {
    const text = `${piece.repeat(50_000)}\n`;
    expect(looksOf(source, text)).toBeLessThanOrEqual(2 * text.length);
  }
});

it('random patterns that would be slow are matched in one pass, too', () => {
  const random = Random.fromEnvironment();
  let slow = 0;
  for (let turn = 0; turn < 200; turn++) {
    const source = randomPattern(random, 1);
    if (isSlow(source)) slow++;
    const text = randomText(random).repeat(100) + randomText(random);
    const words = `seed ${random.seed}: ${JSON.stringify(source)}`;
    expect(looksOf(source, text), words).toBeLessThanOrEqual(2 * text.length);
  }
  expect(slow).toBeGreaterThan(10);
});

it.each([
  ...['^[A-Z]{2}$', '^[a-z0-9]+(-[a-z0-9]+)*$', '^\\d{4}-\\d{2}-\\d{2}$', '^(?:GET|PUT|POST)$', ''],
  ...['^[^@\\s]+@[^@\\s]+$', '(?:a+b)+', '^https?://', '^\\p{L}+$', '^(\\d{1,3}\\.){3}\\d{1,3}$'],
  ...['^https?://[^/]+/[^?]*(\\?.*)?$', '^.{1,4000}$', '[a-z]{1,300}@', '^(?:[a-z]{1,50}@){1,20}$'],
  ...['^(?<year>\\d{4})(-\\d\\d)?$', '\\b[a-z]+\\b', '(?:a|b)*a(?:a|b){9}c'],
])('%s has a table', (source) => {
  expect(compileIfSmall(source)).toBeDefined();
});

it.each([
  ['look-ahead', '(?=a)b', /such as \(\?=a\)/],
  ['look-behind', '(?<!a)b', /such as \(\?<!a\)/],
  ['a back-reference', '(a)\\1', /such as \\1/],
  ['a named back-reference', '(?<one>a)\\k<one>', /such as \\k<one>/],
  ['states beyond memory', '(?:a|b)*a(?:a|b){40}c', /too many possible matches/],
  ['a long repetition that begins anywhere', '[a-z]{1,4000}@', /too many possible matches/],
  [
    'repetitions of repetitions',
    '(?:(?:a{1,999}){1,999}){1,999}',
    /repetitions .* are together too large/,
  ],
  [
    'repetitions of nothing',
    '(?:(?:(?:){9999}){9999}){9999}',
    /repetitions .* are together too large/,
  ],
])('refuses %s', (_name, source, why) => {
  expect(() => compilePattern(source)).toThrow(why);
  expect(() => compilePattern(source)).toThrow(expect.objectContaining({ kind: 'unsafe' }));
});

it.each(['(', '[a-', 'a{2,1}', '\\p{Nothing}', '(?i:a)', '\\-a]', '{'])('refuses %s', (source) => {
  expect(() => compilePattern(source)).toThrow(expect.objectContaining({ kind: 'invalid' }));
});
