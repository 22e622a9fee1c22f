import { withCache } from '../../src/cache/cache-store.js';
import type { CacheStore } from '../../src/index.js';
import type { OpenStore, Store } from '../../src/persist/port.js';
import { StoreLostError } from '../../src/persist/store-errors.js';
import { guardCalls } from './wrap-store.js';

/** A store before another one that can be lost and found again. */
export interface FailingStore {
  readonly store: CacheStore;
  /** Handles are lost, and none can be opened. */
  lose(): void;
  /** New handles can be opened, of this store from now on where there is one. */
  find(store?: Store): void;
}

export function failStore(store: Store): FailingStore {
  let inner = store;
  let isLost = false;
  /** Counts the losses: handles of before stay lost. */
  let losses = 0;
  const wrap = (open: OpenStore): OpenStore => {
    const loss = losses;
    const guarded = guardCalls(open, async (call) => {
      if (isLost || loss !== losses) throw new StoreLostError('The store is lost.');
      return call();
    });
    return { ...guarded, close: () => open.close() };
  };
  return {
    store: withCache({
      ...store,
      async open(name) {
        if (isLost) throw new StoreLostError('The store is lost.');
        return wrap(await inner.open(name));
      },
    }),
    lose() {
      isLost = true;
      losses += 1;
    },
    find(other = inner) {
      inner = other;
      isLost = false;
    },
  };
}
