import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../../src/protocol/errors.js';
import { parseIJson, parseJson } from '../../src/protocol/ijson.js';
import {
  InexactNumber,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  writeNumbers,
} from '../../src/protocol/json.js';

const parse = (text: string): JsonValue => parseIJson(Buffer.from(text));

/** The same with 0 for -0. */
function positive(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function refused(octets: string | Uint8Array): RequestError {
  try {
    parseIJson(typeof octets === 'string' ? Buffer.from(octets) : octets);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error(`Not refused: ${octets}`);
}

describe('RFC 8620 1.5: I-JSON that is taken', () => {
  it.each([
    'null',
    'true',
    '0',
    '"x"',
    '[]',
    '{}',
    ' \t\r\n{"a" : [1, -2.5e3, "\\u00e9\\n\\"", {"a": null}] } \n',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}}}',
    '{"":1," ":2}',
    '{"a":":{\\"a\\":1}","b":"[,]"}',
    '"é 😀 \\u0000"',
    '["\\ud83d\\ude00","\\uFDCF","\\uFFFD"]',
    '["\\\\ud800"]',
    '["äFDCFï·ï¿"]',
  ])('%s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it('parses any value without duplicates as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'medium' }), fc.nat(2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        // As text: a number that no double holds exactly is written as it came, and -0 as 0.
        expect(JSON.parse(writeNumbers(JSON.stringify(parse(text))))).toEqual(
          positive(JSON.parse(text)),
        );
      }),
    );
  });

  it('reads the octets of a view, not those of its buffer', () => {
    const buffer = Buffer.from('xx[1]xx');
    expect(parseIJson(new Uint8Array(buffer.buffer, buffer.byteOffset + 2, 3))).toEqual([1]);
  });
});

