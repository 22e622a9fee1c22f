import { describe, expect, it } from 'vitest';
import { RequestError } from '../../src/call/errors.js';
import { Backoff } from '../../src/sync/backoff.js';

describe('a backoff', () => {
  it('waits longer from failure to failure, for a minute at most', () => {
    const backoff = new Backoff(100);
    const waits = Array.from({ length: 2000 }, () => backoff.next());
    for (const [n, wait] of waits.entries()) {
      const longest = Math.min(60_000, 100 * 2 ** n);
      expect(wait).toBeGreaterThanOrEqual(longest / 2);
      expect(wait).toBeLessThanOrEqual(longest);
    }
    backoff.reset();
    expect(backoff.next()).toBeLessThanOrEqual(100);
  });

  it('waits as long as the server asks for, for an hour at most', () => {
    const backoff = new Backoff(100);
    expect(backoff.next(new RequestError(503, {}, 90))).toBe(90_000);
    expect(backoff.next(new RequestError(503, {}, 3_000_000))).toBe(3_600_000);
    expect(backoff.next(undefined, 3_000_000_000)).toBe(3_600_000);
    expect(backoff.next(new RequestError(503, {}, 90), 95_000)).toBe(95_000);
  });

  it.each([null, new Error('x'), new RequestError(503, {}), new RequestError(503, {}, Number.NaN)])(
    'waits as ever where the error asks for nothing (%s)',
    (error) => {
      const wait = new Backoff(100).next(error);
      expect(wait).toBeGreaterThanOrEqual(50);
      expect(wait).toBeLessThanOrEqual(100);
    },
  );
});
