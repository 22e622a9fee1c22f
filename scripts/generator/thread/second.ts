import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type JOBS, type Job, type JobName, type Outcome, work } from './jobs.js';

/**
 * A second thread, which starts with its first job. Where there is none to gain by it (one core) or
 * none to be had (from sources, a thread would need a transpiler of its own), jobs are done here.
 */

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that runs `module` (worker.ts) until `end` is called. */
export class SecondThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #sent = 0;
  #failure: Error | undefined;

  constructor(module: URL) {
    // Nothing of what was asked of the process at its start is asked of its thread.
    this.#worker = new Worker(module, { execArgv: [] });
    this.#worker.on('message', (outcome: Outcome) => this.#settle(outcome));
    this.#worker.once('error', (error) => this.#fail(error));
    this.#worker.once('exit', () => this.#fail(new Error('The second thread ended too early.')));
  }

  do(name: JobName, args: readonly unknown[]): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#sent += 1;
      this.#waiting.set(this.#sent, { resolve, reject });
      this.#worker.postMessage({ id: this.#sent, name, args } satisfies Job);
    });
  }

  /**
   * Ends the thread with whatever it still does. Until then it keeps the process alive: a thread
   * that is unref'ed may be gone before `terminate` answers, and Node then exits with code 13.
   */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(outcome: Outcome): void {
    const waiting = this.#waiting.get(outcome.id);
    this.#waiting.delete(outcome.id);
    if ('error' in outcome) waiting?.reject(outcome.error);
    else waiting?.resolve(outcome.value);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

let second: SecondThread | undefined;

/** Returns whether jobs are done beside what this thread does. */
function hasSecondThread(): boolean {
  return import.meta.url.endsWith('.js') && availableParallelism() > 1;
}

/** Does a job, in the second thread where there is one. */
export function meanwhile<Name extends JobName>(
  name: Name,
  ...args: Parameters<(typeof JOBS)[Name]>
): ReturnType<(typeof JOBS)[Name]> {
  return start(name, args) as ReturnType<(typeof JOBS)[Name]>;
}

/**
 * Loads in the second thread what jobs to come will take. Where that fails, they do too, and it is
 * told by them.
 */
export function prepare(name: JobName): void {
  if (hasSecondThread()) start(name, []).catch(() => undefined);
}

function start(name: JobName, args: readonly unknown[]): Promise<unknown> {
  if (!hasSecondThread()) return work({ name, args });
  second ??= new SecondThread(new URL('./worker.js', import.meta.url));
  return second.do(name, args);
}

/**
 * Ends the second thread, if one was started. The code that starts jobs calls this at the end,
 * after a failure too.
 */
export async function endSecondThread(): Promise<void> {
  const ending = second;
  second = undefined;
  await ending?.end();
}
