import type { PoolClient } from '../../database/postgresql/pool.js';

/** A server that does not stop a statement when told to loses its connection after this, ms. */
export const GRACE = 2000;
/** The largest time-out that a server and a timer take, ms. */
export const LONGEST = 2 ** 31 - 1;

/** How far a time-out may be from right, ms: less than GRACE. */
const TOLERANCE = 1000;

/** The statement time-out that each connection has outside of transactions, ms. */
const timeouts = new WeakMap<PoolClient, number>();

/**
 * What a connection of the store's has for good. What is not in a transaction that was begun reads in
 * one snapshot for all that is sent together, and can't write. What is acknowledged is durable (D27),
 * whatever the server's setting.
 */
const FOR_GOOD = `SET default_transaction_isolation = 'repeatable read';
 SET default_transaction_read_only = on; SET synchronous_commit = on; `;

/**
 * What the planner is told, unless whoever runs the server has said something of it. What an account has lies
 * together, in the keys' index and nearly so in the table, so that to read a part of a table in that order costs
 * what it costs to read it in any; by the default of 4, a third of a table is not worth an index. And one
 * request has one processor: others wait for the second.
 */
const PLANNING = `SELECT set_config(name, value, false) FROM pg_settings
 JOIN (VALUES ('random_page_cost', '1.1'), ('max_parallel_workers_per_gather', '0')) AS v (name, value)
 USING (name) WHERE source = 'default'; `;

/**
 * Brings the session's time-out to that of a call whose `left` ms are left; resolves when it is. Null
 * where it is so already. To be sent before a transaction, whose end would undo it.
 */
export function setUp(client: PoolClient, left: number): Promise<unknown> | null {
  const timeout = timeouts.get(client);
  if (timeout !== undefined && isNear(timeout, left)) return null;
  timeouts.set(client, left);
  const [statement, idle] = timeoutSettings(left);
  const all = `${timeout === undefined ? FOR_GOOD + PLANNING : ''}SET ${statement}; SET ${idle}`;
  return client.query(all).catch((error: unknown) => {
    timeouts.delete(client);
    throw error;
  });
}

/** Whether a call of which so much is left may have this time-out. */
export function isNear(timeout: number, left: number): boolean {
  return Math.abs(timeout - left) <= Math.min(TOLERANCE, left / 4);
}

export function timeoutSettings(milliseconds: number): readonly [string, string] {
  // A server whose client has gone without a word must not keep the account locked for hours.
  const idle = Math.min(milliseconds + GRACE, LONGEST);
  return [`statement_timeout = ${milliseconds}`, `idle_in_transaction_session_timeout = ${idle}`];
}

/** The time-out that a connection has been set up with. */
export function timeoutOf(client: PoolClient): number {
  return timeouts.get(client) ?? 0;
}
