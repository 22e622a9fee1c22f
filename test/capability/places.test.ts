import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Place, replaceSteps, textSteps } from '../../src/capability/places.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import { emptyObject, isJsonObject, type JsonValue } from '../../src/protocol/json.js';
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

/** Replaces the values at a place, as shortly as it can be said. */
function replaced([step, ...rest]: Place, value: JsonValue): JsonValue {
  if (step === undefined) return typeof value === 'string' ? replace(value) : value;
  if ('each' in step && step.each === 'item')
    return Array.isArray(value) ? value.map((item) => replaced(rest, item)) : value;
  if (!isJsonObject(value)) return value;
  const copy = emptyObject();
  for (const [name, member] of Object.entries(value)) {
    const isMeant = 'member' in step ? step.member === name : step.except?.includes(name) !== true;
    const isName = isMeant && 'each' in step && step.each === 'key';
    copy[isName ? replace(name) : name] = isMeant && !isName ? replaced(rest, member) : member;
  }
  return copy;
}

/** The texts that a function puts others in the place of. */
function textsOf(places: readonly Place[], value: JsonValue): ReadonlySet<string> {
  const texts = new Set<string>();
  const note = ([step, ...rest]: Place, inner: JsonValue): void => {
    if (step === undefined) {
      if (typeof inner === 'string') texts.add(inner);
    } else if ('each' in step && step.each === 'item') {
      if (Array.isArray(inner)) for (const item of inner) note(rest, item);
    } else if (isJsonObject(inner)) {
      for (const [name, member] of Object.entries(inner)) {
        if ('member' in step ? step.member !== name : step.except?.includes(name)) continue;
        if ('each' in step && step.each === 'key') texts.add(name);
        else note(rest, member);
      }
    }
  };
  for (const place of places) note(place, value);
  return texts;
}

describe('replaceSteps', () => {
  it('replaces the texts at the places, and shares the rest', () => {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 2 }), json, (places, drawn) => {
        const value = parse(drawn);
        const expected = places.reduce((now, each) => replaced(each, now), value);
        const found = finish(replaceSteps(places, value, replace));
        expect(found).toEqual(expected);
        // The order of members too.
        expect(JSON.stringify(found)).toBe(JSON.stringify(expected));
        expect(found === value).toBe(JSON.stringify(expected) === JSON.stringify(value));
        expect(value).toStrictEqual(parse(drawn));
      }),
      { numRuns: 2000 },
    );
  });

  it('has textSteps find the texts at the places', () => {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 2 }), json, (places, drawn) => {
        const value = parse(drawn);
        expect(new Set(finish(textSteps(places, value)))).toEqual(textsOf(places, value));
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
