import type { StateChange } from '../../store/port.js';

/**
 * Account id to type name to state number. Null: the hint doesn't say which types, so its receiver
 * reads all of the account.
 */
export type Hints = ReadonlyMap<string, ReadonlyMap<string, number> | null>;

/** Why something may have been lost. */
export type DoubtReason =
  /** Another process has written to the SQLite file. */
  | 'otherProcess'
  /** This process has begun to hear others, or hears them again. */
  | 'connected'
  /** A process is heard for the first time, and may have told of commits before. */
  | 'peerFound'
  /** A process speaks of another epoch of states: a new one may have begun. */
  | 'otherEpoch'
  /** A process fell silent without a good-bye. */
  | 'peerLost'
  /** Hints were dropped, here or at their sender: there were too many. */
  | 'shed'
  /** Some time has passed: the safety net below all others. */
  | 'floor'
  /** The interval of `PUSH_BUS=poll:DURATION` has passed. */
  | 'poll';

/** Takes what a hub hears. Its methods return soon and never throw. */
export interface HubListener {
  /** Takes hints of commits of other processes. They may be late, repeated and forged. */
  hints(hints: Hints): void;
  /** Something may have been lost: compares every listened account with the database. */
  doubt(reason: DoubtReason): void;
  /** Another process has created or changed a PushSubscription. */
  subscription(id: string): void;
}

/** The shards of push subscriptions that this process serves. */
export interface Shards {
  /** Returns whether this process serves a shard, of 0 to 15, at this moment. */
  isMine(shard: number): boolean;
  /**
   * Calls `listener` after each change of what `isMine` answers, but for the time that has run out
   * since the last confirmation. Others get shards that this process gives up to them when the
   * promise has resolved, or after 2 s. Shards that are lost are others' at once.
   */
  onChange(listener: () => void | Promise<void>): void;
}

/** Counts of a hub, for metrics. The counts but `listen` and `peers` only grow. */
export interface HubCounts {
  /** 1 while the hub hears other processes or needs to hear none, else 0. */
  readonly listen: 0 | 1;
  /** Other processes that are heard. */
  readonly peers: number;
  readonly doubts: Readonly<Record<DoubtReason, number>>;
  /** Accounts told to and by other processes, and those dropped: there were too many. */
  readonly hints: { readonly in: number; readonly out: number; readonly shed: number };
  /** Shards that this process serves. */
  readonly shards: number;
}

/** Tells other processes of the commits of this one, and hears of theirs. */
export interface Hub {
  /** Tells of a commit of this process. Never throws, never waits, and costs no statement of it. */
  publish(change: StateChange): void;
  /** Tells the process that serves a PushSubscription that it was created or changed. */
  announceSubscription(id: string): void;
  /** Sets who takes what is heard; a doubt from before is told at once. One listener alone. */
  listen(listener: HubListener): void;
  readonly shards: Shards;
  /** Why changes that others make may be pushed late, in a sentence; null: they aren't. */
  readonly problem: string | null;
  counts(): HubCounts;
  /** Says good-bye, gives the shards up, and ends all that the hub has opened: within 2 s. */
  close(): Promise<void>;
}
