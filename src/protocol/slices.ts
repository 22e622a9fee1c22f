import { performance } from 'node:perf_hooks';

/**
 * Work that takes long, a slice at a time, so that it keeps the event loop from others for a moment
 * only. In each turn of the event loop one slice is run, however many works there are: they take
 * turns.
 */
export interface Slices {
  /** Whether this slice has lasted long enough. */
  isOver(): boolean;
  /** Resolves when it is this work's turn again. */
  next(): Promise<void>;
}

/** How long a slice may last, ms. */
const LENGTH = 8;

const waiting: (() => void)[] = [];

/** Begins with a slice; `check` may throw as each further one begins, and so end the work. */
export function inSlices(check: () => void = () => undefined): Slices {
  let begun = performance.now();
  return {
    isOver: () => performance.now() - begun > LENGTH,
    async next() {
      await nextTurn();
      check();
      begun = performance.now();
    },
  };
}

/** Resolves in a turn of the event loop in which no other work has a slice. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    // What is set within a turn runs in the next one.
    if (waiting.length === 1) setImmediate(wakeOne);
  });
}

function wakeOne(): void {
  const resolve = waiting.shift();
  if (waiting.length > 0) setImmediate(wakeOne);
  resolve?.();
}
