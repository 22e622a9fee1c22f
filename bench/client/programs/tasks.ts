/** Tasks of the event loop, in Node and in browsers. */

/** Resolves in the next task: others have had their turn. */
export function nextTask(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}

export interface Watched {
  /** How long it took in all, ms. */
  readonly total: number;
  /** The longest time in which nothing else had a turn, ms. */
  readonly longest: number;
}

/** Measures work, and the longest task in which it was done. */
export async function watch(work: () => Promise<unknown>): Promise<Watched> {
  let isOver = false;
  let longest = 0;
  const begun = performance.now();
  const looker = (async () => {
    for (let last = begun; !isOver; ) {
      await nextTask();
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
  })();
  await work();
  const total = performance.now() - begun;
  isOver = true;
  await looker;
  return { total, longest };
}
