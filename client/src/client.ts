import {
  type Account,
  type CallOptions,
  findOwnAccount,
  makeAccount,
  type Project,
} from './call/account.js';
import type { Connection } from './call/connection.js';
import { makeGate } from './call/gate.js';
import { readLimit, type Session } from './call/session.js';
import type { Id } from './schema/id.js';
import type { Schema } from './schema/tables.js';
import type { Invocation, Response } from './transport/transport.js';

/** A Comparator (RFC 8620 5.5) by one of a type's sorts. */
export interface Comparator<Property extends string> {
  readonly property: Property;
  readonly isAscending?: boolean;
  readonly collation?: string;
}

export interface Client<P extends Project> {
  /** The current session, which changes when the user's access does. */
  readonly session: Session;
  /** Calls `listener` with each later session. Returns the function that ends this. */
  onSession(listener: (session: Session) => void): () => void;
  /** An account; without an id, the user's own. Throws where the user has none. */
  account(id?: Id<'Account'>): Account<P>;
  /** Sends calls as they are: nothing is cut, no account is added. */
  raw(
    using: readonly string[],
    calls: readonly Invocation[],
    options?: CallOptions,
  ): Promise<Response>;
  /** Ends all that is open. Calls reject, later ones too. */
  close(): Promise<void>;
}

/** Returns the client of a connection. */
export function makeClient<P extends Project>(
  schema: Schema<P>,
  connection: Connection,
): Client<P> {
  const { keeper, scope, send, close } = connection;
  const uploads = makeGate(() => readLimit(keeper.current(), 'maxConcurrentUpload'));
  const accounts = new Map<string, Account<P>>();
  return {
    get session() {
      return keeper.current();
    },
    onSession: keeper.listen,
    account(id = findOwnAccount(schema, keeper.current())) {
      const account = accounts.get(id) ?? makeAccount(schema, id, connection, uploads);
      accounts.set(id, account);
      return account;
    },
    raw: (using, methodCalls, { signal: outer } = {}) =>
      scope.run(outer, (signal) => send({ using, methodCalls }, signal)),
    close,
  };
}
