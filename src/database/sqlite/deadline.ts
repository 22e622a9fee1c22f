import type { Database } from 'better-sqlite3';
import { UnavailableError } from '../../protocol/errors.js';

/** When what runs on a connection is stopped. */
interface Limit {
  readonly deadline: number;
  /** Makes what is thrown then. */
  readonly late: () => Error;
}

/**
 * The deadline of the call that a connection serves at the moment. SQLite can't be interrupted from
 * the thread that runs it, so statements that may scan call `jmap_tick()`, which throws once the
 * deadline has passed.
 */
const limits = new WeakMap<Database, Limit>();

/**
 * `performance.now()` after which `jmap_tick` stops a statement with what `late` makes; Infinity for
 * never.
 */
export function setDeadline(db: Database, deadline: number, late: () => Error = lateError): void {
  limits.set(db, { deadline, late });
}

/** 1, or throws when it is too late: the body of `jmap_tick`, and asked before each statement. */
export function tick(db: Database): 1 {
  const limit = limits.get(db);
  if (limit === undefined || performance.now() <= limit.deadline) return 1;
  throw limit.late();
}

/** Throws UnavailableError when `deadline` has passed. */
export function checkDeadline(deadline: number): void {
  if (performance.now() > deadline) throw lateError();
}

export function lateError(): UnavailableError {
  return new UnavailableError('The call took longer than REQUEST_TIMEOUT allows.');
}
