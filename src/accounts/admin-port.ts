import type { JsonObject } from '../protocol/json.js';
import type { Principal } from './principal.js';

/**
 * The port of the directory: what methods of the administration see of users, accounts, access and
 * tokens. They are objects of one account.
 */

/** The id of that account. */
export const DIRECTORY = 'directory';

/** Its only capability; principals with the role have the account. */
export const ADMIN_CAPABILITY = 'urn:jmapsmith:admin';
export const ADMIN_ROLE = 'admin';

export const DIRECTORY_TYPES = ['AdminUser', 'AdminAccount', 'AdminGrant', 'AdminToken'] as const;

export type DirectoryType = (typeof DIRECTORY_TYPES)[number];

/** Returns the id of the object that is a user's access to an account. */
export function grantId(accountId: string, userId: string): string {
  return `${accountId}-${userId}`;
}

/** An object in wire form. */
export type DirectoryObject = JsonObject & { readonly id: string };

/** Objects that exist, and the counter behind the state of their type. */
export interface StateAndDirectory {
  readonly number: number;
  /** In order of id where a number was asked for. */
  readonly objects: readonly DirectoryObject[];
}

/** A change of one object as its type's /set wants it. */
export interface DirectoryUpdate {
  readonly before: DirectoryObject;
  readonly after: DirectoryObject;
  /** Names of the properties that differ. */
  readonly changed: readonly string[];
}

/** A created object. */
export interface DirectoryCreation {
  readonly object: DirectoryObject;
  /** Members that are told this once and kept nowhere. */
  readonly secrets: JsonObject;
}

/** Changes of objects of one type. Each that is not possible throws RefusedError. */
export interface DirectoryTransaction {
  state(): Promise<number>;
  find(ids: readonly string[]): Promise<readonly DirectoryObject[]>;
  /** Takes what a client has given, with the defaults. */
  create(object: DirectoryObject): Promise<DirectoryCreation>;
  /** Resolves to the object as it is then. */
  update(update: DirectoryUpdate): Promise<DirectoryObject>;
  destroy(id: string): Promise<void>;
}

export interface Directory {
  /** Reads objects of a type and its state, from one snapshot. */
  read(
    type: DirectoryType,
    ids: readonly string[] | { readonly first: number },
  ): Promise<StateAndDirectory>;

  /**
   * Runs `work` in a transaction of the `actor`, perhaps more than once. Throws RefusedError where
   * the actor may not change the directory any more.
   */
  change<T>(
    type: DirectoryType,
    actor: Pick<Principal, 'userId' | 'credential'>,
    work: (transaction: DirectoryTransaction) => Promise<T>,
  ): Promise<T>;
}

/** Members of a SetError beside its type and description. */
interface RefusedMembers {
  readonly properties?: readonly string[];
  readonly existingId?: string;
}

/** Why an object can't be changed so: a SetError (RFC 8620 5.3). */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly type: 'forbidden' | 'invalidProperties' | 'notFound' | 'alreadyExists';
  readonly members: RefusedMembers;

  constructor(type: RefusedError['type'], description: string, members: RefusedMembers = {}) {
    super(description);
    this.type = type;
    this.members = members;
  }
}

/** Refuses the value of a property. */
export function wrongValue(property: string, why: string): RefusedError {
  const description = `${JSON.stringify(property)} ${why}.`;
  return new RefusedError('invalidProperties', description, { properties: [property] });
}
