import { type CacheStore, type OpenStore, withCache } from '@jmapsmith/client';

/** Returns a store that has nothing in the memory of the program, and nothing at its next start. */
export function outsideStore(): CacheStore {
  const open: OpenStore = {
    load: async () => [],
    loadPage: async () => ({ rows: [], isLast: true }),
    read: async () => [],
    loadBlob: async () => null,
    commit: async () => undefined,
    fence: async () => 1,
    wipe: async () => undefined,
    close: async () => undefined,
  };
  return withCache({ open: async () => open });
}
