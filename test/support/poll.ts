import { setTimeout as delay } from 'node:timers/promises';

/**
 * Runs `check` until it no longer throws and resolves to what it returns; after `timeout` ms the
 * last failure is thrown. For what another process is told to see soon: nothing here measures how
 * soon.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeout = 60_000): Promise<T> {
  const end = performance.now() + timeout;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await delay(20);
  }
}

/** Rejects after `timeout` ms with a message that says what was waited for. */
export async function within<T>(what: string, promise: Promise<T>, timeout = 60_000): Promise<T> {
  const abort = new AbortController();
  const late = delay(timeout, undefined, { signal: abort.signal }).then(() => {
    throw new Error(`${what} did not happen within ${timeout} ms.`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    abort.abort();
  }
}
