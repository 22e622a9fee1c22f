import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HeldStates } from '../../src/push/held-states.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const TYPES = new Set(['Quota']);

/** Returns what is told of account a, at once or later, and what takes states. */
function hold() {
  const told: Record<string, number>[] = [];
  const held = new HeldStates(TYPES, (_, numbers) => told.push(Object.fromEntries(numbers)));
  const take = (numbers: Record<string, number>, urgent?: readonly string[]): void => {
    const now = held.take('a', new Map(Object.entries(numbers)), urgent);
    if (now.size > 0) told.push(Object.fromEntries(now));
  };
  return { told, held, take };
}

it('a thousand changes within five seconds are told twice, the last one too', () => {
  const { told, take } = hold();
  for (let number = 1; number <= 1000; number += 1) {
    take({ Quota: number });
    vi.advanceTimersByTime(4);
  }
  vi.advanceTimersByTime(5000);
  expect(told).toEqual([{ Quota: 1 }, { Quota: 1000 }]);
  vi.advanceTimersByTime(20_000);
  expect(told).toHaveLength(2);
});

it('states of other types are told at once', () => {
  const { told, take } = hold();
  take({ Quota: 1, Todo: 1 });
  take({ Quota: 2, Todo: 2 });
  expect(told).toEqual([{ Quota: 1, Todo: 1 }, { Todo: 2 }]);
});

it('an urgent state is told at once, and what waited is not told again', () => {
  const { told, take } = hold();
  take({ Quota: 1 });
  take({ Quota: 2 });
  take({ Quota: 3 }, ['Quota']);
  vi.advanceTimersByTime(20_000);
  expect(told).toEqual([{ Quota: 1 }, { Quota: 3 }]);
});

it('an account that has been quiet is told of at once', () => {
  const { told, take } = hold();
  take({ Quota: 1 });
  vi.advanceTimersByTime(5000);
  take({ Quota: 2 });
  expect(told).toEqual([{ Quota: 1 }, { Quota: 2 }]);
});

it('a closed hold tells nothing more', () => {
  const { told, held, take } = hold();
  take({ Quota: 1 });
  take({ Quota: 2 });
  held.close();
  vi.advanceTimersByTime(20_000);
  expect(told).toEqual([{ Quota: 1 }]);
});
