import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { Audience } from '../../src/push/audience.js';
import { Wakes } from '../../src/push/wakes.js';

afterEach(() => vi.useRealTimers());

/** An audience of some receivers, each of which takes so many ms. */
function audienceOf(count: number, take: () => void): Audience {
  const receiver = () => ({ kind: 'eventsource' as const, wake: take, end: take });
  const receivers = new Set(Array.from({ length: count }, receiver));
  return { receivers } as Partial<Audience> as Audience;
}

it('many audiences take turns with other work, at most 2 ms each', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let woken = 0;
  const take = (): void => {
    woken += 1;
    vi.advanceTimersByTime(0.5);
  };
  const wakes = new Wakes();
  for (let n = 0; n < 100; n += 1) wakes.add(audienceOf(1, take));
  expect(woken).toBe(0);
  const turns: number[] = [];
  while (woken < 100) {
    await setImmediate();
    turns.push(woken);
  }
  expect(turns.filter((count) => count > 0)).toEqual(
    Array.from({ length: 25 }, (_, n) => 4 * n + 4),
  );
});

it('an audience that is added many times is woken once in a turn', async () => {
  let woken = 0;
  const audience = audienceOf(3, () => {
    woken += 1;
  });
  const wakes = new Wakes();
  for (let n = 0; n < 10; n += 1) wakes.add(audience);
  await setImmediate();
  await setImmediate();
  expect(woken).toBe(3);
});
