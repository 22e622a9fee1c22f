import { lateError } from '../../database/postgresql/errors.js';
import { UnavailableError } from '../../protocol/errors.js';
import { FairTurns } from '../../runtime/fair-turns.js';

/** Connections that works which wait for other things, or may scan, leave to the others; and each account. */
const KEPT_FREE = 4;

/** How many of a pool's connections there are for what. */
export interface PoolShares {
  readonly all: number;
  /** For one account. */
  readonly each: number;
  /** For works that wait for other things or may scan: all of them, and one account's. */
  readonly long: number;
  readonly longEach: number;
}

/** Of a pool of two or more, long works never have all, nor those of one account all that it may have. */
export function sharesOf(size: number): PoolShares {
  const long = Math.max(1, size - Math.min(KEPT_FREE, Math.floor(size / 2)));
  const each = Math.min(size, Math.max(2, long));
  const longEach = Math.max(1, Math.min(Math.ceil(size / 2), each - 1));
  return { all: size, each, long, longEach };
}

/** Turns of so many connections, of which one account has so many. */
export function openShares(size: number, share: number): FairTurns {
  const closed = (): Error => new UnavailableError('The server is stopping.');
  const errors = { late: lateError, closed, full: closed };
  return new FairTurns({ size, share, mayWait: Infinity, errors });
}
