import { expect } from 'vitest';
import type { Client } from '../support/client.js';
import type { FuzzType } from './world.js';

/** Where every walk through the changes of a type begins. */
const FIRST_STATE = '0';

/**
 * After all of it: a client that goes through the changes from the first state on has the ids that
 * a query finds, and /get knows each of them. Returns how many objects there are.
 */
export async function expectConsistent(
  client: Client,
  types: readonly FuzzType[],
  accounts: readonly string[],
): Promise<number> {
  let count = 0;
  for (const type of types) {
    for (const accountId of accounts) count += await judge(client, type, accountId);
  }
  return count;
}

async function judge(client: Client, type: FuzzType, accountId: string): Promise<number> {
  const { name, methods } = type;
  const alive = new Set<string>();
  const deadOnes = new Set<string>();
  let sinceState = FIRST_STATE;
  for (let more = methods.includes('changes'); more; ) {
    const page = await client.changes(name, { accountId, sinceState, maxChanges: 500 });
    for (const id of page.created) alive.add(id);
    for (const id of page.destroyed) {
      alive.delete(id);
      expect(deadOnes.has(id), `${name} ${id} is destroyed once`).toBe(false);
      deadOnes.add(id);
    }
    expect(page.updated.filter((id) => deadOnes.has(id))).toEqual([]);
    sinceState = page.newState;
    more = page.hasMoreChanges;
  }
  const ids = [...alive].sort();
  // A singleton was never created: it is there, or was never touched.
  const wanted = type.type.singleton ? ['singleton'] : ids;
  const found: string[] = [];
  for (let at = 0; at < wanted.length; at += 500) {
    const { list, notFound, state } = await client.get(name, {
      accountId,
      ids: wanted.slice(at, at + 500),
    });
    expect(notFound, `${name} that changes tell of and /get doesn't know`).toEqual([]);
    if (methods.includes('changes')) expect(state).toBe(sinceState);
    found.push(...list.map(({ id }) => id));
  }
  expect(found.sort()).toEqual(wanted);
  if (methods.includes('query')) {
    const { ids: queried, total } = await client.query(name, { accountId, calculateTotal: true });
    expect(queried.length, `${name}: a query finds what is there`).toBe(Math.min(ids.length, 5000));
    expect(total).toBe(ids.length);
    if (ids.length <= 5000) expect([...queried].sort()).toEqual(ids);
  }
  return found.length;
}
