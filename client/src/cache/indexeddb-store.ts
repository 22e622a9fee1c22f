import { type IndexedDbOptions, indexedDb as openIndexedDb } from '../persist/indexeddb.js';
import { type CacheStore, withCache } from './cache-store.js';

/** Returns a store in the browser's IndexedDB. Its data outlives the page and the browser. */
export function indexedDb(options: IndexedDbOptions = {}): CacheStore {
  return withCache(openIndexedDb(options));
}

export type { CacheStore, IndexedDbOptions };
