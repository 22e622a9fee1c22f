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

/** Who asks: a user by one of its tokens, with the accounts it reaches, in order of creation. */
export interface Principal {
  readonly userId: string;
  readonly username: string;
  readonly tokenId: string;
  /** Epoch ms, null where it never expires. */
  readonly expires: number | null;
  readonly accounts: ReadonlyMap<string, AccountAccess>;
}

/** What stands for a token once, for browsers, which can't send headers on a stream. */
export interface Ticket {
  readonly ticket: string;
  /** Epoch ms. */
  readonly expires: number;
}

/** The port of tickets. A ticket that one server gave can be used at any that has the same database. */
export interface Tickets {
  issue(principal: Principal): Promise<Ticket>;

  /**
   * Uses a ticket up: the id of the token that it stands for, or null where it is unknown, used or too old. The
   * token itself may be gone meanwhile: `Authenticator.refresh` knows.
   */
  redeem(ticket: string): Promise<string | null>;
}

/** The port that the transports authenticate against. */
export interface Authenticator {
  /**
   * The principal of a bearer token, or null where it is malformed, unknown, expired or revoked. A change made by
   * a command or another process is seen within a second. The same unchanged access gives the identical object.
   */
  authenticate(token: string): Promise<Principal | null>;

  /**
   * The current principal of a token id, or null once it may do nothing any more: for connections that stay open
   * (event source, WebSocket) to look again.
   */
  refresh(tokenId: string): Promise<Principal | null>;
}