describe('RFC 8620 3.6.1: notJSON', () => {
  it.each([
    ['an empty body', ''],
    ['white space', '  \n'],
    ['a second value', '{} x'],
    ['a second object', '{}{}'],
    ['a trailing comma', '[1,]'],
    ['single quotes', "{'a':1}"],
    ['a comment', '{}//x'],
    ['NaN', '[NaN]'],
    ['Infinity', '[-Infinity]'],
    ['a leading zero', '[01]'],
    ['a leading plus', '[+1]'],
    ['a bare point', '[1.]'],
    ['a half exponent', '[1e]'],
    ['two signs', '[1-2]'],
    ['an open string', '["a'],
    ['an open escape', '["\\'],
    ['an unknown escape', '["\\x"]'],
    ['a control character in a string', '["\n"]'],
    ['a form feed between tokens', '[\f]'],
    ['an open array', '[[[['],
    ['a stray bracket', ']'],
    ['no colon', '{"a"}'],
  ])('%s', (_, text) => {
    const error = refused(text);
    expect([error.type, error.status]).toEqual(['notJSON', 400]);
  });

  it.each([
    ['a byte-order mark', [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ['an overlong octet sequence', [0x22, 0xc0, 0xaf, 0x22]],
    ['a lone continuation octet', [0x22, 0x80, 0x22]],
    ['a cut sequence', [0x22, 0xe2, 0x82, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a code point beyond U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('%s', (_, octets) => {
    expect(refused(Uint8Array.from(octets)).type).toBe('notJSON');
  });

  it.each([
    ['a lone high surrogate', '["\\ud800"]'],
    ['a lone low surrogate', '["\\uDC00"]'],
    ['a pair in the wrong order', '["\\ude00\\ud83d"]'],
    ['a surrogate in a member name', '{"\\ud800":1}'],
    ['a surrogate deep inside', '{"a":[{"b":{"x\\udfff":[]}}]}'],
    ['a noncharacter', '["\uffff"]'],
    ['a noncharacter by escape', '["\\uFFFE"]'],
    ['a noncharacter of the BMP block', '["\ufdd0"]'],
    ['a noncharacter of a higher plane', '["\u{1fffe}"]'],
    ['one of those by escapes', '["\\ud83f\\udfff"]'],
    ['a noncharacter in a member name', '{"\u{10ffff}":1}'],
  ])('RFC 7493 2.1: %s', (_, text) => {
    expect(refused(text).type).toBe('notJSON');
  });

  it('finds each in well-formed text, however the body is cut', () => {
    const { message } = refused(`["${'😀'.repeat(30)}", x]`);
    expect(message).not.toMatch(/\p{Surrogate}/u);
    expect(message.length).toBeLessThan(300);
  });
});

describe('RFC 8620 1.5: duplicate members', () => {
  it.each([
    ['{"a":1,"a":1}', 'a', '/a'],
    ['{"a":1,"b":2,"\\u0061":3}', 'a', '/a'],
    ['[{"x":{"a":[1,{"b":2,"b":3}]}}]', 'b', '/0/x/a/1/b'],
    ['[[],[1,2],[{},{"k":1 , "k" : 2}]]', 'k', '/2/1/k'],
    ['{"a":{"a":1},"a":2}', 'a', '/a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__', '/__proto__'],
    ['{"":1,"":2}', '', '/'],
    ['{"1":1,"1":2}', '1', '/1'],
    ['{"a/b":{"~":1,"~":1}}', '~', '/a~1b/~0'],
    ['{"s":"}\\"{","s":1}', 's', '/s'],
  ])('%s', (text, name, path) => {
    const error = refused(text);
    expect(error.type).toBe('notJSON');
    expect(error.message).toContain(`"${name}" twice (${path})`);
  });

  it('are found wherever one is put into any value', () => {
    const value = fc.jsonValue({ stringUnit: 'grapheme-ascii' });
    fc.assert(
      fc.property(value, fc.string({ unit: 'grapheme-ascii' }), value, (outer, name, inner) => {
        const member = `${JSON.stringify(name)}:${JSON.stringify(inner)}`;
        const twice = `{"y":0,${member},"z":[],${member}}`.replace(/^\{"y":0,"y"/, '{"y"');
        expect(refused(`[${JSON.stringify(outer)},{"w":${twice}}]`).type).toBe('notJSON');
      }),
    );
  });

  it('does not name a long member whole', () => {
    const name = 'n'.repeat(100_000);
    expect(refused(`{"${name}":1,"${name}":2}`).message.length).toBeLessThan(500);
  });
});

describe('names of Object.prototype', () => {
  it('are own members of parsed objects', () => {
    const value = parse('{"__proto__":{"x":1},"constructor":2,"toString":3}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('stay own members if numbers are replaced', () => {
    const value = parse('{"__proto__":1e400,"a":{"__proto__":{"b":1e400}}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    const own = Object.getOwnPropertyDescriptor(value, '__proto__')?.value;
    expect(own).toBeInstanceOf(InexactNumber);
  });
});

describe('numbers are never rounded to an integer in silence', () => {
  it.each([
    '1e400',
    '-1e400',
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '4.99999999999999999999',
    '5.00000000000000000001',
    '0.99999999999999999999',
    '1e-400',
    '-1e-400',
    '1e23',
    '123456789012345678901234567890',
    `1${'0'.repeat(400)}`,
    '0.1e-999999999999999999999',
    '9e999999999999999999999',
    '9007199254740992.5',
  ])('%s stays apart', (text) => {
    const value = parse(`[{"a":${text}}]`) as unknown as [{ a: InexactNumber }];
    expect(value[0].a).toBeInstanceOf(InexactNumber);
    expect(value[0].a.source).toBe(text);
    expect(value[0].a.value).toBe(Number(text));
    expect(parse(text)).toBeInstanceOf(InexactNumber);
  });

  it.each([
    '9007199254740991',
    '9007199254740992',
    '-9007199254740991',
    '9007199254740994',
    '1e2',
    '1E+2',
    '5.0',
    '5.000000000000000000000000000',
    '500000000000000000e-17',
    '1e21',
    '1e22',
    '0.1',
    '0.30000000000000004',
    '3.141592653589793238462643383279',
    '1.7976931348623157',
    '1000000000000000000000',
    `0.${'0'.repeat(500)}1e501`,
    '0e999999999999999999999',
    '0.000000000000000000000',
    '2.5e-5',
  ])('%s is a plain number', (text) => {
    expect(parse(text)).toBe(JSON.parse(text));
    expect(parse(`{"a":[${text}]}`)).toEqual(JSON.parse(`{"a":[${text}]}`));
  });

  it('takes -0 for 0', () => {
    for (const text of ['-0', '-0.0', '-0e5', '-0.000000000000000000000']) {
      expect(Object.is(parse(text), 0), text).toBe(true);
      const tree = parse(`{"a":[${text},-0.5,"-0"]}`);
      expect(tree).toEqual({ a: [0, -0.5, '-0'] });
    }
  });

  it('keeps everything else of a body that holds such a number', () => {
    const value = parse('{"é":[1e400,"\\u0000😀",null,true,-0],"b":{"1":4.99999999999999999999}}');
    expect(writeNumbers(JSON.stringify(value))).toBe(
      '{"é":[1e400,"\\u0000😀",null,true,0],"b":{"1":4.99999999999999999999}}',
    );
    const [first] = (value as unknown as { é: [InexactNumber] }).é;
    expect(first.source).toBe('1e400');
  });

  it('is written as it came, and no text of a client is taken for one', () => {
    for (const text of [
      '[1e400,-9007199254740993,4.99999999999999999999]',
      '["\\\\udc001e400","\\"\\\\udc001","udc001",1e999]',
      '{"\\\\udc001e400":9007199254740993}',
    ]) {
      expect(writeNumbers(JSON.stringify(parse(text)))).toBe(text);
    }
  });

  it('looks at numbers, not at digits in strings', () => {
    expect(parse('{"9007199254740993":"1e400"}')).toEqual({ '9007199254740993': '1e400' });
  });

  it('can not be faked by a client', () => {
    expect(refused('["\\uDC000",1e400]').type).toBe('notJSON');
    const value = parse('[{"value":1,"source":"1e400"},"0",1e400]') as readonly JsonValue[];
    expect(value[0]).not.toBeInstanceOf(InexactNumber);
    expect(value[1]).toBe('0');
  });

  it('is no object to other code', () => {
    const value = parse('1e400');
    expect(isJsonObject(value)).toBe(false);
    expect(Object.keys(value as object)).toEqual([]);
  });

  it('agrees with exact arithmetic', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0019'), minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        digits,
        digits,
        fc.integer({ min: -25, max: 25 }),
        (whole, fraction, exponent) => {
          const text = `${BigInt(whole)}.${fraction}e${exponent}`;
          const double = Number(text);
          // Both sides times ten to the 60th, so that all are integers.
          const power = 10n ** BigInt(60 + exponent - fraction.length);
          const exact = BigInt(`${BigInt(whole)}${fraction}`) * power;
          const isRounded = Number.isInteger(double) && BigInt(double) * 10n ** 60n !== exact;
          expect(parse(text) instanceof InexactNumber).toBe(isRounded);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the depth of a request', () => {
  it('is limited exactly', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => parse(nested(2500))).not.toThrow();
    const error = refused(nested(2501));
    expect([error.type, error.limit]).toEqual(['limit', 'maxDepthInRequest']);
  });

  it('counts objects as arrays, and only those that are open', () => {
    const within = (text: string) => `${'[{"a":'.repeat(1249)}${text}${'}]'.repeat(1249)}`;
    expect(() => parse(within('{"a":[]}'))).not.toThrow();
    expect(refused(within('{"a":[{}]}')).type).toBe('limit');
    expect(() => parse(within(`[${'[],{},'.repeat(1000)}[]]`))).not.toThrow();
    expect(() => parse(`["${'['.repeat(5000)}"]`)).not.toThrow();
  });

  it('refuses ten megabytes of brackets before anything recurses', () => {
    expect(refused('['.repeat(10_000_000)).type).toBe('limit');
    expect(refused('{"a":'.repeat(2_000_000)).type).toBe('limit');
  });
});

describe('RFC 8620 8.5: bodies that would take long', () => {
  it('more than ten thousand numbers that no double holds are refused, so many pass', () => {
    const numbers = (count: number): string => `[${Array(count).fill('1e400').join(',')}]`;
    expect(parse(numbers(10_000))).toHaveLength(10_000);
    const error = refused(numbers(10_001));
    expect([error.type, error.limit]).toEqual(['limit', 'maxInexactNumbersInRequest']);
  });

  it.each(['1e22', '-3e22', '12345e15', '100000000000000000000000e-1'])('%s is exact', (text) => {
    expect(parse(text)).toBe(Number(text));
  });

  it.each(['1e23', '9e307', '1e308', '123456789012345678e5'])('%s is not exact', (text) => {
    expect(parse(text)).toBeInstanceOf(InexactNumber);
  });
});

describe('a JSON text of our own', () => {
  // On Node 24 and 26 JSON.parse reads the second name as the first one (parseJson).
  it.each(['"', '\n', '\u0001', '/'])('has the name %j, whatever was read before', (name) => {
    const first = `before ${name.charCodeAt(0)}`;
    parseJson(`{"${first}":1,"\\\\":0}`);
    const text = `["a \\"b\\"",{"${first}":1,${JSON.stringify(name)} :2}]`;
    const [, object] = parseJson(text) as [string, JsonObject];
    expect(Object.keys(object)).toEqual([first, name]);
  });

  it('is what JSON.parse reads', () => {
    const keys = fc.string({ unit: fc.constantFrom('a', '"', '\\', ':', '\n', ' ', 'é') });
    const values = fc.object({ key: keys, values: [keys, fc.integer(), fc.constant(null)] });
    fc.assert(
      fc.property(values, fc.nat(2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.stringify(parseJson(text), null, indent)).toBe(text);
      }),
    );
  });
});
