import type { Steps } from '../../../src/runtime/paused-work.js';

/** How long work goes on before others have the thread, ms. */
const SLICE = 8;

/** Runs steps in slices. Resolves to their result. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const end = performance.now() + SLICE;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
    await nextTask();
  }
}

/** Resolves in the next task. Browsers make timers wait for 4 ms. */
export function nextTask(): Promise<void> {
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
