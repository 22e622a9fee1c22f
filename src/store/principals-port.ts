import type { JsonObject } from '../protocol/json.js';
import type { PrincipalId } from './access-port.js';

/**
 * The part of the store's port that knows which principals users see (RFC 9670). Each operation is
 * about a user, the viewer, and about no account in particular.
 */

/** A user or a group, as others may know it. */
export interface KnownPrincipal {
  readonly id: PrincipalId;
  readonly name: string;
  readonly isGroup: boolean;
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

/** A change of the rights that a user has at an object. */
export interface ShareNotice {
  /** Ids ascend. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  /** The user who made the change. */
  readonly changedBy: PrincipalId;
  readonly objectType: string;
  readonly objectId: string;
  readonly name: string;
  /** Null where the user had none. */
  readonly oldRights: JsonObject | null;
  readonly newRights: JsonObject | null;
}

/** A change that the user who has the rights was not told yet. */
export interface KeptNotice extends ShareNotice {
  readonly objectAccountId: string;
}

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

  /** Returns the principals that a viewer sees; `all`: every one of the server. */
  facts(viewer: PrincipalId, all: boolean): Promise<PrincipalFacts>;

  /** Returns those of the principals that a viewer sees for what they have in common. */
  knownAmong(viewer: PrincipalId, ids: readonly PrincipalId[]): Promise<readonly PrincipalId[]>;

  /** Returns the users of these ids. */
  users(ids: readonly PrincipalId[]): Promise<readonly KnownPrincipal[]>;

  /** Returns the first notices for the user of the account, in order of id. */
  notices(limit: number): Promise<readonly KeptNotice[]>;
}

export interface PrincipalWrites {
  /** Keeps notices for users, about objects of this account. */
  keepNotices(notices: ReadonlyMap<PrincipalId, readonly ShareNotice[]>): Promise<void>;

  /** Forgets notices for the user of the account. */
  endNotices(ids: readonly string[]): Promise<void>;
}
