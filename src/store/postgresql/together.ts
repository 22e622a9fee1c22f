import { MethodError } from '../../protocol/errors.js';
import type { Snapshot } from '../port.js';
import type { SqlSnapshot } from '../sql/snapshot.js';
import type { Connection } from './connection.js';

/** A read that asks once, and is expected to take no time. */
interface Brief {
  readonly accountId: string;
  readonly deadline: number;
  readonly work: (snapshot: Snapshot) => Promise<unknown>;
  /** Runs it by itself: what failed may not be of its own doing. */
  readonly alone: () => Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** What sharing needs of the store. */
export interface TogetherHost {
  /** Works that share a connection; more take a further one. */
  readonly atOnce: number;
  /** Runs a work on a connection that is asked once, and gives no statement long. */
  run(
    accountId: string,
    deadline: number,
    work: (connection: Connection) => Promise<unknown>,
  ): Promise<unknown>;
  open(connection: Connection, accountId: string): SqlSnapshot<Connection>;
  /** A work of the account shares its connection with those of others. */
  mayMix(accountId: string): boolean;
}

/**
 * Reads that come in one turn of the event loop ask together: one connection, one packet there and one back,
 * one snapshot, which is taken after all of them have come. A statement that takes long (it waits for a table that
 * is locked) is ended, and so are all behind it. What fails may be another one's doing, so it is run by itself.
 */
export class Together {
  readonly #host: TogetherHost;
  #waiting: Brief[] = [];

  constructor(host: TogetherHost) {
    this.#host = host;
  }

  read<T>(
    { accountId, deadline }: Pick<Brief, 'accountId' | 'deadline'>,
    work: (snapshot: Snapshot) => Promise<T>,
    alone: () => Promise<T>,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      // Behind all that this turn reads from its sockets.
      if (this.#waiting.length === 0) setImmediate(() => this.#start());
      const settle = resolve as (value: unknown) => void;
      this.#waiting.push({ accountId, deadline, work, alone, resolve: settle, reject });
    });
  }

  #start(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (const group of groups(all, this.#host)) void this.#run(group);
  }

  async #run(group: readonly Brief[]): Promise<void> {
    const [first, second] = group;
    if (first === undefined) return;
    // Nobody waits behind it.
    if (second === undefined) return first.resolve(first.alone());
    const deadline = Math.min(...group.map((each) => each.deadline));
    let hasBegun = false;
    try {
      await this.#host.run(first.accountId, deadline, (connection) => {
        hasBegun = true;
        return Promise.all(group.map((each) => this.#one(connection, each)));
      });
    } catch {
      if (!hasBegun) for (const each of group) each.resolve(each.alone());
    }
  }

  async #one(connection: Connection, brief: Brief): Promise<void> {
    const snapshot = this.#host.open(connection, brief.accountId);
    try {
      const value = await brief.work(snapshot);
      // Only a connection that was set up gives all of it one snapshot.
      await connection.begun();
      brief.resolve(value);
    } catch (error) {
      if (error instanceof MethodError) brief.reject(error);
      else brief.resolve(brief.alone());
    } finally {
      snapshot.end();
    }
  }
}

/** Groups reads that share a connection. */
function groups(
  all: readonly Brief[],
  { atOnce, mayMix }: TogetherHost,
): readonly (readonly Brief[])[] {
  const made: Brief[][] = [];
  for (const each of all) {
    const fits = made.find(
      (group) =>
        group.length < atOnce &&
        group[0] !== undefined &&
        (group[0].accountId === each.accountId || mayMix(group[0].accountId)),
    );
    if (fits === undefined) made.push([each]);
    else fits.push(each);
  }
  return made;
}
