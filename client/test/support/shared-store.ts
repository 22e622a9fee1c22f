import { withCache } from '../../src/cache/cache-store.js';
import type { CacheStore } from '../../src/index.js';
import { memory } from '../../src/persist/memory.js';
import type { Store } from '../../src/persist/port.js';
import { LockRoles } from '../../src/tabs/lock-roles.js';
import { openTabs } from '../../src/tabs/tabs.js';
import { Channels, freezeWith, Ice, Locks } from '../tabs/doubles.js';

/** A tab of a browser, for one client. */
export interface Tab {
  readonly store: CacheStore;
  /** Sends requests, unless the tab is frozen. */
  readonly fetch: typeof fetch;
  /** The requests of the tab. */
  readonly requested: readonly URL[];
  /** Resolves at once, or when the frozen tab is thawed. */
  wait(): Promise<void>;
  /** Nothing of the tab goes on until it is thawed. */
  freeze(): void;
  thaw(): void;
  /** Others that have waited long enough for the frozen tab take its roles. */
  rob(): void;
  /** Ends the tab without a word. */
  kill(): void;
}

/** Returns a function that opens tabs of one browser: they share its store, locks and channels. */
export function openBrowser(shared: Store = memory()): () => Tab {
  const locks = new Locks();
  const channels = new Map<string, Channels>();
  const channelsOf = (name: string): Channels => {
    const known = channels.get(name) ?? new Channels();
    channels.set(name, known);
    return known;
  };
  return () => {
    const ice = new Ice();
    const requested: URL[] = [];
    const store = withCache({
      open: async (name) => freezeWith(ice, await shared.open(name)),
      tabs: (name, open) => {
        const channel = channelsOf(name).open(ice);
        const roles = new LockRoles(name, locks.of(ice), channel);
        return openTabs({ name, store: open, roles, channel });
      },
    });
    return {
      ...{ store, requested },
      async fetch(url, init) {
        await ice.wait();
        requested.push(new URL(String(url)));
        const response = await fetch(url, init);
        await ice.wait();
        return response;
      },
      wait: () => ice.wait(),
      freeze: () => ice.freeze(),
      thaw: () => ice.thaw(),
      rob: () => locks.rob(ice),
      kill() {
        ice.freeze();
        locks.end(ice);
      },
    };
  };
}
