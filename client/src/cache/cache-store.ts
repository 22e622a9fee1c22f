import type { Project } from '../call/account.js';
import type { Store } from '../persist/port.js';
import type { Schema } from '../schema/tables.js';
import type { CachedClient } from './cached-types.js';
import { connectWithStore, type StoreOptions } from './connect-with-store.js';

/**
 * A store as `connect` takes it. It brings the cache along: a program without a store doesn't load
 * that.
 */
export interface CacheStore extends Store {
  connect<P extends Project>(schema: Schema<P>, options: StoreOptions): Promise<CachedClient<P>>;
}

/** Returns a store as `connect` takes it. */
export function withCache(store: Store): CacheStore {
  return {
    open: (name) => store.open(name),
    ...(store.tabs && { tabs: store.tabs }),
    connect: (schema, options) => connectWithStore(store, schema, options),
  };
}
