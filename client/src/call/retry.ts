import { type CallError, RequestError } from './errors.js';

/** How often a request without an answer is repeated. */
const REPEATS = 3;
const FIRST_WAIT = 200;
const LONGEST_WAIT = 10_000;

/** Statuses of gateways. The server behind them may have run the request. */
const GATEWAY = [502, 504];

export interface RetryOptions {
  /** The request changes nothing, so it may be run twice. */
  readonly isReading: boolean;
  /** Milliseconds to wait in all. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

/**
 * Makes attempts until one succeeds, waiting as long as the server says. A request that writes is
 * repeated only if the server has said that it didn't run it.
 */
export async function retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { isReading, patience, signal } = options;
  let waited = 0;
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      const wait = judgeFailure(error as CallError, isReading, failures);
      if (wait === null || waited + wait > patience) throw error;
      waited += wait;
      await sleep(wait, signal);
    }
  }
}

/** Returns the milliseconds to wait before the next attempt; null where there is none. */
function judgeFailure(error: CallError, isReading: boolean, failures: number): number | null {
  const wait = Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT) * (0.5 + Math.random());
  if (error instanceof RequestError) {
    const { status, retryAfter, limit } = error;
    if (retryAfter !== undefined && (status === 429 || status === 503)) return retryAfter * 1000;
    if (status === 429 || limit?.startsWith('maxConcurrent')) return wait;
    if (isReading && status === 503) return wait;
    if (!GATEWAY.includes(status)) return null;
  } else if (error.type !== 'transport') {
    return null;
  }
  return isReading && failures < REPEATS ? wait : null;
}

/** Resolves after a time; rejects with the signal's reason. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}
