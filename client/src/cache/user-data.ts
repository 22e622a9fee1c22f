import { isJsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Session } from '../call/session.js';
import type { OpenStore, Store, Table } from '../persist/port.js';
import type { Tabs } from '../tabs/roles.js';

/** The version of what is in a store: another one has data of its own. */
const FORMAT = 1;

const SESSION = 'session';

/** A user's data on a server. */
export interface UserData {
  readonly username: string;
  /** Null: the store can't be reached. The client goes on in memory. */
  readonly store: OpenStore | null;
  /** The tabs with which the client shares the store; null: it has the store alone. */
  readonly tabs: Tabs<unknown> | null;
  /** The client writes under it, until another client opens the data; null: tabs write in turn. */
  readonly epoch: number | null;
  /** The session that was last written. */
  readonly session: Session | undefined;
  /** Opens the data once more, for whoever has closed the store. */
  readonly reopen: () => Promise<OpenStore>;
}

/** Opens a user's data. Without tabs to share them, takes them for this client alone. */
export async function openUserData(store: Store, url: string, username: string): Promise<UserData> {
  const name = [new URL(url).href, username, FORMAT].join(' ');
  const reopen = async (): Promise<OpenStore> => store.open(name);
  let open: OpenStore | undefined;
  try {
    open = await reopen();
    const epoch = store.tabs ? null : await open.fence();
    const session = await readSession(open);
    const tabs = store.tabs?.(name, open) ?? null;
    return { username, store: open, tabs, epoch, session, reopen };
  } catch {
    await open?.close();
    return { username, store: null, tabs: null, epoch: 0, session: undefined, reopen };
  }
}

/** Closes a user's data. */
export async function closeUserData({ store, tabs }: UserData): Promise<void> {
  await tabs?.close();
  await store?.close();
}

/** Removes a user's data. Rejects where the store can't be reached. */
export async function wipeUserData({ reopen }: UserData): Promise<void> {
  const store = await reopen();
  try {
    await store.wipe();
  } finally {
    await store.close();
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
  const rows = await Promise.all(tables.map((table) => store.load(table)));
  return new Set(rows.flatMap((all) => all.map(([key]) => key.split(' ')[0] ?? '')));
}
