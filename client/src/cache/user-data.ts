import { isJsonObject, type JsonValue } from '../../../src/protocol/json.js';
import type { Session } from '../call/session.js';
import type { OpenStore, Store, Table } from '../persist/port.js';

/** The version of what is in a store: another one has data of its own. */
const FORMAT = 1;

const SESSION = 'session';

/** A user's data on a server. */
export interface UserData {
  readonly username: string;
  /** Null: the store can't be reached. The client goes on in memory. */
  readonly store: OpenStore | null;
  /** The client writes under it, until another client opens the data. */
  readonly epoch: number;
  /** The session that was last written. */
  readonly session: Session | undefined;
}

/** Opens a user's data, and takes them for this client alone. */
export async function openUserData(store: Store, url: string, username: string): Promise<UserData> {
  let open: OpenStore | undefined;
  try {
    open = await store.open([new URL(url).href, username, FORMAT].join(' '));
    const epoch = await open.fence();
    return { username, store: open, epoch, session: await readSession(open) };
  } catch {
    await open?.close();
    return { username, store: null, epoch: 0, session: undefined };
  }
}

async function readSession(store: OpenStore): Promise<Session | undefined> {
  const rows = await store.load('meta', SESSION);
  const [, value] = rows.find(([key]) => key === SESSION) ?? [];
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
