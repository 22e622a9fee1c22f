import type { DataTypeDefinition } from '../capability/definition.js';

/**
 * The part of the store's port that knows who sees what. An object has scopes, and so has a user.
 * The user sees the object where both have one in common.
 */

/** A user, or a group of users. */
export type PrincipalId = string;

/** The objects of a type that a user sees. */
export interface View {
  /** The shares of the user's groups are the user's, too. */
  readonly userId: PrincipalId;
  /** The scopes that the user has without a share, beside those of itself and of its groups. */
  readonly scopes: readonly string[];
  /** The tables of the objects whose shares count for the type. */
  readonly sharedTables: readonly string[];
  /** The hash of the type's rules: other rules make another view. Null for a type without rules. */
  readonly rules: string | null;
}

/** A user sees the blobs that it has uploaded, and those of objects that it sees. */
export interface BlobView extends Omit<View, 'sharedTables' | 'rules'> {
  /** The tables of which the user sees all objects. */
  readonly tables: readonly string[];
}

/** An object and its scopes. */
export interface ScopedObject {
  readonly id: string;
  readonly scopes: readonly string[];
}

/** The scopes of an object that a change is about. */
export interface NewScopes {
  /** From then on: none for an object that is destroyed. */
  readonly after: readonly string[];
  /** Until then: none for an object that is created; null where they are the same. */
  readonly before: readonly string[] | null;
}

/** A principal has a scope by a share. */
export interface Grant {
  readonly principalId: PrincipalId;
  readonly scope: string;
}

/** The scopes of a user that follow from shares. */
export interface SharesHeld {
  readonly groupIds: readonly PrincipalId[];
  /** One that two of the user and its groups have comes twice. */
  readonly scopes: readonly string[];
}

/** A user is in a group. */
export interface Membership {
  readonly groupId: PrincipalId;
  readonly userId: PrincipalId;
}

/** A principal gets or loses scopes: by a share, or since a user joins or leaves a group. */
export interface AccessChange {
  readonly kind: 'given' | 'taken';
  /** The user or group that has them. */
  readonly principalId: PrincipalId;
  /** The user who joins the group, or leaves it; absent where the group itself gets or loses. */
  readonly memberId?: PrincipalId;
  /** All that `principalId` gets or loses; of a member, all that the group has. */
  readonly scopes: readonly string[];
}

/** A change of an object whose scopes say who sees it. */
export interface ScopedChange {
  readonly number: number;
  readonly kind: 'created' | 'updated' | 'destroyed';
  readonly objectId: string;
  /** Its scopes from then on; none once it is destroyed. */
  readonly scopes: readonly string[];
  /** Its scopes before; null where they are the same. */
  readonly scopesBefore: readonly string[] | null;
  /** Names of the properties that alone changed (ChangeRecord). */
  readonly properties: readonly string[] | null;
}

/** Some principals get or lose scopes. That takes a number of its own. */
export interface AccessRecord {
  readonly number: number;
  readonly kind: 'access';
  readonly changes: readonly AccessChange[];
}

/** A user's own values of an object changed: nobody else is told. */
export interface OwnRecord extends Pick<ScopedChange, 'number' | 'objectId' | 'properties'> {
  readonly kind: 'own';
  /** Scopes of the user's views that see the object (capability/own-scopes.ts). */
  readonly scopes: readonly string[];
}

/** A change record of a type with access rules. */
export type ViewRecord = ScopedChange | AccessRecord;

/** `at`: the time of writing, ms. */
export type ScopedChangeAt = ScopedChange & { readonly at: number };

/** `at`: the time of writing, ms. */
export type ViewRecordAt = ViewRecord & { readonly at: number };

/** The same of a type that may have values of each user. */
export type AnyRecordAt = (ViewRecord | OwnRecord) & { readonly at: number };

/** Reading operations about types with access rules. */
export interface AccessReads {
  /**
   * Returns those of `ids` that an object can be shared with: groups, users, but not the owner. In
   * a transaction that writes, groups stay as they are until it ends.
   */
  existingPrincipals(ids: readonly PrincipalId[]): Promise<readonly PrincipalId[]>;

  /** Returns what a user has by shares in the account, and by the groups that it is in. */
  sharesHeld(userId: PrincipalId): Promise<SharesHeld>;

  /** Returns members of groups, so many at most. */
  membersOf(groupIds: readonly PrincipalId[], limit: number): Promise<readonly Membership[]>;

  /** Returns scopes that a principal was given, in order: so many at most, behind one. */
  givenScopes(principalId: PrincipalId, behind: string, limit: number): Promise<readonly string[]>;

  /** Returns the grants that shares of objects have given. */
  grantsAt(type: DataTypeDefinition, ids: readonly string[]): Promise<readonly Grant[]>;

  /** Returns the scopes of objects by id. Leaves out objects that have none. */
  scopesOf(
    type: DataTypeDefinition,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]>>;

  /**
   * Returns the marked scopes of objects (capability/scopes.ts) that the user of a view has without
   * their marks, by object. Leaves out objects with none.
   */
  marksHeld(
    type: DataTypeDefinition,
    view: View,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]>>;

  /** Returns objects that have one of the scopes, in order of id: at most `limit + 1`. */
  objectsWith(
    type: DataTypeDefinition,
    scopes: readonly string[],
    limit: number,
  ): Promise<readonly ScopedObject[]>;

  /**
   * Returns the number of the last change record that concerns a view: of an object in it or that
   * left it, or of its principals. It never gets less.
   */
  viewNumber(type: DataTypeDefinition, view: View): Promise<number>;

  /**
   * Returns the number of the last change record that was removed for its age and that concerns a
   * view, or one of these scopes; 0 for none.
   */
  prunedNumber(type: DataTypeDefinition, view: View, scopes: readonly string[]): Promise<number>;

  /**
   * Returns at most `limit` change records with a number greater than `since`, ascending: fewer
   * where their scopes are long, but at least one where there are some.
   */
  viewRecords(
    type: DataTypeDefinition,
    since: number,
    limit: number,
  ): Promise<readonly AnyRecordAt[]>;

  /** Returns at most `limit` of the records of objects alone, ascending. */
  objectRecords(
    type: DataTypeDefinition,
    since: number,
    limit: number,
  ): Promise<readonly ScopedChangeAt[]>;

  /**
   * Returns at most `limit` changes of access with numbers between these, the last ones first: none
   * where none behind `since` concerns the principals of the view.
   */
  accessRecords(
    type: DataTypeDefinition,
    view: View,
    between: { readonly since: number; readonly before: number },
    limit: number,
  ): Promise<readonly AccessRecord[]>;
}

/** Writing operations about types with access rules. */
export interface AccessWrites {
  /**
   * Removes and adds grants, in parts. Tells servers of users who reach the account now, or no
   * longer.
   */
  changeGrants(removed: readonly Grant[], added: readonly Grant[]): Promise<void>;

  /**
   * Writes one change record for all of these changes of access. Advances the state and resolves to
   * it.
   */
  recordAccess(type: DataTypeDefinition, changes: readonly AccessChange[]): Promise<number>;

  /**
   * Writes a change record that tells nothing itself, and has users who see all of the type look at
   * changes that a version without values of each user has written. Resolves to the state.
   */
  recordForeign(type: DataTypeDefinition): Promise<number>;

  /**
   * Gives objects, by id, other scopes without a change record. Old states of the type have to be
   * refused then.
   */
  rewriteScopes(type: DataTypeDefinition, scopes: ReadonlyMap<string, NewScopes>): Promise<void>;
}
