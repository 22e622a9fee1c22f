import type { ValidatorSource } from '../emit/validators.js';
import type { DiffRequest } from '../migrations/engine.js';

/**
 * The jobs that a second thread can do meanwhile. Only what can be copied goes in and comes out,
 * and a result depends on nothing else: where a job runs makes no difference to any byte.
 */
export const JOBS = Object.freeze({
  /** Loads what a `diff` takes. */
  async prepareDiff(): Promise<void> {
    const { loadEngine } = await import('../migrations/engine.js');
    await loadEngine();
  },
  async diff({ provider, from, to }: DiffRequest): Promise<string> {
    const { loadEngine } = await import('../migrations/engine.js');
    return (await loadEngine()).diff(provider, from, to);
  },
  /** Returns the code of each module, by its sources. */
  async validators(modules: readonly (readonly ValidatorSource[])[]): Promise<readonly string[]> {
    const { emitValidators } = await import('../emit/validators.js');
    return modules.map(emitValidators);
  },
});

export type JobName = keyof typeof JOBS;

/** A job for the thread, as it is sent. */
export interface Job {
  readonly id: number;
  readonly name: JobName;
  readonly args: readonly unknown[];
}

/** The outcome of a job. */
export type Outcome =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: unknown };

let last: Promise<unknown> = Promise.resolve();

/** Does a job once those before it are done. */
export function work({ name, args }: Pick<Job, 'name' | 'args'>): Promise<unknown> {
  const job = JOBS[name] as (...given: readonly unknown[]) => Promise<unknown>;
  const done = last.then(() => job(...args));
  last = done.catch(() => undefined);
  return done;
}
