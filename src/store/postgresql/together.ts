import { MethodError } from '../../protocol/errors.js';
import type { Connection } from './connection.js';
import { isNear } from './session.js';
import type { PostgresqlSnapshot } from './snapshot.js';

/** Works that share a connection; more take a further one. */
const AT_ONCE = 16;

/** A read that asks once, and is expected to take no time. */
export interface Brief {
  readonly accountId: string;
  readonly deadline: number;
  readonly work: (snapshot: PostgresqlSnapshot) => Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  /** Runs it by itself: it asked again, or something failed that may not be of its own doing. */
  alone(): void;
  /** The same of what may take long. */
  apart(): void;
}

/** What sharing needs of the store. */
export interface TogetherHost {
  /** A connection that is asked once. */
  connect(accountId: string, deadline: number): Promise<Connection>;
  open(connection: Connection, accountId: string): PostgresqlSnapshot;
  /** Works of different accounts share a connection, too. */
  readonly mixes: boolean;
  /** A work of the account need not wait for a connection; one that may take long need not. */
  isFree(accountId: string): boolean;
  isFreeForLong(accountId: string): boolean;
  /** What has not been answered after this, ms, is asked for by itself, too. */
  readonly patience: number;
}

/**
 * Reads that come in one turn of the event loop ask together: one connection, one packet there and one back,
 * one snapshot, which is taken after all of them have come. What fails may be another one's doing, so it is
 * run again by itself. And one statement that waits (for a table that is locked) has all behind it wait: what is
 * not answered in good time is asked for once more, by itself, as long as that is at nobody's cost.
 */
export class Together {
  readonly #host: TogetherHost;
  #waiting: Brief[] = [];

  constructor(host: TogetherHost) {
    this.#host = host;
  }

  push(brief: Brief): void {
    // Behind all that this turn reads from its sockets.
    if (this.#waiting.length === 0) setImmediate(() => this.#start());
    this.#waiting.push(brief);
  }

  #start(): void {
    const all = this.#waiting;
    this.#waiting = [];
    for (const group of groups(all, this.#host.mixes ? this.#host.isFree : never))
      void this.#run(group);
  }

  async #run(group: readonly Brief[]): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    if (group.length === 1) {
      first.alone();
      return;
    }
    let connection: Connection;
    try {
      const deadline = Math.max(...group.map((each) => each.deadline));
      connection = await this.#host.connect(first.accountId, deadline);
    } catch {
      for (const each of group) each.alone();
      return;
    }
    const open = new Map<Brief, PostgresqlSnapshot>();
    for (const each of group) open.set(each, this.#host.open(connection, each.accountId));
    const again = setInterval(() => this.#again(open), this.#host.patience);
    await Promise.all([...open].map((each) => this.#one(connection, each, open)));
    clearInterval(again);
    // Nothing is left to be answered.
    void connection.rollback();
  }

  #again(open: Map<Brief, PostgresqlSnapshot>): void {
    const { isFree, isFreeForLong } = this.#host;
    for (const [each, snapshot] of open) {
      if (snapshot.isPaused) continue;
      if (!isFree(each.accountId) || !isFreeForLong(each.accountId)) continue;
      open.delete(each);
      each.apart();
    }
  }

  /** `open`: those that have come to nothing yet, and run nowhere else. */
  async #one(
    connection: Connection,
    [brief, snapshot]: readonly [Brief, PostgresqlSnapshot],
    open: Map<Brief, PostgresqlSnapshot>,
  ): Promise<void> {
    try {
      const result = await brief.work(snapshot);
      await connection.begun();
      brief.resolve(result);
    } catch (error) {
      if (error instanceof MethodError) brief.reject(error);
      else if (open.has(brief)) brief.alone();
    } finally {
      open.delete(brief);
      snapshot.end();
    }
  }
}

function never(): boolean {
  return false;
}

/**
 * What shares a connection: about as much time is left to each. Where connections are waited for, they are
 * shared by none but works of one account, since accounts take turns.
 */
function groups(
  all: readonly Brief[],
  isFree: (accountId: string) => boolean,
): readonly (readonly Brief[])[] {
  const now = performance.now();
  const made: Brief[][] = [];
  for (const each of all) {
    const left = each.deadline - now;
    const fits = made.find(
      (group) =>
        group.length < AT_ONCE &&
        group[0] !== undefined &&
        isNear(group[0].deadline - now, left) &&
        (group[0].accountId === each.accountId || isFree(group[0].accountId)),
    );
    if (fits === undefined) made.push([each]);
    else fits.push(each);
  }
  return made;
}
