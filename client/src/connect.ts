import type { CacheStore } from './cache/cache-store.js';
import type { CachedClient } from './cache/cached-types.js';
import type { StoreOptions } from './cache/connect-with-store.js';
import type { Project } from './call/account.js';
import { openConnection } from './call/connection.js';
import { type Client, makeClient } from './client.js';
import type { Schema } from './schema/tables.js';

export interface ConnectOptions extends StoreOptions {
  /** Keeps a copy of what the client reads, and what it writes until the server has answered. */
  readonly store?: CacheStore;
}

/** A client as its options make it: with a store, it keeps a copy of what it reads. */
export type ClientOf<P extends Project, Options> = Options extends { readonly store: CacheStore }
  ? CachedClient<P>
  : Client<P>;

/** Connects to a server: fetches its session. Rejects where that isn't to be had. */
export async function connect<P extends Project, Options extends ConnectOptions = ConnectOptions>(
  schema: Schema<P>,
  options: Options,
): Promise<ClientOf<P, Options>> {
  const client =
    (await options.store?.connect(schema, options)) ??
    makeClient(schema, await openConnection(options));
  return client as ClientOf<P, Options>;
}
