import type { Acquired } from '../../database/postgresql/pool.js';
import { prepared, type Statement } from './statement.js';

/** A server that does not stop a statement when told to loses its connection after this, ms. */
export const GRACE = 2000;
/** The largest time-out that a server and a timer take, ms. */
export const LONGEST = 2 ** 31 - 1;

/** How far a time-out may be from right, ms: less than GRACE. */
const TOLERANCE = 1000;

/**
 * The settings of a connection of the store. Outside of a begun transaction, statements that are sent
 * together read one snapshot and can't write. A commit that is acknowledged is durable (D27), whatever
 * the server's setting.
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
 USING (name) WHERE source = 'default'`;

/** Of the transaction, or of what is sent together. */
const TIMEOUTS = `SELECT set_config('statement_timeout', $1, true),
 set_config('idle_in_transaction_session_timeout', $2, true)`;

/** Sets what a connection has for good; null where it has that already. To be sent before a transaction. */
export function setUp(client: Acquired): Promise<unknown> | null {
  if (client.isSetUp) return null;
  client.isSetUp = true;
  return client.query(FOR_GOOD + PLANNING).catch((error: unknown) => {
    client.isSetUp = false;
    throw error;
  });
}

/** Whether a call of which so much is left may have this time-out. */
export function isNear(timeout: number, left: number): boolean {
  return Math.abs(timeout - left) <= Math.min(TOLERANCE, left / 4);
}

/** Gives each statement so long, ms. */
export function timeouts(milliseconds: number): Statement {
  // A server whose client has gone without a word must not keep the account locked for hours.
  return prepared(TIMEOUTS, [milliseconds, Math.min(milliseconds + GRACE, LONGEST)]);
}
