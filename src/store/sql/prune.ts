import type { Answer } from './engine.js';
import { type Fragment, sql } from './fragment.js';
import type { Row } from './objects.js';

/** (account, type) pairs looked at by one statement. */
const PAGE = 500;

interface Pair {
  readonly accountId: string;
  readonly type: string;
}

/** Where the rows of states are read, and change records deleted. */
export interface Pruning {
  /** Rows of a statement; gives others a turn before or after it. */
  rows(query: Fragment): Promise<readonly Row[]>;

  /** Runs a statement in a transaction that has the account's data to itself; how many rows it changed. */
  change(accountId: string, statement: Fragment): Answer<number>;
}

const START: Pair = { accountId: '', type: '' };

/**
 * Walks over all (account, type) pairs, in small steps, and deletes change records made before a
 * time. A call that stops at its limit is gone on from by the next.
 */
export class ChangePruner {
  readonly #pruning: Pruning;
  #position = START;

  constructor(pruning: Pruning) {
    this.#pruning = pruning;
  }

  async prune(before: number, limit: number): Promise<number> {
    let removed = 0;
    while (removed < limit) {
      const page = await this.#pruning.rows(pageAfter(this.#position));
      for (const row of page) {
        const pair = { accountId: row[0] as string, type: row[1] as string };
        const oldest = row[2] as number | null;
        if (oldest !== null && oldest < before) {
          const statement = deletePrefix(pair, before, limit - removed);
          removed += await this.#pruning.change(pair.accountId, statement);
          // There may be more of this pair: the position stays before it.
          if (removed >= limit) return removed;
        }
        this.#position = pair;
      }
      if (page.length < PAGE) {
        this.#position = START;
        return removed;
      }
    }
    return removed;
  }
}

/**
 * States name every pair that has change records, in the order of the key; JmapChange itself is never
 * scanned.
 */
function pageAfter({ accountId, type }: Pair): Fragment {
  return sql`SELECT "accountId", "type", (SELECT "at" FROM "JmapChange" AS "c"
 WHERE "c"."accountId" = "s"."accountId" AND "c"."type" = "s"."type" ORDER BY "number" LIMIT 1)
 FROM "JmapState" AS "s" WHERE ("accountId", "type") > (${accountId}, ${type})
 ORDER BY "accountId", "type" LIMIT ${PAGE}`;
}

/**
 * Only a prefix without gaps may go: a state is refused because the record after it is missing. So
 * deleting stops at the first record that is kept, even where a clock that stepped back put older
 * times after it.
 */
function deletePrefix({ accountId, type }: Pair, before: number, limit: number): Fragment {
  return sql`WITH "oldest" AS MATERIALIZED (SELECT "number", "at" FROM "JmapChange"
 WHERE "accountId" = ${accountId} AND "type" = ${type} ORDER BY "number" LIMIT ${limit})
DELETE FROM "JmapChange" WHERE "accountId" = ${accountId} AND "type" = ${type}
 AND "number" <= coalesce((SELECT min("number") - 1 FROM "oldest" WHERE "at" >= ${before}),
 (SELECT max("number") FROM "oldest"))`;
}
