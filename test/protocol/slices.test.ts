import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { RequestError } from '../../src/protocol/errors.js';
import {
  isLongText,
  JsonReader,
  parseIJson,
  parseIJsonInSlices,
  parseJsonInSlices,
} from '../../src/protocol/ijson.js';
import { writeNumbers } from '../../src/protocol/json.js';
import { stringifyInSlices as writeInSlices } from '../../src/protocol/stringify-slices.js';
import { finish } from '../../src/runtime/paused-work.js';
import type { Slices } from '../../src/runtime/slices.js';
import { conductor } from '../support/conductor.js';

/** Each slice is over at once; counts them. */
function shortest(): Slices & { count: number } {
  return {
    count: 0,
    isOver: () => true,
    async next() {
      this.count += 1;
    },
  };
}

/**
 * The whole text of what is written in slices; its octets are counted right, and its pieces end
 * behind characters.
 */
async function stringifyInSlices(
  ...written: Parameters<typeof writeInSlices>
): Promise<string | null> {
  const result = await writeInSlices(...written);
  if (result === null) return null;
  const text = result.pieces.join('');
  expect(result.octets).toBe(Buffer.byteLength(text));
  return text;
}

/**
 * Returns the value that a reader makes of a text, with a pause behind so many characters, as text;
 * null where it refuses.
 */
function read(text: string, isStrict: boolean, stride?: number): string | null {
  try {
    // -0 and 0 differ here, and InexactNumber is the number that was written.
    const value = finish(new JsonReader(text, isStrict).read(stride));
    return writeNumbers(JSON.stringify(value, (_, v) => (Object.is(v, -0) ? '-0' : v)));
  } catch (error) {
    if (error instanceof RequestError || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The same by the native parser. */
function readNatively(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text), (_, v) => (Object.is(v, -0) ? '-0' : v));
  } catch {
    return null;
  }
}

/** All texts that are I-JSON are read as by the native parser, and what it refuses is refused. */
function expectSame(text: string, stride: number): void {
  const native = readNatively(text);
  expect(read(text, false, stride)).toBe(native);
  const strict = read(text, true, stride);
  if (native === null) expect(strict).toBeNull();
  else if (strict !== null) expect(readNatively(strict)).toBe(native.replaceAll('"-0"', '0'));
}

const atom = fc.constantFrom(
  ...['0', '-0', '1', '-1.5', '1e3', '9007199254740993', '1e400', '0.1', 'true', 'null', '""'],
  ...['"a"', '"é𝄞"', '"\\\\"', '"x\\"]}"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\uffff"', '"[,"'],
);
const name = fc.constantFrom(
  '"a"',
  '"b"',
  '"\\u0061"',
  '"__proto__"',
  '"1"',
  '"10"',
  '"é"',
  '"~/"',
);
const space = fc.constantFrom('', '', '', ' ', '\n\t');

const { text: json } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    atom,
    fc
      .array(fc.tuple(space, tie('text'), space), { maxLength: 6 })
      .map((items) => `[${items.map((item) => item.join('')).join(',')}]`),
    fc
      .array(fc.tuple(name, space, tie('text')), { maxLength: 6 })
      .map((members) => `{${members.map(([n, s, v]) => `${n}${s}:${s}${v}`).join(',')}}`),
  ),
}));

