import { performance } from 'node:perf_hooks';
import { vi } from 'vitest';

/** A clock by which whatever is done takes so many ms: every slice is over when it is looked at. */
export function slowClock(step: number): void {
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += step;
    return now;
  });
  // The rests behind slices that seem long end in the next turn.
  const later = globalThis.setTimeout;
  const atOnce = (run: () => void, ms = 0): unknown =>
    ms > 50 ? later(run, ms) : setImmediate(run);
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(atOnce as typeof setTimeout);
}
