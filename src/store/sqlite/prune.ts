import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connection } from './connection.js';

/** (account, type) pairs looked at in one turn of the event loop. */
const PAGE = 500;

// States name every pair that has change records, in the order of the key; JmapChange itself is
// never scanned.
const SELECT_PAGE = `SELECT "accountId", "type", (SELECT "at" FROM "JmapChange" AS "c"
 WHERE "c"."accountId" = "s"."accountId" AND "c"."type" = "s"."type" ORDER BY "number" LIMIT 1)
 FROM "JmapState" AS "s" WHERE ("accountId", "type") > (?, ?)
 ORDER BY "accountId", "type" LIMIT ?`;

// Only a prefix without gaps may go: a state is refused because the record after it is missing. So
// deleting stops at the first record that is kept, even where a clock that stepped back put older
// times after it.
const DELETE_PREFIX = `WITH "oldest" AS MATERIALIZED (SELECT "number", "at" FROM "JmapChange"
 WHERE "accountId" = ? AND "type" = ? ORDER BY "number" LIMIT ?)
DELETE FROM "JmapChange" WHERE "accountId" = ? AND "type" = ?
 AND "number" <= coalesce((SELECT min("number") - 1 FROM "oldest" WHERE "at" >= ?),
 (SELECT max("number") FROM "oldest"))`;

export interface Pair {
  readonly accountId: string;
  readonly type: string;
}

const START: Pair = { accountId: '', type: '' };

/**
 * Walks over all (account, type) pairs, in small steps, and deletes change records made before a
 * time. A call that stops at its limit is gone on from by the next.
 */
export class ChangePruner {
  readonly #reader: Connection;
  readonly #remove: (pair: Pair, work: (connection: Connection) => number) => Promise<number>;
  #position = START;

  /** `remove` runs a work in a write transaction. */
  constructor(
    reader: Connection,
    remove: (pair: Pair, work: (connection: Connection) => number) => Promise<number>,
  ) {
    this.#reader = reader;
    this.#remove = remove;
  }

  async prune(before: number, limit: number): Promise<number> {
    let removed = 0;
    while (removed < limit) {
      const { accountId, type } = this.#position;
      const page = this.#reader.all(SELECT_PAGE, accountId, type, PAGE);
      for (const row of page) {
        const pair = { accountId: row[0] as string, type: row[1] as string };
        const oldest = row[2] as number | null;
        if (oldest !== null && oldest < before) {
          removed += await this.#removeOf(pair, before, limit - removed);
          // There may be more of this pair: the position stays before it.
          if (removed >= limit) return removed;
        }
        this.#position = pair;
      }
      if (page.length < PAGE) {
        this.#position = START;
        return removed;
      }
      await nextTurn();
    }
    return removed;
  }

  #removeOf(pair: Pair, before: number, limit: number): Promise<number> {
    const { accountId, type } = pair;
    return this.#remove(pair, (connection) =>
      connection.run(DELETE_PREFIX, accountId, type, limit, accountId, type, before),
    );
  }
}
