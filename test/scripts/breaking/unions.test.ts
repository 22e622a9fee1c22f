import type { JSONSchema7 } from 'json-schema';
import { describe, expect, it } from 'vitest';
import { narrowed } from '../../../scripts/generator/migrations/narrowed.js';

const branch = (tag: object | null, members: object = {}, required: readonly string[] = []) => ({
  type: 'object',
  properties: { ...(tag === null ? {} : { kind: tag }), ...members },
  required: tag === null ? required : ['kind', ...required],
  additionalProperties: false,
});
const union = (...oneOf: readonly object[]) => ({ type: 'object', discriminator: 'kind', oneOf });

const A = branch({ const: 'A' }, { a: { type: 'string', maxLength: 9 } });
const B = branch({ const: 'B' });
const A_OR_C = branch(
  { type: 'string', enum: ['A', 'C'] },
  { a: { type: 'string', maxLength: 9 } },
);
const OTHERS = branch({ type: 'string' });
const NONE = branch(null, { n: { type: 'integer' } });
const A_SHORT = branch({ const: 'A' }, { a: { type: 'string', maxLength: 5 } });
const A_FULL = branch({ const: 'A' }, { a: { type: 'string', maxLength: 9 } }, ['a']);

describe('narrowed: unions', () => {
  it.each<[string, object, object, string | undefined]>([
    ['a branch is added', union(A), union(B, A), undefined],
    ['a branch goes', union(A, B), union(A), '"x" takes no "kind": "B" any more'],
    ['a branch takes more values', union(A), union(A_OR_C), undefined],
    ['a branch takes fewer values', union(A_OR_C), union(A), '"x" takes no "kind": "C" any more'],
    [
      'a branch is narrower',
      union(A, B),
      union(A_SHORT, B),
      '"x/a" has maxLength: 5, which was 9, where "kind": "A"',
    ],
    [
      'a member is required',
      union(A),
      union(A_FULL),
      '"a" is required in it now, where "kind": "A"',
    ],
    ['other values are taken', union(A), union(A, OTHERS), undefined],
    [
      'other values are taken no more',
      union(A, OTHERS),
      union(A, B),
      '"x" takes no "kind" of another value any more',
    ],
    ['the member may be absent', union(A), union(A, NONE), undefined],
    [
      'the member may be absent no more',
      union(A, NONE),
      union(A),
      '"x" takes no value without "kind" any more',
    ],
    ['one object becomes a branch', A, union(B, A), undefined],
    ['one object becomes none of the branches', A, union(B), '"x" takes no "kind": "A" any more'],
    [
      'a union becomes one of its branches',
      union(A, B),
      A,
      '"x/kind" loses "B" of its enum, where "kind": "B"',
    ],
    [
      'another member tells the branches',
      union(A),
      { ...union(A), discriminator: 'a' },
      '"x" tells its branches by "a" now',
    ],
    [
      'null is taken no more',
      { ...union(A), type: ['object', 'null'] },
      union(A),
      '"x" takes no null any more',
    ],
    ['a text becomes a union', { type: 'string' }, union(A), '"x" takes no string any more'],
  ])('%s', (_, before, after, what) => {
    expect(narrowed(before, after, 'x')).toBe(what);
  });

  it('a definition nests less deep than before', () => {
    const nested = (depth: number): JSONSchema7 =>
      depth === 0
        ? ({ title: 'T', beyondDepth: 3 } as JSONSchema7)
        : { type: 'object', properties: { t: nested(depth - 1) } };
    expect(narrowed(nested(3), nested(4), '')).toBeUndefined();
    expect(narrowed(nested(4), nested(3), '')).toBe(
      '"t/t/t" lies within 3 levels, and nests no deeper now',
    );
  });
});
