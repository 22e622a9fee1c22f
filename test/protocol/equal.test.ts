import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalSteps, jsonEqual } from '../../src/protocol/equal.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import { emptyObject, type JsonValue } from '../../src/protocol/json.js';
import { finish } from '../../src/runtime/paused-work.js';

const parse = (text: string) => parseIJson(Buffer.from(text));

describe('jsonEqual', () => {
  it.each([
    ['null', 'null'],
    ['{"a":1,"b":[1,{"c":null}]}', '{"b":[1,{"c":null}],"a":1}'],
    ['1', '1.0'],
    ['0', '-0'],
    ['{}', '{}'],
    ['[]', '[]'],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
    ['1e400', '1e400'],
    ['"é"', '"\\u00e9"'],
  ])('%s equals %s', (a, b) => {
    expect(jsonEqual(parse(a), parse(b))).toBe(true);
  });

  it('follows values as deep as a request may nest them', () => {
    const deep = (text: string) => parse(`${'[{"a":'.repeat(1249)}${text}${'}]'.repeat(1249)}`);
    expect(jsonEqual(deep('1'), deep('1'))).toBe(true);
    expect(jsonEqual(deep('1'), deep('2'))).toBe(false);
  });

  it.each([
    ['null', 'false'],
    ['null', '{}'],
    ['[]', '{}'],
    ['0', '""'],
    ['1', '"1"'],
    ['[1,2]', '[2,1]'],
    ['[1]', '[1,null]'],
    ['{"a":null}', '{}'],
    ['{"a":null}', '{"b":null}'],
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['{"__proto__":{}}', '{}'],
    ['{"toString":1}', '{"constructor":1}'],
    ['1e400', '1e401'],
    ['9007199254740993', '9007199254740992'],
    ['1e400', '{}'],
    ['"é"', '"e\\u0301"'],
  ])('%s differs from %s', (a, b) => {
    expect(jsonEqual(parse(a), parse(b))).toBe(false);
    expect(jsonEqual(parse(b), parse(a))).toBe(false);
  });

  it('does not see prototypes', () => {
    expect(jsonEqual(Object.assign(emptyObject(), { a: 1 }), { a: 1 })).toBe(true);
  });

  it('is true for a copy and false for a change anywhere', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(jsonEqual(JSON.parse(text), JSON.parse(text))).toBe(true);
        expect(jsonEqual(JSON.parse(`[${text}]`), JSON.parse(`[${text},0]`))).toBe(false);
        expect(jsonEqual(JSON.parse(text), JSON.parse(`{"x":${text}}`))).toBe(false);
      }),
    );
  });
});

describe('equalSteps', () => {
  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      // 7 stands for a number that no double holds.
      fc.constantFrom(null, 0, 7, '', 'a', true),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('a', '0', '__proto__', 'toString'), tie('value'), {
        maxKeys: 2,
      }),
    ),
  })).value;
  const value = (drawn: unknown) => parse(JSON.stringify(drawn).replaceAll('7', '1e400'));

  it('answers as jsonEqual does', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(finish(equalSteps(value(a), value(b)))).toBe(jsonEqual(value(a), value(b)));
        expect(finish(equalSteps(value(a), value(a)))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, () => JsonValue]>([
    ['items', () => Array.from({ length: 100_000 }, () => 1)],
    ['items of items', () => Array.from({ length: 1000 }, () => Array(100).fill(1))],
    ['members', () => parse(`{${Array.from({ length: 99_999 }, (_, n) => `"m${n}":0`)}}`)],
  ])('pauses within many %s', (_, many) => {
    expect([...equalSteps(many(), many())].length).toBeGreaterThan(20);
  });
});
