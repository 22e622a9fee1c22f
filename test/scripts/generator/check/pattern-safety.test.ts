import { describe, expect, it } from 'vitest';
import { whyUnsafe } from '../../../../scripts/generator/check/pattern-safety.js';

const BAD = [
  ...['(a+)+$', '(a|a)*', '(.*)*x', '(a|aa)+$', '(a*)*', '(a?)+', '([a-z]+)*!', '(\\w|\\d)+$'],
  ...['(?:a+b?)+$', '(x+x+)+y', '((a|b)|[bc])*', '(a{1,})+', '^(([a-z])+.)+[A-Z]([a-z])+$'],
  ...['(?<word>[a-z]+)*$', '(\\u0061|a)+', '(\\x61|a)+', '(a|[^b])+$', '((a{0,5}){0,50})x'],
  ...['(a)\\1*', '(?=a+)b', '.*.*.*x', '(\\p{L}|a)+$', '(?:a|b|ab)*c', '(a+){20,40}$'],
  ...['(?:\\s*\\s)+$', '(a{0,5}){16}x', 'a?'.repeat(30), 'a?'.repeat(20) + 'a'.repeat(20)],
  ...['(a(?:b|c)?b?)+$', '(?:\\u{61}|a)*$'],
];
const GOOD = [
  ...['^[A-Z]{2}$', '^[a-z0-9]+(-[a-z0-9]+)*$', '^\\d{4}-\\d{2}-\\d{2}$', '^(?:GET|PUT|POST)$'],
  ...['^#[0-9a-f]{6}$', '^[^@\\s]+@[^@\\s]+$', '(a|b)*', '(?:ab)+', '^[a-z]+(\\.[a-z]+)*$'],
  ...['', 'a', '^https?://', '^\\p{L}+$', '^(\\d{1,3}\\.){3}\\d{1,3}$', '^[\\w-]{1,63}$', '.*x'],
  ...['^\\+?[0-9 ]{5,20}$', '^[\\]a-]+$', '^\\{\\}$', '(?:a+b)+'],
  ...['^https?://[^/]+/[^?]*(\\?.*)?$', '^\\d{4}(-\\d{1,2})?(-\\d{1,2})?$', '^a*b*c*d*e*$'],
];

describe('a pattern that a text could make run for ever is refused', () => {
  it.each(BAD)('%s', (source) => {
    expect(() => new RegExp(source, 'u')).not.toThrow();
    expect(whyUnsafe(source)).toBeTypeOf('string');
  });
});

describe('a pattern that matches each text in one way passes', () => {
  it.each(GOOD)('%s', (source) => {
    expect(() => new RegExp(source, 'u')).not.toThrow();
    expect(whyUnsafe(source)).toBeUndefined();
  });
});
