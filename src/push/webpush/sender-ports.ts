import type { FailureNote, PushRow, SuccessNote } from '../../accounts/push-port.js';

export type { FailureNote, PushRow, SuccessNote };

/** The stored subscriptions that can be served: verified, not expired, of a living token. */
export interface PushRows<Row extends PushRow = PushRow> {
  /** Gives the subscriptions of ids, or of shards that are served from now on, in parts. */
  load(
    which: { readonly shards: readonly number[] } | { readonly ids: readonly string[] },
  ): AsyncIterable<readonly Row[]>;
  /** Resolves to the subscriptions of shards, without their secrets. */
  listServed(shards: readonly number[]): Promise<readonly Pick<PushRow, 'id' | 'types'>[]>;
  /** Resolves to subscriptions as they are now. Leaves out the ended, and destroys the expired. */
  read(ids: readonly string[]): Promise<readonly Row[]>;
  /** Stores what was told. It ends a run of failures. */
  noteSuccesses(notes: readonly SuccessNote[]): Promise<void>;
  noteFailures(notes: readonly FailureNote[]): Promise<void>;
  remove(id: string): Promise<void>;
}

/** States that a receiver has not been told (push/channel.ts). */
export interface PushNews {
  /** The `changed` of a StateChange, JSON. */
  readonly changed: string;
  /** Stands for all states that the receiver has been told by then. */
  readonly id: string;
}

export interface PushChannel {
  /** Returns what is new, and counts it as told. */
  take(): PushNews | null;
  close(): void;
}

export interface PushChannelListener {
  /** There may be news to take. */
  wake(): void;
  /** The token may do nothing any more. */
  ended(): void;
}

/** Opens a channel whose receiver has `lastId`; null where the token may do nothing. */
export type OpenChannel<Row extends PushRow = PushRow> = (
  row: Row,
  lastId: string | null,
  listener: PushChannelListener,
) => Promise<PushChannel | null>;

/** The shards of the subscriptions that this process serves (push/hub/hub.ts). */
export interface OwnShards {
  isMine(shard: number): boolean;
  /** Others get shards that this process gives up once the promise has resolved, or soon. */
  onChange(listener: () => void | Promise<void>): void;
}
