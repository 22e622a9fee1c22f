import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Place, replaceTexts, textsAt } from '../../src/capability/places.js';
import { replaceSteps, textSteps } from '../../src/capability/replace-steps.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import type { JsonValue } from '../../src/protocol/json.js';
import { finish } from '../../src/runtime/slices.js';

const NAMES = ['a', '#a', '0', '__proto__', 'toString'];

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    // 7 stands for a number that no double holds.
    fc.constantFrom(null, 0, 7, true, '', 'a', '#a', '#b'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3 }),
  ),
})).value;

const except = fc.option(fc.subarray(NAMES), { nil: undefined });
const inner = fc.oneof(
  fc.constantFrom(...NAMES).map((member) => ({ member })),
  fc.constant({ each: 'item' } as const),
  except.map((names) => ({ each: 'value', ...(names && { except: names }) }) as const),
);
const keys = except.map((names) => ({ each: 'key', ...(names && { except: names }) }) as const);
const place: fc.Arbitrary<Place> = fc
  .tuple(fc.array(inner, { maxLength: 3 }), fc.option(keys))
  .map(([steps, last]) => (last === null ? steps : [...steps, last]));

const replace = (text: string) => (text.startsWith('#') ? text.slice(1) : text);
const parse = (drawn: unknown) =>
  parseIJson(Buffer.from(JSON.stringify(drawn).replaceAll('7', '1e400')));

describe('replaceSteps', () => {
  it('replaces what replaceTexts replaces, and shares the rest', () => {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 2 }), json, (places, drawn) => {
        const value = parse(drawn);
        const expected = replaceTexts(places, value, replace);
        const replaced = finish(replaceSteps(places, value, replace));
        expect(replaced).toStrictEqual(expected);
        // The order of members too.
        expect(JSON.stringify(replaced)).toBe(JSON.stringify(expected));
        expect(replaced === value).toBe(expected === value);
        expect(value).toStrictEqual(parse(drawn));
      }),
      { numRuns: 2000 },
    );
  });

  it('has textSteps find what textsAt finds', () => {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 2 }), json, (places, drawn) => {
        const value = parse(drawn);
        expect([...finish(textSteps(places, value))]).toEqual([...textsAt(places, value)]);
      }),
      { numRuns: 1000 },
    );
  });

  const many = (text: (n: number) => string) => Array.from({ length: 99_999 }, (_, n) => text(n));

  it.each<[string, Place, string]>([
    ['items', [{ each: 'item' }], `[${many(() => '"#a"')}]`],
    ['items with members', [{ each: 'item' }, { member: 'a' }], `[${many(() => '{"a":"#a"}')}]`],
    ['members', [{ each: 'value' }], `{${many((n) => `"m${n}":"#a"`)}}`],
    ['names', [{ each: 'key' }], `{${many((n) => `"#${n}":true`)}}`],
  ])('pauses within many %s', (_, steps, text) => {
    const value: JsonValue = parseIJson(Buffer.from(text));
    expect([...replaceSteps([steps], value, replace)].length).toBeGreaterThan(20);
  });
});
