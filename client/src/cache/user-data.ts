import { isJsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Session } from '../call/session.js';
import type { OpenStore, Store, Table } from '../persist/port.js';
import type { Tabs } from '../tabs/roles.js';
import { makeHandle, type StoreHandle } from './store-handle.js';

/** The version of what is in a store: another one has data of its own. */
const FORMAT = 1;

const SESSION = 'session';
/** The row that names the data: others come behind a logout. */
const LIFE = 'life';

/** The time of a user's data between logouts. */
export interface Life {
  /** Null: the user has logged out. */
  readonly id: string | null;
  readonly isAfterLogout: boolean;
}

/** A user's data on a server. */
export interface UserData {
  readonly username: string;
  readonly store: StoreHandle;
  /** The store can't be reached: the client goes on in memory. */
  readonly isLost: boolean;
  /** The tabs with which the client shares the store; null: it has the store alone. */
  readonly tabs: Tabs<unknown> | null;
  /** The client writes under it, until another client opens the data; null: tabs write in turn. */
  readonly epoch: number | null;
  /** The session that was last written. */
  readonly session: Session | undefined;
  /** Null: the client has never had the data. */
  readonly life: Life | null;
  /** Opens the data once more. */
  readonly reopen: () => Promise<OpenStore>;
}

/** Opens a user's data. Without tabs to share them, takes them for this client alone. */
export async function openUserData(store: Store, url: string, username: string): Promise<UserData> {
  const name = [new URL(url).href, username, FORMAT].join(' ');
  const reopen = async (): Promise<OpenStore> => store.open(name);
  const handle = makeHandle(null);
  const common = { username, store: handle, tabs: store.tabs?.(name, handle) ?? null, reopen };
  const isShared = common.tabs !== null;
  let open: OpenStore | undefined;
  try {
    open = await reopen();
    const life = await beginLife(open);
    const epoch = isShared ? null : await open.fence();
    const session = await readSession(open);
    handle.replace(open);
    return { ...common, isLost: false, epoch, session, life };
  } catch {
    await open?.close();
    handle.replace(null);
    const epoch = isShared ? null : 0;
    return { ...common, isLost: true, epoch, session: undefined, life: null };
  }
}

/** Closes a user's data. */
export async function closeUserData({ store, tabs }: UserData): Promise<void> {
  await tabs?.close();
  await store.close().catch(() => undefined);
}

/** Removes a user's data. Rejects where the store can't be reached. */
export async function wipeUserData({ reopen }: UserData): Promise<void> {
  const store = await reopen();
  try {
    await store.wipe([lifeRow({ id: null, isAfterLogout: true })]);
  } finally {
    await store.close();
  }
}

/** Counts the pending writes of types that this program doesn't know, and another one does. */
export async function countUnknownWrites(
  { reopen }: UserData,
  known: ReadonlySet<string>,
): Promise<number> {
  // Nothing is removed from a store that can't be reached.
  const store = await reopen().catch(() => null);
  const rows = (await store?.load('log').catch(() => [])) ?? [];
  await store?.close();
  return rows.filter(([, write]) => isJsonObject(write) && !known.has(String(write['type'])))
    .length;
}

/** Resolves to null where the store is empty. */
export async function readLife(store: OpenStore): Promise<Life | null> {
  const [row] = await store.read('meta', [LIFE]);
  return (row?.[1] ?? null) as unknown as Life | null;
}

export function lifeRow(life: Life) {
  return { table: 'meta', key: LIFE, value: life as unknown as JsonValue } as const;
}

export function makeLife(isAfterLogout: boolean): Life {
  return { id: crypto.randomUUID(), isAfterLogout };
}

/** Begins a life of the data, unless there is one: the same for tabs that open it at once. */
async function beginLife(store: OpenStore): Promise<Life> {
  for (;;) {
    const found = await readLife(store);
    if (found?.id) return found;
    const epoch = await store.fence();
    const known = await readLife(store);
    if (known?.id) return known;
    const life = makeLife(known !== null);
    try {
      await store.commit([lifeRow(life)], { epoch });
      return life;
    } catch (error) {
      if ((error as Error).name !== 'FencedError') throw error;
    }
  }
}

async function readSession(store: OpenStore): Promise<Session | undefined> {
  const [row] = await store.read('meta', [SESSION]);
  const value = row?.[1];
  return isJsonObject(value) ? (value as unknown as Session) : undefined;
}

export function sessionRow(session: Session) {
  return { table: 'meta', key: SESSION, value: session as unknown as JsonValue } as const;
}

/** Returns the accounts that have rows. */
export async function listAccounts(store: OpenStore): Promise<ReadonlySet<string>> {
  const tables: readonly Table[] = ['types', 'log'];
  const loading = tables.map((table) => store.load(table));
  const rows = (await Promise.all(loading)).flat();
  // A file may be on its way before anything else is there.
  const uploads = await store.load('meta', 'upload ');
  const names = [
    ...rows.map(([key]) => key),
    ...uploads.map(([key]) => key.replace('upload ', '')),
  ];
  return new Set(names.map((name) => name.split(' ')[0] ?? ''));
}
