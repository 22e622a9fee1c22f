import { inspect } from 'node:util';
import { HookRefusal } from '../capability/refusal.js';
import { UnavailableError } from '../protocol/errors.js';
import { excerpt } from '../protocol/excerpt.js';

/** A hook that ran over its time: its call is answered `serverFail`, and says so. */
export class HookTimeoutError extends Error {
  override readonly name = 'HookTimeoutError';

  /** `limit` names the time that was exceeded: `HOOK_TIMEOUT (2000 ms)`. */
  constructor(what: string, limit: string) {
    super(`The hook ${what} took longer than ${limit}`);
  }
}

/** An operation of a `tx` whose transaction has ended, or that was never there. */
export class HookHandleError extends Error {
  override readonly name = 'HookHandleError';
}

/** A hook that failed, by its name: for the log, its call is answered `serverFail`. */
export class HookError extends Error {
  override readonly name = 'HookError';

  /** `why` completes the sentence that the hook begins: `gave null for its response`. */
  constructor(what: string, why: string, cause?: unknown) {
    super(`The hook ${what} ${why}`, ...(cause === undefined ? [] : [{ cause }]));
  }
}

/** Returns whether a function of a hook file is to blame. */
export function isHookFailure(error: unknown): error is Error {
  const kinds = [HookError, HookTimeoutError, HookHandleError, HookRefusal];
  return kinds.some((kind) => error instanceof kind);
}

/**
 * Returns a hook's error as the call and the log get it. Refusals, the machine's failures and
 * errors that name their hook stay as they are; a HookError wraps any other.
 */
export function namedFailure(what: string, thrown: unknown): unknown {
  if (
    thrown instanceof HookRefusal ||
    thrown instanceof HookTimeoutError ||
    thrown instanceof HookError ||
    thrown instanceof UnavailableError
  )
    return thrown;
  const why =
    thrown instanceof Error
      ? `threw ${thrown.name}: ${thrown.message}`
      : `threw what is no Error: ${excerpt(inspect(thrown, { depth: 1, breakLength: Infinity }))}`;
  return new HookError(what, why, thrown);
}
