import { lateError } from '../../database/sqlite/deadline.js';
import { UnavailableError } from '../../protocol/errors.js';
import { FairTurns } from '../../runtime/fair-turns.js';

/** Reads that may wait; beyond it a call is turned away at once (D6). */
const MAY_WAIT = 1024;

const errors = Object.freeze({
  full: () => new UnavailableError('Too many reads are waiting.'),
  late: lateError,
  closed: () => new UnavailableError('The server is stopping.'),
});

/**
 * Makes turns of so many reads at once. Where there is place for several reads no account has all of
 * it: one that reads without end keeps nobody else from reading.
 */
export function createReadTurns(size: number): FairTurns {
  return new FairTurns({ size, share: Math.max(1, size - 1), mayWait: MAY_WAIT, errors });
}
