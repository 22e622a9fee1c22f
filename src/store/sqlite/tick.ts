import { type Fragment, raw, type SqlValue, sql } from '../sql/fragment.js';

/** Objects of a table whose scan is not stopped: it takes some 50 ms, seconds where their texts are long. */
const FEW = 131_072;

/**
 * A true condition that asks for the time now and then: to ask for each row would take longer than to
 * compare it. By chance it is one row in 256, which no data can keep from coming, takes nothing from the
 * row (an index alone will do), and 40 ns.
 */
export const TICK = raw('(random() & 255 <> 0 OR jmap_tick())');

/**
 * The same for scans. To ask by chance is two fifths of a scan of short rows, and scans run in threads, where nobody
 * else waits: so they ask where the account has many objects in the table, which stands beside its state and is looked
 * at once for each statement. Of an OR SQLite would evaluate what is no subquery first.
 */
export function tickOfScan(accountId: SqlValue, table: string): Fragment {
  const type = raw(`'${table.replaceAll("'", "''")}'`);
  return sql`CASE WHEN (SELECT "objects" FROM "JmapState" WHERE "accountId" = ${accountId} AND "type" = ${type})
 <= ${raw(String(FEW))} THEN TRUE WHEN random() & 255 <> 0 THEN TRUE ELSE jmap_tick() END`;
}
