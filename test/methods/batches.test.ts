import { describe, expect, it } from 'vitest';
import { batchesOf } from '../../src/methods/work/batches.js';
import type { StoredObject } from '../../src/store/port.js';

describe('objects that one statement writes', () => {
  it('are fewer where their JSON has many values', () => {
    const tags = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, true]));
    const objects = ['a', 'b', 'c'].map((id) => ({ id, tags }) as unknown as StoredObject);
    expect([...batchesOf(objects)].map(({ length }) => length)).toEqual([1, 1, 1]);
    const few = objects.map(({ id }) => ({ id, tags: { a: true } }) as unknown as StoredObject);
    expect([...batchesOf(few)].map(({ length }) => length)).toEqual([3]);
  });
});
