/** How far the clock may run ahead of what has passed, ms: it is adjusted all the time. */
const SLACK = 60_000;
/** How long a clock must have been ahead before it is believed, ms. */
const TRUST = 24 * 3_600_000;

export interface SteadyClockOptions {
  /** Epoch ms. */
  readonly wall?: () => number;
  /** ms that have passed since some moment, whatever becomes of the clock. */
  readonly passed?: () => number;
  /** Told once of each jump, in ms. */
  readonly onJump?: (ahead: number) => void;
}

/**
 * Makes a clock for what is removed by its age: epoch ms, but never ahead by more than a minute of
 * the time that has passed in this process. A clock that is set a day ahead by mistake would make
 * an upload of a minute ago a day old. This clock follows a system clock that stays ahead for a
 * day. It follows at once if the system clock is set back: then more is kept.
 */
export function createSteadyClock(options: SteadyClockOptions = {}): () => number {
  const { wall = Date.now, passed = () => performance.now(), onJump } = options;
  let believed = { wall: wall(), at: passed() };
  let aheadSince: number | null = null;
  return () => {
    const [now, at] = [wall(), passed()];
    // The database stores whole ms.
    const expected = Math.floor(believed.wall + (at - believed.at));
    if (now <= expected + SLACK || (aheadSince !== null && at - aheadSince >= TRUST)) {
      aheadSince = null;
      believed = { wall: now, at };
      return now;
    }
    if (aheadSince === null) {
      aheadSince = at;
      onJump?.(now - expected);
    }
    return expected;
  };
}