describe('a text is read with pauses', () => {
  it('with the native parser’s result, wherever they are', () => {
    fc.assert(fc.property(json, fc.integer({ min: 1, max: 40 }), expectSame), { numRuns: 300 });
  });

  it('and refused as by the native parser if it is no JSON', () => {
    const marks = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', '1', ' ', 'n', '\\', '-', '');
    const change = fc.tuple(fc.nat(), fc.boolean(), marks);
    const changes = fc.array(change, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(json, changes, fc.integer({ min: 1, max: 20 }), (text, all, stride) => {
        let changed = text;
        for (const [where, over, mark] of all) {
          const at = where % (changed.length + 1);
          changed = changed.slice(0, at) + mark + changed.slice(at + (over ? 1 : 0));
        }
        expectSame(changed, stride);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    '{"__proto__":{"__proto__":[1,{"__proto__":null}]},"b":{"constructor":1},"a":1}',
    '{"a":1,"b":[{},{},{}],"\\u0061":2}',
    '[{"__proto__":1,"x":[],"__proto__":2}]',
    '[-0.5,0,1e4,0.1,1E+2,5e-1]',
    '["\\ud83d\\ude00","\\uFFFE"]',
    '{"\\udfff":[1,2]}',
    '[1,[2,[3,[4,[5,[6]]]]]]',
    '{"a":{"b":{"c":{"d":1},"f":2},"g":3},"h":4}',
    ...['[1,,2]', '[,1]', '{"a":1,}', '[[1,2],]', '[[1,2] 3]', '[[1,2]{}]', '{"a":[1]"b":3}'],
    ...['[1,2]]', '{"a":1]', '[[1]', '[1],[2]', '{"a" [1]}', '{[1]:2}', '{"a":"b" [1]}', '[1 2]'],
    ...['-', '[-]', '01', '1.', '.1', '1e', '+1', '0x1', 'nul', 'nulll', 'True', '"\\u12"', '"a'],
  ])('%s', (text) => {
    for (let stride = 1; stride < 14; stride += 1) expectSame(text, stride);
  });

  it.each([
    ['items', `[${Array.from({ length: 60_000 }, () => '[1,{"a":2}]').join(',')}]`],
    ['members', `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":[1]`).join(',')}}`],
    ['nested on the right', `${`["${'0'.repeat(200)}",`.repeat(2000)}1${']'.repeat(2000)}`],
    ['nested', `${'[['.repeat(1000)}${'7,'.repeat(200_000)}7${']]'.repeat(1000)}`],
    [
      'of other characters than ASCII',
      `[${Array.from({ length: 500_000 }, () => '"é😀"').join()}]`,
    ],
  ])('of which it has enough: %s', async (_, text) => {
    const slices = shortest();
    expect(text).toEqual(JSON.stringify(await parseJsonInSlices(text, slices)));
    expect(slices.count).toBeGreaterThanOrEqual(Math.floor(text.length / 131_072));
  });

  it('a long one of a client is what it is at once', async () => {
    const text = `[${Array.from({ length: 400_000 }, (_, n) => `"é😀${n}",1e400`).join()}]`;
    const few = text.replace(/1e400/g, (all, at: number) => (at < 100_000 ? all : '-0'));
    const slices = shortest();
    const value = await parseIJsonInSlices(Buffer.from(few), slices);
    expect(writeNumbers(JSON.stringify(value))).toBe(few.replaceAll('-0', '0'));
    expect(slices.count).toBeGreaterThan(few.length / 131_072);
  });

  it('a noncharacter is found wherever a long text is decoded', async () => {
    const around = (length: number): string => 'é'.repeat(length);
    for (const at of [0, 524_286, 524_287, 524_288, 700_000]) {
      const octets = Buffer.from(`"${around(at)}\u{1fffe}${around(700_000 - at)}"`);
      await expect(parseIJsonInSlices(octets, shortest())).rejects.toThrow('noncharacter');
    }
  });

  it('a noncharacter is found in a short text whose values take long, too', async () => {
    const slices = shortest();
    const text = `[${Array.from({ length: 60_000 }, () => '1.0').join()}]`;
    expect(isLongText(text.length)).toBe(false);
    expect(await parseIJsonInSlices(Buffer.from(text), slices)).toHaveLength(60_000);
    expect(slices.count).toBe(Math.floor(text.length / 65_536));
  });

  it('ends if a slice is refused', async () => {
    const octets = Buffer.from(`[${'1,'.repeat(300_000)}1]`);
    expect(isLongText(octets.length)).toBe(true);
    let left = 3;
    const slices: Slices = {
      isOver: () => true,
      async next() {
        left -= 1;
        if (left === 0) throw new Error('gone');
      },
    };
    await expect(parseIJsonInSlices(octets, slices)).rejects.toThrow('gone');
    expect(left).toBe(0);
  });

  it('a name that an object has twice is reported with its place', () => {
    const members = Array.from({ length: 100 }, (_, n) => `"k${n}":{"x":[]}`);
    const text = `{"a":[0,{${[...members, '"k3":1'].join(',')}}]}`;
    expect(() => parseIJson(Buffer.from(text))).toThrow(
      'The request is not I-JSON: An object has the member "k3" twice (/a/1/k3).',
    );
  });

  it('arrays of one item take no more memory than those of the native parser', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const text = `[${Array.from({ length: 200_000 }, () => '[[1]]').join()}]`;
    const octets = Buffer.from(text);
    const grows = (make: () => unknown): number => {
      collect();
      const before = process.memoryUsage().heapUsed;
      const value = make();
      collect();
      const grown = process.memoryUsage().heapUsed - before;
      // Alive until here.
      expect(value).toHaveLength(200_000);
      return grown;
    };
    const native = grows(() => JSON.parse(text));
    expect(grows(() => parseIJson(octets))).toBeLessThan(1.5 * native);
  });

  it('refuses an object of more members than can be listed in a moment', async () => {
    const read = (members: number): Promise<unknown> => {
      const names = Array.from({ length: members }, (_, n) => `"k${n}":{}`);
      const text = Buffer.from(`{"a":{${names.join()}}}`);
      return parseIJsonInSlices(text, shortest()).then(
        () => null,
        (error: unknown) => error,
      );
    };
    expect(await read(100_000)).toBeNull();
    expect(await read(100_001)).toMatchObject({ type: 'limit', limit: 'maxMembersInObject' });
  });
});

describe('a long text of the database is read in slices', () => {
  it('as JSON.parse reads it', () => {
    const value = fc.jsonValue({ depthSize: 'medium', stringUnit: 'binary' });
    const own = fc.constantFrom('{"__proto__":[1,{"2":1,"1":[]}],"b":-0.5}', '1e400', '[[[]],{}]');
    const texts = fc.oneof(
      value.map((each) => JSON.stringify(each)),
      own,
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 20 }), (text, stride) => {
        const value = finish(new JsonReader(text, false).read(stride));
        expect(value).toEqual(JSON.parse(text));
        expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 300 },
    );
  });

  it('without a step that takes long', async () => {
    const value = { list: Array.from({ length: 100_000 }, (_, n) => ({ n, b: 'text' })) };
    const text = JSON.stringify(value);
    const parse = vi.spyOn(JSON, 'parse');
    const slices = shortest();
    const read = await parseJsonInSlices(text, slices);
    const longest = Math.max(...parse.mock.calls.map(([each]) => each.length));
    parse.mockRestore();
    expect(read).toEqual(value);
    expect(longest).toBeLessThan(200_000);
    expect(slices.count).toBeGreaterThan(text.length / 200_000);
  });
});

describe('a long value is written in slices', () => {
  it('as JSON.stringify writes it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ depthSize: 'medium' }), fc.nat(20), async (value, weight) => {
        const text = await stringifyInSlices(value, shortest(), 1e9, weight);
        expect(text).toBe(JSON.stringify(value));
      }),
      { numRuns: 300 },
    );
  });

  it('a long text in pieces, none of which ends within a character', async () => {
    const pair = fc.constantFrom('😀', 'é', '"', '\\', '\\udc001', 'a', '\n', '\u2028');
    const texts = fc.array(pair, { maxLength: 400 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 4 }), async (text, weight) => {
        const slices = shortest();
        const value = { a: [text, 1], b: text };
        expect(await stringifyInSlices(value, slices, 1e9, weight)).toBe(JSON.stringify(value));
        expect(slices.count).toBeGreaterThanOrEqual(text.length / (16 * weight));
      }),
      { numRuns: 200 },
    );
    const long = 'x'.repeat(2_000_000);
    const stringify = vi.spyOn(JSON, 'stringify');
    try {
      expect(await stringifyInSlices(long, shortest(), 1e9)).toHaveLength(2_000_002);
      const written = stringify.mock.results.map(({ value }) => (value as string).length);
      expect(Math.max(...written)).toBeLessThan(300_000);
    } finally {
      stringify.mockRestore();
    }
  });

  it('numbers that no double holds, own __proto__ and what JSON leaves out among it', async () => {
    const text = '{"__proto__":[1e400,{"2":9007199254740993,"1":{"a":[]}}],"b":-0.5}';
    const value = { parsed: parseIJson(Buffer.from(text)), none: undefined, list: [undefined, 1] };
    for (const weight of [1, 2, 5, 1000]) {
      expect(await stringifyInSlices(value, shortest(), 1e9, weight)).toBe(
        writeNumbers(JSON.stringify(value)),
      );
    }
  });

  it.each([
    ['arrays', (value: unknown) => [value]],
    ['objects', (value: unknown) => ({ a: value })],
    ['arrays that begin with others', (value: unknown) => [[1, 2], value]],
  ])('within a thousand %s no value is looked at a thousand times', async (_, around) => {
    let reads = 0;
    const leaf = new Proxy(
      Array.from({ length: 300 }, () => 1),
      {
        get(target, name, receiver) {
          reads += 1;
          return Reflect.get(target, name, receiver);
        },
      },
    );
    let value: unknown = leaf;
    for (let depth = 0; depth < 1000; depth += 1) value = around(value);
    expect(await stringifyInSlices(value, shortest(), 1e9, 100)).toBe(JSON.stringify(value));
    expect(reads).toBeLessThan(20 * leaf.length);
  });

  it('and no further than the limit of a response', async () => {
    const slices = shortest();
    const value = Array.from({ length: 100_000 }, () => 'x');
    expect(await stringifyInSlices(value, slices, 1000, 100)).toBeNull();
    expect(slices.count).toBeLessThan(20);
    expect(await stringifyInSlices([1, 2], slices, 5)).toBe('[1,2]');
    expect(await stringifyInSlices([1, 2], slices, 4)).toBeNull();
  });
});

describe('slices', () => {
  it('that held a long step are followed by several turns for others', async () => {
    const slices = conductor.startSlices();
    await slices.next();
    const end = performance.now() + 200;
    while (performance.now() < end);
    let turns = 0;
    let isCounting = true;
    const count = (): void => {
      turns += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    await slices.next();
    isCounting = false;
    expect(turns).toBeGreaterThan(5);
  });

  it('of many works are one in a turn of the event loop', async () => {
    let turn = 0;
    let isCounting = true;
    const count = (): void => {
      turn += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const seen: number[] = [];
    const work = async (): Promise<void> => {
      const slices = conductor.startSlices();
      for (let n = 0; n < 3; n += 1) {
        await slices.next();
        seen.push(turn);
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    isCounting = false;
    expect(seen).toHaveLength(12);
    expect(new Set(seen).size).toBe(12);
  });
});
