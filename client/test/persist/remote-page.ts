import { indexedDb } from '../../src/persist/indexeddb.js';
import type { BlobChange, Change, OpenStore } from '../../src/persist/port.js';

/** The value of a change that the page makes unreadable. */
export const UNREADABLE_VALUE = 'UNREADABLE';

/** The answer to a call, as JSON. */
export type RemoteAnswer = { readonly value?: unknown } | { readonly error: string };

/** Stores of a page, called from outside by JSON. */
export interface Remote {
  /** Opens a store and resolves to the number of its handle. */
  open(name: string): Promise<string>;
  /** Calls a method of a handle by its arguments. */
  call(handle: number, method: keyof OpenStore, args: string): Promise<string>;
  /** Commits one row after the other, durable, and tells the number of each. */
  commitForEver(handle: number, tell: (number: number) => Promise<void>): Promise<never>;
}

const handles: OpenStore[] = [];

async function answer(work: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify({ value: await work() } satisfies RemoteAnswer);
  } catch (error) {
    return JSON.stringify({ error: (error as Error).name } satisfies RemoteAnswer);
  }
}

async function call(store: OpenStore, method: keyof OpenStore, args: readonly unknown[]) {
  const made = args.map((arg) => (Array.isArray(arg) ? arg.map(readChange) : arg));
  const value = await (store[method] as (...args: readonly unknown[]) => Promise<unknown>)(...made);
  return value instanceof Uint8Array ? [...value] : value;
}

/** Octets come as numbers; one value stands for one that can't be read. */
function readChange(change: Change | BlobChange): Change | BlobChange {
  if (change.table === 'blobs')
    return { ...change, ...(change.value && { value: Uint8Array.from(change.value) }) };
  if (change.value !== UNREADABLE_VALUE) return change;
  const { table, key } = change;
  return {
    table,
    key,
    get value(): never {
      throw new Error('This value can’t be read.');
    },
  };
}

const remote: Remote = {
  open: (name) => answer(async () => handles.push(await indexedDb().open(name)) - 1),
  call: (handle, method, args) =>
    answer(() => call(handles[handle] as OpenStore, method, JSON.parse(args) as unknown[])),
  async commitForEver(handle, tell) {
    const store = handles[handle] as OpenStore;
    const rows = await store.load('log');
    for (let number = rows.length + 1; ; number += 1) {
      const key = `${number}`.padStart(12, '0');
      const changes: Change[] = [
        { table: 'log', key, value: number },
        { table: 'meta', key: 'count', value: number },
      ];
      await store.commit(changes, { durable: true });
      await tell(number);
    }
  },
};

Object.assign(globalThis, { remote });
