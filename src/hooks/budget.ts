import { HookTimeoutError } from '../methods/hook-errors.js';

/**
 * HOOK_TIMEOUT of one method call: the time that all of its hooks may take together. The call's
 * waits between hooks, above all for another's lock, don't count.
 */
export class HookBudget {
  readonly #abort = new AbortController();
  readonly #deadline: number;
  /** Of the hooks that run, ms of `performance.now()`. */
  #end = 0;
  #left: number;
  #running = 0;

  constructor(timeout: number, deadline: number) {
    this.#left = timeout;
    this.#deadline = deadline;
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Resolves to the result of `work`; rejects with the error of `late` once the time is over. */
  async run<T>(work: () => Promise<T>, late: () => HookTimeoutError): Promise<T> {
    // A hook inside of another's tx.set takes of the same time.
    if (this.#running === 0) this.#end = Math.min(performance.now() + this.#left, this.#deadline);
    this.#running += 1;
    const running = work();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late()), Math.max(0, this.#end - performance.now()));
    });
    try {
      const value = await Promise.race([running, timeout]);
      // A loop that never awaits kept the timer from firing.
      if (performance.now() > this.#end) throw late();
      return value;
    } catch (error) {
      if (error instanceof HookTimeoutError) this.#abort.abort(error);
      // Nobody waits for the rest of the hook.
      running.catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
      this.#running -= 1;
      if (this.#running === 0) this.#left = Math.max(0, this.#end - performance.now());
    }
  }
}
