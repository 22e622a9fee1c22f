import { lateError } from '../../database/postgresql/errors.js';
import { UnavailableError } from '../../protocol/errors.js';
import { FairSlots } from '../../runtime/fair-slots.js';

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

/** Whose turn it is of a pool's connections: accounts take turns. */
export class Shares {
  readonly #all: FairSlots;
  readonly #long: FairSlots;

  constructor(size: number) {
    const { all, each, long, longEach } = sharesOf(size);
    this.#all = openTurns(all, each);
    this.#long = openTurns(long, longEach);
  }

  /** Runs a work in the account's turn. `isLong`: it waits for other things, or may scan. */
  run<T>(accountId: string, deadline: number, isLong: boolean, work: () => Promise<T>): Promise<T> {
    const run = (): Promise<T> => this.#all.run(accountId, deadline, work);
    return isLong ? this.#long.run(accountId, deadline, run) : run();
  }

  /** Whether a short work of the account would run at once. */
  isFree(accountId: string): boolean {
    return this.#all.isFree(accountId);
  }

  /** Turns away what waits, and what comes. */
  close(): void {
    this.#all.close();
    this.#long.close();
  }
}

function openTurns(size: number, share: number): FairSlots {
  const closed = (): Error => new UnavailableError('The server is stopping.');
  const errors = { late: lateError, closed, full: closed };
  return new FairSlots({ size, share, mayWait: Infinity, errors });
}
