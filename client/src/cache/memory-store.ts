import { memory as openMemory } from '../persist/memory.js';
import { type CacheStore, withCache } from './cache-store.js';

/**
 * Returns a store in memory. Clients that connect with the same one, one after the other, find what
 * the earlier ones kept.
 */
export function memory(): CacheStore {
  return withCache(openMemory());
}
