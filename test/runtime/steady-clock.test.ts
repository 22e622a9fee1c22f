import { describe, expect, it } from 'vitest';
import { createSteadyClock } from '../../src/runtime/steady-clock.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

/** A clock whose time and whose offset tests move. */
function rig() {
  const time = { passed: 0, offset: 0 };
  const jumps: number[] = [];
  const now = createSteadyClock({
    wall: () => START + time.passed + time.offset,
    passed: () => 1234 + time.passed,
    onJump: (ahead) => void jumps.push(ahead),
  });
  /**
   * Asks the clock once a minute for so many minutes; returns its last answer, from its beginning.
   */
  const later = (minutes: number): number => {
    for (let n = 0; n < minutes; n += 1) {
      time.passed += MINUTE;
      now();
    }
    return now() - START;
  };
  return { time, jumps, later };
}

describe('the clock that decides when data is removed', () => {
  it('gives whole milliseconds, though what has passed is measured more exactly', () => {
    const { time, later } = rig();
    time.passed = 0.25;
    time.offset = DAY;
    expect(later(1)).toBe(MINUTE);
  });

  it('follows the system, small corrections included', () => {
    const { time, jumps, later } = rig();
    expect(later(10)).toBe(10 * MINUTE);
    time.offset = 30_000;
    expect(later(10)).toBe(20 * MINUTE + 30_000);
    time.offset = 0;
    expect(later(1)).toBe(21 * MINUTE);
    expect(jumps).toEqual([]);
  });

  it('does not follow a day ahead and back', () => {
    const { time, jumps, later } = rig();
    time.offset = DAY;
    expect(later(10)).toBe(10 * MINUTE);
    expect(later(600)).toBe(610 * MINUTE);
    time.offset = 0;
    expect(later(1)).toBe(611 * MINUTE);
    expect(jumps).toEqual([DAY]);
    // A further one is told anew, and its day begins anew.
    time.offset = DAY;
    expect(later(DAY / MINUTE - 10)).toBe(611 * MINUTE + DAY - 10 * MINUTE);
    expect(jumps).toEqual([DAY, DAY]);
  });

  it('believes a clock that stays ahead for a day', () => {
    const { time, later } = rig();
    time.offset = 50 * DAY;
    expect(later(DAY / MINUTE)).toBe(DAY);
    expect(later(1)).toBe(DAY + MINUTE + 50 * DAY);
  });

  it('follows an hour back at once, and lags where it comes forth again', () => {
    const { time, jumps, later } = rig();
    later(120);
    time.offset = -HOUR;
    expect(later(10)).toBe(70 * MINUTE);
    time.offset = 0;
    expect(later(10)).toBe(80 * MINUTE);
    expect(jumps).toEqual([HOUR]);
  });
});
