import { withCache } from '../../src/cache/cache-store.js';
import type { CacheStore } from '../../src/index.js';
import type { OpenStore, Store } from '../../src/persist/port.js';

/** Names of all calls: the compiler asks for those that are missing. */
const CALLS: Readonly<Record<keyof OpenStore, true>> = {
  ...{ load: true, loadPage: true, read: true, loadBlob: true },
  ...{ commit: true, fence: true, wipe: true, close: true },
};

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/** Returns a handle whose calls go through `pass`, with all of their arguments. */
export function guardCalls(
  open: OpenStore,
  pass: (call: () => Promise<unknown>) => Promise<unknown>,
): OpenStore {
  const calls = (Object.keys(CALLS) as (keyof OpenStore)[]).map((name) => {
    const call: Call = (...args) => pass(() => (open[name] as Call)(...args));
    return [name, call] as const;
  });
  return Object.fromEntries(calls) as unknown as OpenStore;
}

/** Returns a handle with some calls of its own. */
export function overrideCalls(open: OpenStore, own: Partial<OpenStore>): OpenStore {
  return { ...guardCalls(open, (call) => call()), ...own };
}

/** Returns a store whose handles have some calls of their own. */
export function wrapStore(
  store: Store,
  ownCalls: (open: OpenStore, name: string) => Partial<OpenStore>,
): CacheStore {
  return withCache({
    ...store,
    async open(name) {
      const open = await store.open(name);
      return overrideCalls(open, ownCalls(open, name));
    },
  });
}

/** Returns a store that calls `then` behind each commit, which ends after that. */
export function followCommits(
  store: Store,
  then: (rows: Parameters<OpenStore['commit']>[0]) => Promise<void> | undefined,
): Store {
  return wrapStore(store, (open) => ({
    async commit(rows, options) {
      await open.commit(rows, options);
      await then(rows);
    },
  }));
}
