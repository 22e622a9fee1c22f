import { sqliteFile as openSqliteFile } from '../persist/sqlite.js';
import { type CacheStore, withCache } from './cache-store.js';

/** Returns a store in a file of SQLite, for Node. Its data outlives the process. */
export function sqliteFile(path: string): CacheStore {
  return withCache(openSqliteFile(path));
}

export type { CacheStore };
