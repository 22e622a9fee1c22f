/** Lets a bounded number of tasks run at once; the others wait in order. */
export type Gate = <T>(task: () => Promise<T>) => Promise<T>;

/** Returns a gate for as many tasks as `limit` returns. */
export function makeGate(limit: () => number): Gate {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= limit()) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
