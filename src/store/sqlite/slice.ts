import type { Database } from 'better-sqlite3';
import { lateError, setDeadline } from '../../database/sqlite/deadline.js';

/** What a read by an index may have of the thread that serves all requests, ms. */
export const SLICE = 10;

/** A read takes longer than it may where others wait for it: it begins anew elsewhere. */
export class SliceError extends Error {
  override readonly name = 'SliceError';
}

/** Has `jmap_tick` stop what runs from now on with SliceError after so many ms, with UnavailableError at its deadline. */
export function limitTo(db: Database, ms: number, deadline: number): void {
  const late = (): Error =>
    performance.now() > deadline
      ? lateError()
      : new SliceError('The read takes longer than it may here.');
  setDeadline(db, Math.min(performance.now() + ms, deadline), late);
}
