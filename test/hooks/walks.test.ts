import { describe, expect, it } from 'vitest';
import { copyValueSteps } from '../../src/hooks/values.js';
import { frozenCopy, frozenInSlices } from '../../src/hooks/walks.js';
import { finish, type Steps } from '../../src/runtime/paused-work.js';
import type { Json } from '../methods/rig.js';

/** Values that hooks get and give may be millions: others have a turn meanwhile. */

const shapes: readonly (readonly [string, () => Json])[] = [
  ['a list', () => Array.from({ length: 50_000 }, () => 1)],
  [
    'lists in a list',
    () => Array.from({ length: 250 }, () => Array.from({ length: 200 }, () => 1)),
  ],
  ['an object', () => Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, n]))],
  ['objects in each other', () => nested(400, () => Array.from({ length: 125 }, () => 'x'))],
];

function nested(depth: number, value: () => Json): Json {
  let outer: Json = {};
  for (let level = 0; level < depth; level += 1) outer = { outer, list: value() };
  return outer;
}

function pauses<T>(steps: Steps<T>): number {
  let count = 0;
  while (steps.next().done !== true) count += 1;
  return count;
}

function isFrozenAllThrough(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozenAllThrough);
}

describe.each(shapes)('%s of 50,000 values', (_, make) => {
  it('is copied and frozen for a hook with pauses, and stays as it was', () => {
    const value = make();
    const copy = finish(frozenCopy(value)) as Json;
    expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
    expect([isFrozenAllThrough(copy), Object.isFrozen(value)]).toEqual([true, false]);
    expect(pauses(frozenCopy(value))).toBeGreaterThanOrEqual(12);
  });

  it('is taken from a hook with pauses', () => {
    const value = make();
    const copy = finish(copyValueSteps('a test', value)) as Json;
    expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
    expect(copy).not.toBe(value);
    expect(pauses(copyValueSteps('a test', value))).toBeGreaterThanOrEqual(12);
  });

  it('is frozen in place with pauses', async () => {
    const value = make();
    let asked = 0;
    const isOver = (): boolean => {
      asked += 1;
      return false;
    };
    expect(await frozenInSlices(value, { isOver, next: async () => undefined })).toBe(value);
    expect(isFrozenAllThrough(value)).toBe(true);
    expect(asked).toBeGreaterThanOrEqual(12);
  });
});
