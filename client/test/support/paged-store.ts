import type { CacheStore } from '../../src/index.js';
import type { Page, Store } from '../../src/persist/port.js';
import { wrapStore } from './wrap-store.js';

/** A store that reads small pages, and hands later ones on when it is let. */
export interface PagedStore {
  readonly store: CacheStore;
  /** Rows of objects that were read since the last call. */
  countRows(): number;
  /** Pages but the first wait from now on: they are read, and handed on by `release`. */
  hold(): void;
  release(): void;
  /** Pages but the first end with an error from now on. */
  fail(error: Error | null): void;
}

export function pageStore(store: Store, size: number): PagedStore {
  let rows = 0;
  let failure: Error | null = null;
  let gate: Promise<void> = Promise.resolve();
  let open: () => void = () => undefined;
  const cut = ({ rows: all, isLast }: Page): Page => ({
    rows: all.slice(0, size),
    isLast: isLast && all.length <= size,
  });
  return {
    store: wrapStore(store, (handle) => ({
      load: async (table, prefix) => {
        const loaded = await handle.load(table, prefix);
        if (table === 'objects') rows += loaded.length;
        return loaded;
      },
      loadPage: async (table, prefix, after) => {
        const page = cut(await handle.loadPage(table, prefix, after));
        rows += page.rows.length;
        if (after !== undefined) {
          await gate;
          if (failure !== null) throw failure;
        }
        return page;
      },
      read: async (table, keys) => {
        const read = await handle.read(table, keys);
        if (table === 'objects') rows += read.length;
        return read;
      },
    })),
    countRows() {
      const count = rows;
      rows = 0;
      return count;
    },
    hold() {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    release() {
      open();
    },
    fail(error) {
      failure = error;
    },
  };
}
