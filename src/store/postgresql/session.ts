import type { Acquired, Pool } from '../../database/postgresql/pool.js';

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

/** Gives each connection of the pool its settings, ahead of all that is asked of it. */
export function setUp(pool: Pool): void {
  pool.on('connect', (client) => {
    // Without them it is of no use: whoever has got it is told that it broke.
    client.query(FOR_GOOD + PLANNING).catch(() => (client as Acquired).socket.destroy());
  });
}
