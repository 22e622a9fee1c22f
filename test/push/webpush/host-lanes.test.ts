import { afterEach, describe, expect, it, vi } from 'vitest';
import { HostLanes, type HostOutcome } from '../../../src/push/webpush/host-lanes.js';

interface Item {
  readonly host: string;
}

/** Lanes whose works run until the test ends them. */
function setUp(limits = { size: 20, width: 8, pause: 1000 }) {
  const running: { readonly host: string; readonly end: (outcome: HostOutcome) => void }[] = [];
  const lanes = new HostLanes<Item>(({ host }) => {
    return new Promise((resolve) => running.push({ host, end: resolve }));
  }, limits);
  const push = (host: string, count: number): void => {
    for (let index = 0; index < count; index += 1) lanes.push({ host });
  };
  const count = (host: string): number => running.filter((one) => one.host === host).length;
  /** Ends the works of a host that run now. */
  const end = async (host: string, outcome: HostOutcome): Promise<void> => {
    const ending = running.filter((one) => one.host === host);
    running.splice(0, running.length, ...running.filter((one) => one.host !== host));
    for (const one of ending) one.end(outcome);
    await new Promise(setImmediate);
  };
  return { lanes, push, count, end };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the pushes to hosts', () => {
  it('become more where a host answers well, and one where it does not', async () => {
    const { push, count, end } = setUp();
    push('a', 100);
    const widths: number[] = [];
    for (const outcome of ['good', 'good', 'good', 'bad', 'none', 'good'] as const) {
      widths.push(count('a'));
      await end('a', outcome);
    }
    expect([...widths, count('a')]).toEqual([2, 4, 8, 8, 1, 1, 2]);
  });

  it('take turns, within what may run at once', () => {
    const { lanes, push, count } = setUp({ size: 5, width: 8, pause: 1000 });
    for (const host of ['a', 'b', 'c']) push(host, 10);
    expect(['a', 'b', 'c'].map(count)).toEqual([2, 2, 1]);
    expect([lanes.running, lanes.waiting]).toEqual([5, 25]);
  });

  it('leave half of the places to hosts that answer well', async () => {
    const { lanes, push, count, end } = setUp();
    const bad = Array.from({ length: 15 }, (_, index) => `bad${index}`);
    for (const host of bad) push(host, 5);
    for (let round = 0; round < 2; round += 1) for (const host of bad) await end(host, 'bad');
    expect(lanes.running).toBe(10);
    push('good', 5);
    expect(count('good')).toBe(2);
  });

  it('pause where a host is busy for several, longer each time, and others do not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const { push, count, end } = setUp();
    push('a', 10);
    push('b', 10);
    // Both works of the host say so.
    await end('a', { retryAfter: null });
    await end('b', 'good');
    expect([count('a'), count('b')]).toEqual([0, 4]);
    await vi.advanceTimersByTimeAsync(999);
    expect(count('a')).toBe(0);
    await vi.advanceTimersByTimeAsync(3);
    expect(count('a')).toBe(1);
    await end('a', { retryAfter: null });
    await vi.advanceTimersByTimeAsync(1999);
    expect(count('a')).toBe(0);
    await vi.advanceTimersByTimeAsync(3);
    await end('a', 'good');
    expect(count('a')).toBe(2);
  });

  it('go on one by one where a host is busy for one alone, whatever it says', async () => {
    const { push, count, end } = setUp();
    push('a', 1);
    await end('a', { retryAfter: 3_600_000 });
    push('a', 10);
    expect(count('a')).toBe(1);
    await end('a', 'good');
    expect(count('a')).toBe(2);
  });

  it('pause as long as a host asks for that is busy for several, for minutes at most', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const { push, count, end } = setUp();
    push('a', 10);
    for (const [retryAfter, held] of [
      [30_000, 30_000],
      [3_600_000, 300_000],
    ] as const) {
      await end('a', { retryAfter });
      await vi.advanceTimersByTimeAsync(held - 1);
      expect(count('a')).toBe(0);
      await vi.advanceTimersByTimeAsync(3);
      expect(count('a')).toBe(1);
    }
  });

  it('end with those that run', async () => {
    const { lanes, push, count, end } = setUp();
    push('a', 10);
    let isStopped = false;
    const stopped = lanes.stop().then(() => {
      isStopped = true;
    });
    await new Promise(setImmediate);
    expect([isStopped, count('a'), lanes.waiting]).toEqual([false, 2, 0]);
    await end('a', 'good');
    await stopped;
    push('a', 1);
    expect(count('a')).toBe(0);
  });
});
