import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonEqual } from '../../src/protocol/equal.js';
import { parseIJson } from '../../src/protocol/ijson.js';
import { emptyObject } from '../../src/protocol/json.js';

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
