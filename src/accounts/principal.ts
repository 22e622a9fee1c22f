import type { Narrowing } from '../protocol/access-modes.js';

export type { AccessMode } from '../protocol/access-modes.js';

/** One account as a token reaches it. */
export interface AccountAccess {
  readonly id: string;
  readonly name: string;
  /** The account belongs to the token's user. */
  readonly isPersonal: boolean;
  /** The user reaches it by shares of objects alone: it is neither the user's nor given whole. */
  readonly isShared?: true;
  /** By the account's grant or the token's narrowing. */
  readonly isReadOnly: boolean;
  /** The account's grant lets the user read alone, whatever the token. */
  readonly isReader?: true;
  /** Capability URNs that the account is limited to; null is all but NAMED_CAPABILITIES. */
  readonly capabilities: ReadonlySet<string> | null;
  /** The user whom it belongs to, as far as the token's user knows of principals. */
  readonly ownerId?: string;
}

/** The facts of a verified token of an identity provider. */
export interface SignIn {
  readonly issuer: string;
  /** Identifies the user at the issuer. */
  readonly subject: string;
  /** The `sub` of the token, by which the issuer signs the user out: mostly the subject. */
  readonly name: string;
  /** The provider's session (`sid`); null where the token names none. */
  readonly session: string | null;
  /** The client that the token was given to; null where it names none. */
  readonly client: string | null;
  /** Epoch ms; 0 where the token doesn't say. */
  readonly issued: number;
  /** Epoch ms; null: nothing ends it but a message that it is over. */
  readonly expires: number | null;
  /** Ids or names of the accounts that its claims give: true where only to read. */
  readonly accounts: Readonly<Record<string, boolean>>;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

/** A proof of who asks: it leads to the principal, now and later. */
export interface Credential {
  /** Open connections follow it: the id of a token of ours, or a hash of a provider's. */
  readonly id: string;
  /** Push subscriptions are its own: the id of a token of ours, or a hash of the sign-in. */
  readonly owner: string;
  /** Null: a token of ours. */
  readonly signIn: SignIn | null;
}

/** The user who asks, with the accounts in reach in order of creation. */
export interface Principal extends Narrowing {
  readonly userId: string;
  readonly username: string;
  readonly credential: Credential;
  /** Epoch ms, null where it never expires. */
  readonly expires: number | null;
  readonly accounts: ReadonlyMap<string, AccountAccess>;
  /** In order, each once. */
  readonly roles: readonly string[];
  /** The groups that the user is in, in order: absent for none. */
  readonly groupIds?: readonly string[];
}

/** The types that users see by shares of objects. */
export interface SharedTypes {
  /** There are access rules, which may name groups. */
  readonly haveRules: boolean;
  /** The tables of the objects that are shared. */
  readonly tables: readonly string[];
  /** By the capabilities of those types: whether one of the types may have files. */
  readonly capabilities: ReadonlyMap<string, boolean>;
}

/** Stands for a token once, for browsers, which can't send headers on a stream. */
export interface Ticket {
  readonly ticket: string;
  /** Epoch ms. */
  readonly expires: number;
}

/** The port of tickets. Servers with the same database take each other's tickets. */
export interface Tickets {
  /** `token`: the text by which the principal asks; null where it is none of a provider. */
  issue(principal: Principal, token: string | null): Promise<Ticket>;

  /**
   * Uses a ticket up. Resolves to the credential of whoever asked for it; null where it is unknown,
   * used or too old. The credential may be over meanwhile: `Authenticator.refresh` knows.
   */
  redeem(ticket: string): Promise<Credential | null>;
}

/**
 * Is called before a token is looked up that this process doesn't remember as a good one. Rejects
 * where the token shall not be looked up.
 */
export type Gate = () => Promise<void>;

/** The port that the transports authenticate against. */
export interface Authenticator {
  /**
   * Resolves to a bearer token's principal; null if it is malformed, unknown, expired or revoked.
   * Sees a change by any process within a second. The same access gives the identical object.
   * Rejects as `gate` does.
   */
  authenticate(token: string, gate?: Gate): Promise<Principal | null>;

  /** Resolves to the current principal of a credential; null once it may do nothing any more. */
  refresh(credential: Credential): Promise<Principal | null>;

  /**
   * Resolves to the current principals by the ids of their credentials, in few statements for many.
   * Credentials that may do nothing any more are left out.
   */
  refreshAll(credentials: readonly Credential[]): Promise<ReadonlyMap<string, Principal>>;

  /**
   * Resolves to a text that is another one after each change of access by any process, and after a
   * provider has said something else of a token.
   */
  version(): Promise<string>;
}

/** An account that hooks may work in: nobody deletes it. */
export interface LivingAccount {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  /** The URNs that it offers; null: all. */
  readonly capabilities: readonly string[] | null;
}

/** The port of these accounts. */
export interface LivingAccounts {
  /** Returns an account; null where there is none, and where it is being deleted. */
  find(id: string): Promise<LivingAccount | null>;
  /** Returns the ids of all of them, in their order. */
  list(): Promise<readonly string[]>;
}
