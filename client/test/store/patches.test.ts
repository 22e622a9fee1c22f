import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/protocol/json.js';
import { patchSteps } from '../../../src/protocol/patch.js';
import { finish } from '../../../src/runtime/paused-work.js';
import { applyPatch, findPatch, mergePatches } from '../../src/store/patches.js';

const name = fc.constantFrom('a', 'b', '~', 'x/y', '__proto__');
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue>(null, true, 0, 1, 'text', '~id'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(fromEntries),
  ),
})).value;
const object = fc.array(fc.tuple(name, value), { maxLength: 4 }).map(fromEntries);
const noDefaults = () => null;

function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}

/** An object with all properties, as those of a type are there: null where it has none. */
function withAll(values: JsonObject): JsonObject {
  const all = ['a', 'b', '~', 'x/y', '__proto__'].map((each) => [each, null] as const);
  return Object.fromEntries([...all, ...Object.entries(values)]);
}

/** The object as a server has it after a patch (RFC 8620 5.3). */
function patchedByServer(before: JsonObject, patch: JsonObject): JsonObject {
  const result = finish(patchSteps(before, patch));
  if (result.kind !== 'patched') throw new Error(result.description);
  const touched = [...result.touched].map(([each, after]) => [each, after ?? null] as const);
  return Object.fromEntries([...Object.entries(before), ...touched]);
}

describe('findPatch', () => {
  it('finds a patch that a server makes the same object of', () => {
    fc.assert(
      fc.property(object, object, (one, other) => {
        const [before, after] = [withAll(one), withAll(other)];
        const patch = findPatch(before, after);
        expect(patchedByServer(before, patch)).toEqual(after);
        expect(applyPatch(before, patch, noDefaults)).toEqual(after);
      }),
    );
  });

  it('patches members of maps, and lists as a whole', () => {
    const before = {
      tags: { red: true, blue: true },
      list: [1, 2],
      text: 'a',
      meta: { n: { x: 1 } },
    };
    const after = { tags: { red: true, green: true }, list: [1], text: 'a', meta: { n: { x: 2 } } };
    expect(findPatch(before, after)).toEqual({
      'tags/blue': null,
      'tags/green': true,
      list: [1],
      'meta/n/x': 2,
    });
  });

  it('sets an object as a whole where a member of it becomes null', () => {
    expect(findPatch({ meta: { a: { b: 1 } } }, { meta: { a: { b: null } } })).toEqual({
      'meta/a': { b: null },
    });
  });

  it('finds nothing where nothing changes', () => {
    expect(findPatch({ a: { b: [1] } }, { a: { b: [1] } })).toEqual({});
  });
});

describe('mergePatches', () => {
  it('does what both patches do', () => {
    fc.assert(
      fc.property(object, object, object, (one, two, three) => {
        const [first, second, third] = [withAll(one), withAll(two), withAll(three)];
        const patch = findPatch(first, second);
        const merged = mergePatches(patch, findPatch(second, third), noDefaults);
        expect(patchedByServer(first, merged)).toEqual(third);
      }),
    );
  });
});
