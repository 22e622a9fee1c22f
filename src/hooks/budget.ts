import { HookTimeoutError } from '../methods/hook-errors.js';
import { timeLeft } from '../runtime/deadlines.js';

/** One hook, as its time is bounded. */
export interface TimedHook {
  /** The hook, for messages. */
  readonly what: string;
  /** Its own limit, ms; null if it shares HOOK_TIMEOUT with the others of the call. */
  readonly limit: number | null;
}

/**
 * The time of the hooks of one method call. Those without a limit of their own share HOOK_TIMEOUT.
 * The call's waits between hooks, above all for another's lock, don't count.
 */
export class HookBudget {
  readonly #abort = new AbortController();
  readonly #deadline: number;
  readonly #timeout: number;
  /** Of the hooks that run and share the time, ms of `performance.now()`. */
  #end = 0;
  #left: number;
  #running = 0;

  /** `timeout`: HOOK_TIMEOUT, ms. No hook runs beyond the deadline of the call. */
  constructor(timeout: number, deadline: number) {
    this.#timeout = timeout;
    this.#left = timeout;
    this.#deadline = deadline;
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Resolves to the result of `work`; rejects with HookTimeoutError once the time is over. */
  async run<T>(hook: TimedHook, work: () => Promise<T>): Promise<T> {
    const { limit } = hook;
    if (limit !== null) return this.#race(hook, performance.now() + limit, work);
    // A hook inside of another's tx.set takes of the same time.
    if (this.#running === 0) this.#end = performance.now() + this.#left;
    this.#running += 1;
    try {
      return await this.#race(hook, this.#end, work);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#left = Math.max(0, this.#end - performance.now());
    }
  }

  async #race<T>(hook: TimedHook, until: number, work: () => Promise<T>): Promise<T> {
    const end = Math.min(until, this.#deadline);
    const late = (): HookTimeoutError => this.#late(hook, until > this.#deadline);
    const running = work();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late()), timeLeft(end));
    });
    try {
      const value = await Promise.race([running, timeout]);
      // A loop that never awaits kept the timer from firing.
      if (performance.now() > end) throw late();
      return value;
    } catch (error) {
      if (error instanceof HookTimeoutError) this.#abort.abort(error);
      // Nobody waits for the rest of the hook.
      running.catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #late({ what, limit }: TimedHook, isBeyondDeadline: boolean): HookTimeoutError {
    if (isBeyondDeadline) return new HookTimeoutError(what, 'the call has (REQUEST_TIMEOUT)');
    if (limit === null) return new HookTimeoutError(what, `HOOK_TIMEOUT (${this.#timeout} ms)`);
    return new HookTimeoutError(what, `its timeout (${limit} ms)`);
  }
}
