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
