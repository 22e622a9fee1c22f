import { MethodError } from '../../protocol/errors.js';
import type { Connection } from './connection.js';
import type { Connections } from './connections.js';

/** A read that asks once, and is expected to take no time. */
export interface QuickRead<T = unknown> {
  readonly accountId: string;
  readonly deadline: number;
  readonly work: (connection: Connection) => Promise<T>;
  /** Runs it by itself: what failed may not be of its own doing. */
  readonly alone: () => Promise<T>;
}

interface Waiting {
  readonly read: QuickRead;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** How reads share connections. */
export interface Sharing {
  /** Reads of one connection; more take a further one. */
  readonly atOnce: number;
  /** The longest time that a statement may take, ms: others wait for its answer. */
  readonly longest: number;
  /** They may scan: they take the connections for that, and share none with another account. */
  readonly isLong: boolean;
}

/**
 * Reads of one turn of the event loop ask together: one connection, one packet there and one back,
 * one snapshot, taken after all have come. The server ends a statement that takes long (it waits
 * for a locked table), and all behind it. A failed read runs again alone: another may be the cause.
 */
export class Together {
  readonly #connections: Connections;
  readonly #sharing: Sharing;
  #waiting: Waiting[] = [];

  constructor(connections: Connections, sharing: Sharing) {
    this.#connections = connections;
    this.#sharing = sharing;
  }

  read<T>(read: QuickRead<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // Behind all that this turn reads from its sockets.
      if (this.#waiting.length === 0) setImmediate(() => this.#start());
      this.#waiting.push({ read: read, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  #start(): void {
    const groups: Waiting[][] = [];
    for (const each of this.#waiting) {
      const group = groups.find((one) => this.#mayJoin(one, each));
      if (group === undefined) groups.push([each]);
      else group.push(each);
    }
    this.#waiting = [];
    for (const group of groups) void this.#run(group);
  }

  #mayJoin(group: readonly Waiting[], { read }: Waiting): boolean {
    const { atOnce, isLong } = this.#sharing;
    const [first] = group;
    if (first === undefined || group.length >= atOnce) return false;
    const { accountId } = first.read;
    // Where connections are waited for, accounts take turns.
    return accountId === read.accountId || (!isLong && this.#connections.isFree(accountId));
  }

  async #run(group: readonly Waiting[]): Promise<void> {
    const [first, second] = group;
    if (first === undefined) return;
    // Nobody waits behind it.
    if (second === undefined) return first.resolve(first.read.alone());
    const { longest, isLong } = this.#sharing;
    const deadline = Math.min(...group.map(({ read }) => read.deadline));
    let hasBegun = false;
    try {
      const demands = { deadline, once: true, longest, isLong };
      await this.#connections.read(first.read.accountId, demands, (connection) => {
        hasBegun = true;
        return Promise.all(group.map((each) => answer(each, connection)));
      });
    } catch {
      if (!hasBegun) for (const { read, resolve } of group) resolve(read.alone());
    }
  }
}

async function answer({ read, resolve, reject }: Waiting, connection: Connection): Promise<void> {
  try {
    const value = await read.work(connection);
    // Only a connection that was set up gives all of it one snapshot.
    await connection.begun;
    resolve(value);
  } catch (error) {
    if (error instanceof MethodError) reject(error);
    else resolve(read.alone());
  }
}
