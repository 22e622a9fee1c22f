import { type IndexedDbOptions, indexedDb as openIndexedDb } from '../persist/indexeddb.js';
import { openTabs } from '../tabs/tabs.js';
import { type CacheStore, withCache } from './cache-store.js';

/**
 * Returns a store in the browser's IndexedDB. Its data outlives the page and the browser, and all
 * tabs of the origin share them.
 */
export function indexedDb(options: IndexedDbOptions = {}): CacheStore {
  return withCache({
    ...openIndexedDb(options),
    tabs: (name, store) => openTabs({ name, store }),
  });
}

export type { CacheStore, IndexedDbOptions };
