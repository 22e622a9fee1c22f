import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attempt, boundWait, judgeAttempt } from '../../../src/push/webpush/back-off.js';
import type { PostResult } from '../../../src/push/webpush/post.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Fri, 27 Nov 2026 12:00:00 GMT */
const NOW = Date.UTC(2026, 10, 27, 12);

function answer(status: number, retryAfter: string | null = null): PostResult {
  return { kind: 'answer', status, retryAfter, excerpt: '' };
}

const TIMEOUT: PostResult = { kind: 'noAnswer', detail: 'late' };
const UNREACHABLE: PostResult = { kind: 'unreachable', detail: 'ENOTFOUND' };

function judge(result: PostResult, more: Partial<Attempt> = {}): unknown {
  const attempt = { failures: 0, firstFailure: null, now: NOW, chance: 0, ...more };
  const verdict = judgeAttempt({ result, ...attempt });
  return verdict.kind === 'wait' ? (verdict.until - NOW) / SECOND : verdict.kind;
}

describe('the verdict on a push', () => {
  it.each([
    ...[200, 201, 202, 204, 299].map((status) => [status, 'delivered'] as const),
    ...[404, 410].map((status) => [status, 'gone'] as const),
    ...[429, 507, 400, 401, 403, 413, 418, 307, 101].map((status) => [status, 60] as const),
    ...[500, 502, 503, 504, 599].map((status) => [status, 10] as const),
  ])('of %i is %s', (status, verdict) => {
    expect(judge(answer(status))).toBe(verdict);
  });

  it('of no answer is a short wait', () => {
    expect([judge(TIMEOUT), judge(UNREACHABLE)]).toEqual([10, 10]);
  });

  it.each<[string | null, number]>([
    ['120', 120],
    ['Fri, 27 Nov 2026 12:10:00 GMT', 600],
    ['0', 30],
    ['1', 30],
    ['86400', 6 * 3600],
    ['Sat, 28 Nov 2026 12:00:00 GMT', 6 * 3600],
    ...['999999999', '9999999999', '9'.repeat(400), '1e99'].map((text): [string, number] => [
      text,
      6 * 3600,
    ]),
    ...['-1', '1.5', '', ' ', 'soon', '0x10', '2026-11-27T12:10:00Z'].map(
      (text): [string, number] => [text, 60],
    ),
    ['Fri, 27 Nov 2026 11:00:00 GMT', 60],
    ['Fri, 99 Nov 2026 12:10:00 GMT', 60],
    [null, 60],
  ])('of 429 with Retry-After %j is a wait of %i s', (retryAfter, seconds) => {
    expect(judge(answer(429, retryAfter))).toBe(seconds);
    expect(judge(answer(507, retryAfter))).toBe(seconds);
  });

  it('makes all pushes to a host wait where it says that there are too many', () => {
    const busyOf = (result: PostResult): unknown =>
      judgeAttempt({ result, failures: 0, firstFailure: null, now: NOW, chance: 0 });
    for (const status of [429, 507]) {
      expect(busyOf(answer(status, '99'))).toMatchObject({ busy: { retryAfter: 99_000 } });
      expect(busyOf(answer(status))).toMatchObject({ busy: { retryAfter: null } });
    }
    for (const result of [answer(503, '9'), answer(500), answer(403), TIMEOUT]) {
      expect(busyOf(result)).toMatchObject({ busy: null });
    }
  });

  it('doubles the wait with each failure, up to six hours', () => {
    const waits = (result: PostResult): unknown[] =>
      [0, 1, 2, 3, 8, 12, 1000].map((failures) => judge(result, { failures }));
    expect(waits(answer(429))).toEqual([60, 120, 240, 480, 15_360, 21_600, 21_600]);
    expect(waits(answer(500))).toEqual([10, 20, 40, 80, 2560, 21_600, 21_600]);
    expect(waits(TIMEOUT)).toEqual(waits(answer(500)));
  });

  it('ends a subscription after five refusals in a day', () => {
    const day = (hours: number, failures: number): unknown =>
      judge(answer(403), { failures, firstFailure: NOW - hours * HOUR });
    expect(day(24, 4)).toBe('hopeless');
    expect(day(23.99, 40)).toBe(6 * 3600);
    expect(day(240, 3)).toBe(480);
    for (const result of [answer(500), answer(429), TIMEOUT]) {
      const more = { failures: 40, firstFailure: NOW - 24 * HOUR };
      expect(judge(result, more)).toBe(6 * 3600);
    }
  });

  it('counts refusals in a row: another failure ends it', () => {
    for (const result of [answer(500), answer(429), answer(503), TIMEOUT, UNREACHABLE]) {
      const more = { failures: 4, firstFailure: NOW - 24 * HOUR };
      const verdict = judgeAttempt({ result, ...more, now: NOW, chance: 0 });
      expect(verdict).toMatchObject({ kind: 'wait', failures: 5, firstFailure: null });
    }
  });

  it('begins to count a day at the first refusal, whatever failed before', () => {
    const attempt = { failures: 40, firstFailure: null, now: NOW, chance: 0 };
    expect(judgeAttempt({ result: answer(403), ...attempt })).toEqual({
      kind: 'wait',
      until: NOW + 6 * HOUR,
      busy: null,
      failures: 41,
      firstFailure: NOW,
    });
  });

  it('waits longer and longer for a service that fails now this way, now that way', () => {
    const results = fc.infiniteStream(
      fc.constantFrom(answer(403), answer(500), answer(429), answer(503), TIMEOUT),
    );
    fc.assert(
      fc.property(results, (stream) => {
        let now = NOW;
        let state: Pick<Attempt, 'failures' | 'firstFailure'> = { failures: 0, firstFailure: null };
        for (const result of stream) {
          const verdict = judgeAttempt({ result, ...state, now, chance: 0 });
          if (verdict.kind !== 'wait') break;
          state = verdict;
          now = verdict.until;
          if (state.failures === 20) break;
        }
        // After twelve failures each wait is six hours.
        expect(now - NOW).toBeGreaterThan(24 * HOUR);
      }),
      { numRuns: 50 },
    );
  });

  it('lets a service that always refuses live for a day and at most six hours more', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (chances) => {
        let [now, tries] = [NOW, 0];
        let state: Pick<Attempt, 'failures' | 'firstFailure'> = { failures: 0, firstFailure: null };
        for (const chance of chances) {
          tries += 1;
          const verdict = judgeAttempt({ result: answer(401), ...state, now, chance });
          if (verdict.kind !== 'wait') break;
          state = verdict;
          now = verdict.until;
        }
        expect(now - NOW).toBeGreaterThanOrEqual(24 * HOUR);
        expect(now - NOW).toBeLessThan(30 * HOUR);
        expect(tries).toBeLessThan(20);
      }),
      { numRuns: 50 },
    );
  });

  it('is never a wait of less than 10 s or more than six hours', () => {
    const results = fc.oneof(
      fc.record({
        kind: fc.constant('answer' as const),
        status: fc.integer({ min: 100, max: 999 }),
        retryAfter: fc.option(fc.oneof(fc.string(), fc.integer().map(String), fc.date().map(utc))),
        excerpt: fc.constant(''),
      }),
      fc.constantFrom(TIMEOUT, UNREACHABLE),
    );
    const attempts = fc.record({
      result: results,
      failures: fc.nat(),
      firstFailure: fc.option(fc.integer({ min: 0, max: 4e12 })),
      now: fc.integer({ min: 0, max: 4e12 }),
      chance: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(attempts, (attempt) => {
        const verdict = judgeAttempt(attempt);
        if (verdict.kind !== 'wait') return;
        const wait = verdict.until - attempt.now;
        expect(wait).toBeGreaterThanOrEqual(10 * SECOND);
        expect(wait).toBeLessThanOrEqual(6 * HOUR);
      }),
    );
  });
});

it('a wait that is longer than six hours is over: the clock was set back', () => {
  expect(boundWait(NOW + MINUTE, NOW)).toBe(NOW + MINUTE);
  expect(boundWait(NOW + 6 * HOUR, NOW)).toBe(NOW + 6 * HOUR);
  // The clock of the server that stored it may be a little ahead.
  expect(boundWait(NOW + 6 * HOUR + MINUTE, NOW)).toBe(NOW + 6 * HOUR + MINUTE);
  expect(boundWait(NOW + 7 * HOUR, NOW)).toBe(NOW);
  expect(boundWait(NOW, NOW + HOUR)).toBe(NOW);
});

function utc(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'x' : date.toUTCString();
}
