import { describe, expect, it } from 'vitest';
import { compareModels } from '../../../scripts/generator/breaking/compare.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { model, property, todo } from '../migrations/models.js';

const SEEN = property('seen', 'boolean', { default: false, perUser: true });
const OTHER = property('mark', 'boolean', { default: false, perUser: true });
const SHARED = property('seen', 'boolean', { default: false });

const REFUSED = 'fine sync Todo: old states are refused: clients fetch the type anew';

/** Returns the changes from some properties of a type to others, a line each. */
function compare(before: readonly ModelProperty[], after: readonly ModelProperty[]) {
  return compareModels(model([todo(before)]), model([todo(after)])).map(
    ({ breaking, layer, where, what }) =>
      `${breaking ? 'breaking' : 'fine'} ${layer} ${where}: ${what}`,
  );
}

describe('breaking: a property of each user', () => {
  it('breaks no clients when it comes', () => {
    expect(compare([], [SEEN])).toEqual(['fine wire Todo.seen: property added', REFUSED]);
    expect(compare([OTHER], [OTHER, SEEN])).toEqual(['fine wire Todo.seen: property added']);
    expect(compare([SEEN], [SEEN])).toEqual([]);
  });

  it('breaks clients when it goes with its values', () => {
    const gone = [
      'breaking wire Todo.seen: property removed',
      'breaking storage Todo.seen: its values go',
    ];
    expect(compare([SEEN, OTHER], [OTHER])).toEqual([...gone, REFUSED]);
    expect(compare([SEEN], [])).toEqual([...gone, REFUSED]);
  });

  it('breaks clients when it gets a value that all users share, or the reverse', () => {
    expect(compare([SEEN], [SHARED])).toEqual([
      'breaking wire Todo.seen: all users share its value now',
      'breaking storage Todo.seen: the values that it had go',
      REFUSED,
    ]);
    expect(compare([SHARED], [SEEN])).toEqual([
      'breaking wire Todo.seen: each user has a value of its own now',
      'breaking storage Todo.seen: the values that it had go',
      REFUSED,
    ]);
  });

  it('breaks clients when it has another name', () => {
    const renamed = property('read', 'boolean', {
      ...{ default: false, perUser: true, renamedFrom: 'seen' },
    });
    expect(compare([SEEN], [renamed])).toEqual([
      'breaking wire Todo.read: property renamed from seen',
      'fine storage Todo.read: values stay where they are',
      REFUSED,
    ]);
  });

  it('breaks clients when it takes less, or other values', () => {
    const label = (maxLength: number) =>
      property('label', 'string', {
        ...{ default: '', perUser: true, schema: { type: 'string', maxLength } },
      });
    expect(compare([label(20)], [label(10)])).toEqual([
      expect.stringMatching(/^breaking wire Todo.label: takes less/),
      'fine storage Todo.label: values that do not fit stay, and are readable',
    ]);
    const number = property('seen', 'integer', { default: 0, perUser: true });
    expect(compare([SEEN], [number]).slice(0, 2)).toEqual([
      'breaking wire Todo.seen: values were boolean and are integer',
      'breaking storage Todo.seen: its values go',
    ]);
  });
});
