import type { Project } from '../call/account.js';
import { type ConnectionOptions, openConnection } from '../call/connection.js';
import type { Store } from '../persist/port.js';
import type { Schema } from '../schema/tables.js';
import type { CachedClient } from './cached-types.js';
import { type CacheOptions, ClientCache } from './client-cache.js';
import { closeUserData, openUserData } from './user-data.js';

export interface StoreOptions extends ConnectionOptions, CacheOptions {
  /**
   * The user whose data the store has. With it, the client starts from the store before it reaches
   * the server.
   */
  readonly username?: string | undefined;
}

/** Connects to a server with a store: what it has is on screen before the server is asked. */
export async function connectWithStore<P extends Project>(
  store: Store,
  schema: Schema<P>,
  options: StoreOptions,
): Promise<CachedClient<P>> {
  const { url, username } = options;
  const early = username === undefined ? null : await openUserData(store, url, username);
  const known = early?.session;
  const connection = await openConnection(options, known).catch(async (error: unknown) => {
    if (early !== null) await closeUserData(early);
    throw error;
  });
  const { username: user } = connection.keeper.current();
  if (early !== null && early.username !== user) {
    await Promise.all([connection.close(), closeUserData(early)]);
    throw new Error('The token is of another user than "username".');
  }
  const data = early ?? (await openUserData(store, url, user));
  const cache = new ClientCache(schema, connection, data, options);
  try {
    await cache.load();
  } catch (error) {
    await cache.close();
    throw error;
  }
  cache.follow();
  void cache.readRest();
  // The stored session may be of another time, and of another token.
  if (known !== undefined) connection.keeper.noteState();
  return cache.makeClient();
}
