import { describe, expect, it } from 'vitest';
import { ReferenceAllowance, resolveReferences } from '../../src/methods/arguments.js';
import type { JsonObject, JsonValue } from '../../src/protocol/json.js';

const VALUE = { text: 'é"\u0001', list: [1, -2.5, 1e21, true, null, [], {}] };
const OCTETS = Buffer.byteLength(JSON.stringify(VALUE));

function references(count: number): JsonObject {
  const names = Array.from({ length: count }, (_, index) => `#a${index}`);
  const reference = { resultOf: 'e', name: 'Core/echo', path: '/value' };
  return Object.fromEntries(names.map((name) => [name, reference]));
}

/**
 * Puts in the value `count` times, if it can; returns how often the earlier response was looked at.
 */
function lookups(count: number, allowance: ReferenceAllowance, value: JsonValue = VALUE): number {
  let looks = 0;
  const args = {
    get value() {
      looks += 1;
      return value;
    },
  };
  const earlier = [{ name: 'Core/echo', args, callId: 'e' }];
  try {
    resolveReferences(references(count), earlier, allowance);
  } catch (error) {
    expect(error).toMatchObject({ type: 'requestTooLarge' });
  }
  return looks;
}

describe('resolved values of result references count towards maxSizeRequest', () => {
  it('in octets of JSON, over all calls', () => {
    const allowance = new ReferenceAllowance(3 * OCTETS);
    expect(lookups(1, allowance)).toBe(1);
    expect(lookups(2, allowance)).toBe(2);
    expect(() => resolveReferences(references(1), earlierOf(0), allowance)).toThrow('exceed');
  });

  it('a call that is refused takes nothing', () => {
    const allowance = new ReferenceAllowance(2 * OCTETS);
    expect(() => resolveReferences(references(3), earlierOf(VALUE), allowance)).toThrow('exceed');
    resolveReferences(references(2), earlierOf(VALUE), allowance);
    expect(() => resolveReferences(references(1), earlierOf(0), allowance)).toThrow('exceed');
  });

  it('references of one call visit no more values than are visited in a moment', () => {
    const list = Array.from({ length: 100_000 }, (_, n) => n);
    let looks = 0;
    const args = {
      get list() {
        looks += 1;
        return list;
      },
    };
    const reference = { resultOf: 'e', name: 'Core/echo', path: '/list/*' };
    const many = Object.fromEntries(list.slice(0, 100).map((n) => [`#a${n}`, reference]));
    const earlier = [{ name: 'Core/echo', args, callId: 'e' }];
    const resolve = () => resolveReferences(many, earlier, new ReferenceAllowance(1e9));
    expect(resolve).toThrow('visit too many');
    expect(looks).toBeLessThanOrEqual(20);
  });

  it('thousands of references of one call end at the first that is too much', () => {
    expect(lookups(5000, new ReferenceAllowance(2 * OCTETS))).toBe(3);
    expect(lookups(5000, new ReferenceAllowance(10), 'x'.repeat(1000))).toBe(1);
  });
});

function earlierOf(value: JsonValue): Parameters<typeof resolveReferences>[1] {
  return [{ name: 'Core/echo', args: { value }, callId: 'e' }];
}
