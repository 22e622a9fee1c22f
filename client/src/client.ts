import type { Answers, CallTree, Mode } from './call/methods.js';
import type { Id } from './schema/id.js';
import type { Schema } from './schema/tables.js';

/** The id of a blob (RFC 8620 6). */
export type BlobId = Id<'Blob'>;

/** A Comparator (RFC 8620 5.5) by one of a type's sorts. */
export interface Comparator<Property extends string> {
  readonly property: Property;
  readonly isAscending?: boolean;
  readonly collation?: string;
}

/** A project's types by their names, in each mode. */
export type Project = { readonly [M in Mode]: object };

export interface ConnectOptions {
  /** The server, `https://api.example.com`; with a path, its session resource (RFC 8620 2). */
  readonly url: string;
  /** A bearer token. The function is asked again after a 401. */
  readonly token: string | (() => string | Promise<string>);
}

/** Connects to a server: fetches its session. Rejects where that isn't to be had. */
export declare function connect<P extends Project>(
  schema: Schema<P>,
  options: ConnectOptions,
): Promise<Client<P>>;

export interface Client<P extends Project> {
  /** An account; without an id, the user's own. */
  account(id?: Id<'Account'>): Account<P>;
  /** Ends all that is open. */
  close(): Promise<void>;
}

/** An account: the methods of each type, each call a request of its own. */
export type Account<P extends Project> = P['alone'] & AccountCalls<P>;

export interface AccountCalls<P extends Project> {
  readonly id: Id<'Account'>;
  /**
   * Sends the calls that `build` makes in one round trip. Rejects with the first MethodError.
   */
  batch<const Tree extends CallTree>(build: (types: P['batch']) => Tree): Promise<Answers<Tree>>;
}
