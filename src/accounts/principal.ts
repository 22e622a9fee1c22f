/** One account as a token reaches it. */
export interface AccountAccess {
  readonly id: string;
  readonly name: string;
  /** The account belongs to the token's user. */
  readonly isPersonal: boolean;
  /** By the account's grant or the token's narrowing. */
  readonly isReadOnly: boolean;
  /** Capability URNs that the account is limited to; null is all. */
  readonly capabilities: ReadonlySet<string> | null;
}

/** The user who asks, by one of its tokens, with the accounts in reach in order of creation. */
export interface Principal {
  readonly userId: string;
  readonly username: string;
  readonly tokenId: string;
  /** Epoch ms, null where it never expires. */
  readonly expires: number | null;
  readonly accounts: ReadonlyMap<string, AccountAccess>;
}

/** Stands for a token once, for browsers, which can't send headers on a stream. */
export interface Ticket {
  readonly ticket: string;
  /** Epoch ms. */
  readonly expires: number;
}

/** The port of tickets. Servers with the same database take each other's tickets. */
export interface Tickets {
  issue(principal: Principal): Promise<Ticket>;

  /**
   * Uses a ticket up. Resolves to the id of its token; null where it is unknown, used or too old.
   * The token itself may be gone meanwhile: `Authenticator.refresh` knows.
   */
  redeem(ticket: string): Promise<string | null>;
}

/** The port that the transports authenticate against. */
export interface Authenticator {
  /**
   * Resolves to a bearer token's principal; null if it is malformed, unknown, expired or revoked.
   * Sees a change by any process within a second. The same access gives the identical object.
   */
  authenticate(token: string): Promise<Principal | null>;

  /** Resolves to the current principal of a token id; null once it may do nothing any more. */
  refresh(tokenId: string): Promise<Principal | null>;

  /**
   * Resolves to the current principals of tokens by their ids, in few statements for many. Tokens
   * that may do nothing any more are left out.
   */
  refreshAll(tokenIds: readonly string[]): Promise<ReadonlyMap<string, Principal>>;

  /** Resolves to a text that is another one after each change of access by any process. */
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
