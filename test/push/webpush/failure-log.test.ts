import { afterEach, expect, it, vi } from 'vitest';
import { FailureLog } from '../../../src/push/webpush/failure-log.js';
import type { PostResult } from '../../../src/push/webpush/post.js';

const FAILED: PostResult = { kind: 'answer', status: 500, retryAfter: null, excerpt: 'why' };

afterEach(() => {
  vi.useRealTimers();
});

function setUp() {
  vi.useFakeTimers({ toFake: ['performance'] });
  const warnings: object[] = [];
  const log = new FailureLog({
    warn: (fields) => void warnings.push(fields),
    debug: () => undefined,
  });
  const fail = (host: string, count: number, result = FAILED): void => {
    for (let index = 0; index < count; index += 1) {
      log.add({ id: `${host}${index}`, host, failures: 1, seconds: 10 }, result);
    }
  };
  return { warnings, fail };
}

it('warns once where a key is gone, whatever the host and the number of failures', () => {
  const { warnings, fail } = setUp();
  const unsigned: PostResult = { kind: 'unsigned', detail: 'gone' };
  for (const host of ['a', 'b']) fail(host, 10, unsigned);
  vi.advanceTimersByTime(30_000);
  fail('a', 1, unsigned);
  expect(warnings).toHaveLength(1);
  fail('a', 1);
  expect(warnings).toHaveLength(2);
});

it('warns of a host once in 30 s, and counts the others', () => {
  const { warnings, fail } = setUp();
  fail('a', 1000);
  fail('b', 1);
  vi.advanceTimersByTime(30_000);
  fail('a', 2);
  const line = { failures: 1, seconds: 10, reason: 'status-500', detail: 'why' };
  expect(warnings).toEqual([
    { id: 'a0', host: 'a', ...line },
    { id: 'b0', host: 'b', ...line },
    { id: 'a0', host: 'a', ...line, unlogged: 999 },
  ]);
});
