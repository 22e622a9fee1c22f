import type { CacheStore } from '../../src/index.js';
import type { BlobChange, Change } from '../../src/persist/port.js';
import { QuotaError, StoreLostError } from '../../src/persist/store-errors.js';
import { wrapStore } from './wrap-store.js';

/** The fate of a commit. */
export type CommitFate = 'kept' | 'full' | 'lost';

/** Returns a store before another one: `judge` says how each commit ends. */
export function limitStore(
  store: CacheStore,
  judge: (changes: readonly (Change | BlobChange)[]) => CommitFate,
): CacheStore {
  return wrapStore(store, (open) => ({
    async commit(changes, options) {
      const fate = judge(changes);
      if (fate === 'full') throw new QuotaError('The store is full.');
      if (fate === 'lost') throw new StoreLostError('The store is lost.');
      await open.commit(changes, options);
    },
  }));
}

/**
 * Returns a store before another one that has room for so many octets. As in Chromium, a commit
 * needs room for all that it writes: what it removes counts from the next commit on.
 */
export function limitRoom(store: CacheStore, room: () => number): RoomyStore {
  const sizes = new Map<string, number>();
  const used = (): number => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const limited = limitStore(store, (changes) => {
    const more = changes.reduce((sum, change) => sum + sizeOf(change), 0);
    if (more > 0 && used() + more > room()) return 'full';
    for (const change of changes) {
      const name = `${change.table} ${change.key}`;
      if (change.value === undefined) sizes.delete(name);
      else sizes.set(name, sizeOf(change));
    }
    return 'kept';
  });
  return { store: limited, used };
}

export interface RoomyStore {
  readonly store: CacheStore;
  /** Returns how many octets the store has. */
  readonly used: () => number;
}

function sizeOf({ value }: Change | BlobChange): number {
  if (value === undefined) return 0;
  return value instanceof Uint8Array ? value.length : JSON.stringify(value).length;
}
