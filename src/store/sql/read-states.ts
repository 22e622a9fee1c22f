import type { StateNumbers } from '../port.js';
import type { Dialect } from './dialect-port.js';
import { type Fragment, sql } from './fragment.js';
import type { Row } from './row-codec.js';
import type { StorageNames } from './storage-names.js';

/** Reads the states of accounts as `Store.readStates` says; `rows` runs the statement. */
export async function readStates(
  rows: (query: Fragment) => Promise<readonly Row[]>,
  dialect: Dialect,
  names: StorageNames,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, StateNumbers>> {
  if (accountIds.length === 0) return new Map();
  const list = dialect.elements(JSON.stringify(accountIds), 'string');
  const found = await rows(sql`SELECT "accountId", "type", "number" FROM "JmapState"
 WHERE "accountId" IN (${list})`);
  const states = new Map<string, Map<string, number>>();
  for (const row of found) {
    const [accountId, table, number] = row as readonly [string, string, number];
    const type = names.typeOf(table);
    if (type === undefined) continue;
    const ofAccount = states.get(accountId) ?? new Map<string, number>();
    states.set(accountId, ofAccount.set(type, number));
  }
  return states;
}
