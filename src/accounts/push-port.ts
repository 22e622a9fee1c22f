import type { Principal } from './principal.js';

/** The port of push subscriptions (RFC 8620 7.2): what methods and the sender see of their rows. */

/** The shares of the subscriptions that processes divide among themselves. */
export const SHARDS = 16;
export const ALL_SHARDS: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** The longest URL of a subscription, characters. */
export const LONGEST_URL = 2048;

/** The keys that a client wants its pushes encrypted with (RFC 8291), in base64url. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** A push subscription as it is stored. Times are epoch ms. */
export interface PushSubscription {
  readonly id: string;
  readonly deviceClientId: string;
  /** Null where SECRETS_KEY doesn't decrypt it: nothing can be pushed. */
  readonly url: string | null;
  /** Null: the client gave none, or SECRETS_KEY doesn't decrypt them. */
  readonly keys: PushKeys | null;
  /** Null: all. */
  readonly types: readonly string[] | null;
  readonly expires: number;
  readonly created: number;
  /** The client must give it to verify the subscription. */
  readonly code: string;
  readonly isVerified: boolean;
  /** How often another code was given since `wrongSince`. */
  readonly wrongCodes: number;
  readonly wrongSince: number | null;
  readonly lastSuccess: number | null;
  readonly lastFailure: number | null;
  readonly lastFailureReason: string | null;
}

/** A subscription to store. */
export interface NewPushSubscription
  extends Pick<PushSubscription, 'id' | 'deviceClientId' | 'keys' | 'types' | 'expires'>,
    Pick<PushSubscription, 'created' | 'code'> {
  readonly url: string;
  /** The host of the URL: the rate of creations for each is limited. */
  readonly host: string;
  /** The id of the states that it counts as told; null: none. */
  readonly lastId: string | null;
}

/** A change of a stored one. */
export interface PushSubscriptionChange {
  readonly types?: readonly string[] | null;
  readonly expires?: number;
  /** When the client gave the right code. */
  readonly verified?: number;
  readonly wrongCodes?: number;
  readonly wrongSince?: number | null;
}

/** A subscription that something may be posted to. Times are epoch ms. */
export interface PushRow {
  readonly id: string;
  readonly url: string;
  /** As octets. Null: the client gave none. */
  readonly keys: { readonly p256dh: Buffer; readonly auth: Buffer } | null;
  /** The types that it is told of; null: all. */
  readonly types: readonly string[] | null;
  /** The id of the key that signs its pushes; null: none does. */
  readonly vapidKey: string | null;
  readonly shard: number;
  /** The id of the states that it was told last; null: none. */
  readonly lastId: string | null;
  /** Pushes in a row that have failed. */
  readonly failures: number;
  readonly firstFailure: number | null;
  /** Nothing is pushed before. */
  readonly notBefore: number | null;
}

/** A push that was taken. */
export interface SuccessNote {
  readonly id: string;
  readonly lastId: string;
  readonly at: number;
}

/** A push that was not taken. */
export interface FailureNote extends Pick<PushRow, 'id' | 'failures' | 'firstFailure'> {
  readonly notBefore: number;
  readonly at: number;
  /** In a word: `status-403`, `unreachable`, `noAnswer`, `unsigned`. Users may see it. */
  readonly reason: string;
}

/** The owner of subscriptions. */
export type PushOwner = Pick<Principal, 'credential' | 'userId'>;

/** How many subscriptions count towards the limits. */
export interface PushUsage {
  readonly ofToken: number;
  readonly ofUser: number;
  /** The oldest one of the token; null where it has none. */
  readonly oldest: Pick<PushSubscription, 'id' | 'created'> | null;
}

/** A transaction on the subscriptions of one token, which nobody else changes meanwhile. */
export interface PushTransaction {
  /** Returns the token's living ones among these. */
  find(ids: readonly string[]): Promise<readonly PushSubscription[]>;
  /** Counts verified ones, and others that were created after `since`. */
  usage(since: number): Promise<PushUsage>;
  /** Returns how many the user has created after `since`, destroyed and refused ones included. */
  countCreations(since: number): Promise<number>;
  /** Returns how many anybody has created for the host after `since` that were never verified. */
  countUnverified(host: string, since: number): Promise<number>;
  create(subscription: NewPushSubscription): Promise<void>;
  change(id: string, change: PushSubscriptionChange): Promise<void>;
  /** Erases them with their secrets. */
  destroy(ids: readonly string[]): Promise<void>;
}

/** The rows of push subscriptions. */
export interface PushSubscriptions {
  /** Returns the owner's living ones in the order of their creation, or those of the ids. */
  list(
    owner: string,
    which: { readonly ids: readonly string[] } | { readonly first: number },
  ): Promise<readonly PushSubscription[]>;

  /** Returns how many the user has created after `since`, destroyed and refused ones included. */
  countCreations(userId: string, since: number): Promise<number>;

  /** Counts creations of a user that are refused. */
  countRefused(userId: string, ids: readonly string[], at: number): Promise<void>;

  /**
   * Runs `work` in a transaction, perhaps more than once. `creates`: it counts and creates, so that
   * no other server does meanwhile. Throws PushTokenError where the token has ended.
   */
  change<T>(
    owner: PushOwner,
    creates: boolean,
    work: (transaction: PushTransaction) => Promise<T>,
  ): Promise<T>;
}

/** The token of a request has ended while the request ran. */
export class PushTokenError extends Error {
  override readonly name = 'PushTokenError';

  constructor() {
    super('The token has ended.');
  }
}

/** Encrypts what a database must not show, and decrypts it. */
export interface Sealer {
  seal(text: string, place: SealedPlace): string;
  /** Returns null where the key doesn't fit, or where there is none. */
  open(stored: string, place: SealedPlace): string | null;
  /** Returns whether the text is stored as `seal` stores it now. */
  isCurrent(stored: string): boolean;
}

/** A text is good in its own place alone. */
export interface SealedPlace {
  readonly table: string;
  readonly id: string;
  readonly column: string;
}
