import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccountVector, accountKey, Vectors } from '../../src/push/vector.js';

const TYPES = Array.from({ length: 19 }, (_, n) => `Type${n}`);

function account(id: string, numbers: readonly number[]): AccountVector {
  const states = numbers.map((number, index) => [TYPES[index] ?? '', number] as const);
  return { id, key: accountKey(id), states };
}

const numbers = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
);
const accountArbitrary = fc.tuple(
  fc.integer({ min: 0, max: 5000 }),
  fc.array(numbers, { minLength: TYPES.length, maxLength: TYPES.length }),
);
const accountsArbitrary = fc
  .uniqueArray(accountArbitrary, { selector: ([n]) => n, maxLength: 40 })
  .map((all) => all.map(([n, states]) => account(`A${n}`, states)));

function asObject(changed: ReadonlyMap<string, ReadonlyMap<string, number>>): unknown {
  return Object.fromEntries([...changed].map(([id, states]) => [id, Object.fromEntries(states)]));
}

describe('a state vector', () => {
  const vectors = new Vectors('epoch', TYPES);

  it('has no difference from itself, and at most 3,000 characters', () => {
    fc.assert(
      fc.property(accountsArbitrary, (accounts) => {
        const text = vectors.encode(accounts);
        expect(text.length).toBeLessThanOrEqual(3000);
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(vectors.difference(text, accounts)).toEqual(new Map());
      }),
    );
  });

  it('differs from others in exactly the states that differ, where it is whole', () => {
    fc.assert(
      fc.property(accountsArbitrary, accountsArbitrary, (before, now) => {
        const few = before.slice(0, 8);
        const told = new Map(few.map(({ id, states }) => [id, new Map(states)]));
        const expected = now.slice(0, 8).flatMap(({ id, states }) => {
          const differing = states.filter(([type, n]) => n !== (told.get(id)?.get(type) ?? 0));
          return differing.length === 0 ? [] : [[id, Object.fromEntries(differing)] as const];
        });
        const changed = vectors.difference(vectors.encode(few), now.slice(0, 8));
        expect(asObject(changed ?? new Map())).toEqual(Object.fromEntries(expected));
      }),
    );
  });

  it('is read without an error whatever the text is', () => {
    const accounts = [account('A', [1, 2, 3])];
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        expect(vectors.difference(text, accounts)).toBe(null);
      }),
    );
    const octets = Buffer.from(vectors.encode(accounts), 'base64url');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat(octets.length), (tail, length) => {
        const text = Buffer.concat([octets.subarray(0, length), tail]).toString('base64url');
        vectors.difference(text, accounts);
      }),
    );
  });

  it('of another epoch or other types tells nothing', () => {
    const accounts = [account('A', [1, 2, 3])];
    const others = [new Vectors('other', TYPES), new Vectors('epoch', TYPES.slice(1))];
    for (const other of others)
      expect(vectors.difference(other.encode(accounts), accounts)).toBe(null);
  });
});
