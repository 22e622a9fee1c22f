import type { Database } from 'better-sqlite3';
import { UnavailableError } from '../../protocol/errors.js';

/**
 * The deadline of the call that a connection serves at the moment. SQLite can't be interrupted from
 * the thread that runs it, so statements that may scan call `jmap_tick()`, which throws once the
 * deadline has passed.
 */
const deadlines = new WeakMap<Database, number>();

/** `performance.now()` after which `jmap_tick` stops a statement; Infinity for never. */
export function setDeadline(db: Database, deadline: number): void {
  deadlines.set(db, deadline);
}

/**
 * 1, or UnavailableError when it is too late: the body of `jmap_tick`, and asked before each
 * statement.
 */
export function tick(db: Database): 1 {
  checkDeadline(deadlines.get(db) ?? Number.POSITIVE_INFINITY);
  return 1;
}

/** Throws UnavailableError when `deadline` has passed. */
export function checkDeadline(deadline: number): void {
  if (performance.now() > deadline) throw lateError();
}

export function lateError(): UnavailableError {
  return new UnavailableError('The call took longer than REQUEST_TIMEOUT allows.');
}
