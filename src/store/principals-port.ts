import type { DataTypeDefinition } from '../capability/definition.js';
import type { JsonObject } from '../protocol/json.js';
import type { PrincipalId } from './access-port.js';
import type { FirstObjects } from './query-port.js';

/**
 * The part of the store's port that knows which principals users see (RFC 9670). Each operation is
 * about a user, the viewer, and about no account in particular.
 */

/** A user or a group, as others may know it. */
export interface KnownPrincipal {
  readonly id: PrincipalId;
  readonly name: string;
  readonly isGroup: boolean;
  /** An identity provider gives the name: its users may choose theirs. */
  readonly isNamedByProvider: boolean;
}

/** An account that the viewer reaches: it was given whole, or objects of it are shared. */
export interface ReachedAccount {
  readonly ownerId: PrincipalId;
  readonly id: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  /** Objects of it are shared with the viewer, and no more. */
  readonly isShared: boolean;
  /** JSON; null for all. */
  readonly capabilities: string | null;
}

/** The principals that a viewer sees. */
export interface PrincipalFacts {
  /** In order of id. */
  readonly principals: readonly KnownPrincipal[];
  readonly accounts: readonly ReachedAccount[];
}

/** News of an object for a user. */
interface NoticeOfObject {
  readonly id: string;
  readonly objectId: string;
}

/** A change of the rights that a user has at an object. */
export interface RightsNotice extends NoticeOfObject {
  readonly kind: 'rights';
  /** Epoch ms. */
  readonly at: number;
  /** The user who made the change. */
  readonly changedBy: PrincipalId;
  readonly name: string;
  /** Null where the user had none. */
  readonly oldRights: JsonObject | null;
  readonly newRights: JsonObject | null;
}

/** The user needs no note of what was before: it has subscribed, or has all rights anyway. */
export interface EndNotice extends NoticeOfObject {
  readonly kind: 'end';
}

export type ShareNotice = RightsNotice | EndNotice;

/** A notice that the account of its user has not taken yet. */
export type KeptNotice = ShareNotice & {
  /** Those of one object are in the order of their commits. */
  readonly key: string;
  readonly objectType: string;
  readonly objectAccountId: string;
};

/** The facts by which one knows whether a view of principals is up to date. */
export interface PrincipalMark {
  /** Another text whenever users reach other accounts. */
  readonly version: string;
  /** There are notices for the user of the account. */
  readonly hasNotices: boolean;
}

export interface PrincipalReads {
  /** Returns the mark of the account in which a user finds principals. */
  mark(): Promise<PrincipalMark>;

  /**
   * Returns the first principals that a viewer sees, behind an id where one is given, and all
   * accounts. `all`: the viewer sees every one of the server.
   */
  facts(viewer: PrincipalId, all: boolean, which: FirstObjects): Promise<PrincipalFacts>;

  /** Returns those of the principals that a viewer sees for what they have in common. */
  knownAmong(viewer: PrincipalId, ids: readonly PrincipalId[]): Promise<readonly PrincipalId[]>;

  /** Returns the users of these ids. */
  users(ids: readonly PrincipalId[]): Promise<readonly KnownPrincipal[]>;

  /** Returns the first notices for the user of the account, in order of their keys. */
  notices(limit: number): Promise<readonly KeptNotice[]>;
}

export interface PrincipalWrites {
  /**
   * Keeps notices for users, about objects of a type in this account whose changes have been
   * recorded. Users who may write in all of the account have all rights anyway: for them each is an
   * end.
   */
  keepNotices(
    type: DataTypeDefinition,
    notices: ReadonlyMap<PrincipalId, readonly ShareNotice[]>,
  ): Promise<void>;

  /** Forgets notices for the user of the account. */
  endNotices(keys: readonly string[]): Promise<void>;
}
