import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BranchStep,
  keyOnPath,
  type Place,
  placeText,
  replaceSteps,
  textSteps,
} from '../../src/capability/places.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import {
  emptyObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../src/protocol/json.js';
import { finish } from '../../src/runtime/paused-work.js';

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
const tags = fc.subarray(['a', '#a', 'x', null]);
const branch = fc
  .tuple(fc.constantFrom(...NAMES), tags, fc.boolean())
  .map(([name, of, others]) => ({ branch: name, of, ...(others && { others }) }) as BranchStep);
const inner = fc.oneof(
  branch,
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

/** Whether an object is of the branch: it has one of the values there, or none. */
function isIn({ branch: name, of, others }: BranchStep, object: JsonObject): boolean {
  if (!Object.hasOwn(object, name)) return others ? !of.includes(null) : of.includes(null);
  const tag = object[name];
  return typeof tag === 'string' && (others ? !of.includes(tag) : of.includes(tag));
}

/** Replaces the values at a place, as shortly as it can be said. */
function replaced([step, ...rest]: Place, value: JsonValue): JsonValue {
  if (step === undefined) return typeof value === 'string' ? replace(value) : value;
  if ('each' in step && step.each === 'item')
    return Array.isArray(value) ? value.map((item) => replaced(rest, item)) : value;
  if (!isJsonObject(value)) return value;
  if ('branch' in step) return isIn(step, value) ? replaced(rest, value) : value;
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
    } else if (isJsonObject(inner) && 'branch' in step) {
      if (isIn(step, inner)) note(rest, inner);
    } else if (isJsonObject(inner) && !('branch' in step)) {
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

describe('a place within a branch of a union', () => {
  const home: BranchStep = { branch: '@type', of: ['Home'] };
  const other: BranchStep = { branch: '@type', of: ['Home', null], others: true };

  it.each<[string, Place]>([
    ['a/@type=Home/b', [{ member: 'a' }, home, { member: 'b' }]],
    ['*/@type!=Home|/keys', [{ each: 'value' }, other, { each: 'key' }]],
    ['~@type=Home/b', [{ member: '@type=Home' }, { member: 'b' }]],
  ])('is told as %s', (text, steps) => {
    expect(placeText(steps)).toBe(text);
  });

  it.each<[string, BranchStep, JsonValue | undefined, number]>([
    ['of that value', home, 'Home', 1],
    ['of another value', home, 'Work', -1],
    ['without the member', home, undefined, -1],
    ['of all other values', other, 'Work', 1],
    ['of all other values, without the member', other, undefined, -1],
    ['of a number', other, 5, -1],
  ])('has names on the path of a patch: %s', (_, step, tag, at) => {
    const steps: Place = [{ member: 'a' }, step, { each: 'key' }];
    const found = keyOnPath(steps, ['a', 'x'], (tokens, name) => {
      expect([tokens, name]).toEqual([['a'], '@type']);
      return tag;
    });
    expect(found).toBe(at);
  });
});
