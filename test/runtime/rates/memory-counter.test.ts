import { describe, expect, it } from 'vitest';
import { MemoryCounter } from '../../../src/runtime/rates/memory-counter.js';
import type { RateRule } from '../../../src/runtime/rates/rate-rules.js';
import { eventually } from '../../support/poll.js';

function rule(count: number, seconds = 3600): RateRule {
  return { subject: 'user', name: 'user', count, seconds };
}

async function countGranted(counter: MemoryCounter, key: string, times: number): Promise<number> {
  const all = await Promise.all(Array.from({ length: times }, () => counter.take(key)));
  return all.filter(({ isGranted }) => isGranted).length;
}

describe('a counter in memory', () => {
  it('grants each key what its rule allows, also to requests that come at once', async () => {
    const counter = new MemoryCounter({ rule: rule(5) });
    expect(await countGranted(counter, 'a', 3)).toBe(3);
    expect(await countGranted(counter, 'a', 30)).toBe(2);
    expect(await countGranted(counter, 'b', 30)).toBe(5);
  });

  it('tells what is left, and when the window ends', async () => {
    const counter = new MemoryCounter({ rule: rule(2) });
    const before = performance.now();
    expect(await counter.take('a')).toMatchObject({ isGranted: true, left: 1 });
    expect(await counter.take('a')).toMatchObject({ isGranted: true, left: 0 });
    const refused = await counter.take('a');
    expect(refused).toMatchObject({ isGranted: false, left: 0 });
    // The limiter goes by whole milliseconds of another clock.
    expect(refused.until).toBeGreaterThan(before + 3_600_000 - 10);
    expect(refused.until).toBeLessThan(performance.now() + 3_600_000 + 10);
  });

  it('grants again in the next window', async () => {
    const counter = new MemoryCounter({ rule: rule(1, 1) });
    expect(await countGranted(counter, 'a', 3)).toBe(1);
    await eventually(async () => expect(await countGranted(counter, 'a', 3)).toBe(1));
  });

  it('a request that is given back can be made again, whatever was refused meanwhile', async () => {
    const counter = new MemoryCounter({ rule: rule(2) });
    const first = await counter.take('a');
    expect(await countGranted(counter, 'a', 50)).toBe(1);
    counter.give(first);
    expect(await countGranted(counter, 'a', 50)).toBe(1);
  });

  it('too many keys: new ones are counted in groups, known ones by themselves', async () => {
    const coarsen = (key: string): string => key.slice(0, 1);
    const counter = new MemoryCounter({ rule: rule(2), coarsen, mostKeys: 3 });
    for (const key of ['a1', 'a2', 'b1']) expect(await countGranted(counter, key, 1)).toBe(1);
    // The groups a and b have two requests each, however many keys they have.
    expect(await countGranted(counter, 'a3', 1)).toBe(1);
    expect(await countGranted(counter, 'a4', 9)).toBe(1);
    expect(await countGranted(counter, 'b2', 9)).toBe(2);
    expect(await countGranted(counter, 'a1', 9)).toBe(1);
  });
});
