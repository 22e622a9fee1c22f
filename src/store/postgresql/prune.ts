import type { Connection } from './connection.js';

/** (account, type) pairs looked at by one statement. */
const PAGE = 500;

// States name every pair that has change records, in the order of the key; JmapChange itself is
// never scanned.
const SELECT_PAGE = `SELECT "accountId", "type", (SELECT "at" FROM "JmapChange" AS "c"
 WHERE "c"."accountId" = "s"."accountId" AND "c"."type" = "s"."type" ORDER BY "number" LIMIT 1)
 FROM "JmapState" AS "s" WHERE ("accountId", "type") > ($1, $2)
 ORDER BY "accountId", "type" LIMIT $3`;

// Only a prefix without gaps may go: a state is refused because the record after it is missing. So
// deleting stops at the first record that is kept, even where a clock that stepped back put older
// times after it.
const DELETE_PREFIX = `WITH "oldest" AS MATERIALIZED (SELECT "number", "at" FROM "JmapChange"
 WHERE "accountId" = $1 AND "type" = $2 ORDER BY "number" LIMIT $3)
DELETE FROM "JmapChange" WHERE "accountId" = $1 AND "type" = $2
 AND "number" <= coalesce((SELECT min("number") - 1 FROM "oldest" WHERE "at" >= $4),
 (SELECT max("number") FROM "oldest"))`;

export interface Pair {
  readonly accountId: string;
  readonly type: string;
}

type Run = <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;

const START: Pair = { accountId: '', type: '' };

/**
 * Walks over all (account, type) pairs, in small steps, and deletes change records made before a
 * time. A call that stops at its limit is gone on from by the next.
 */
export class ChangePruner {
  readonly #read: Run;
  readonly #write: (accountId: string) => Run;
  #position = START;

  /** Each runs a work in a transaction of its own, `write` in one that holds the account. */
  constructor(read: Run, write: (accountId: string) => Run) {
    this.#read = read;
    this.#write = write;
  }

  async prune(before: number, limit: number): Promise<number> {
    let removed = 0;
    while (removed < limit) {
      const { accountId, type } = this.#position;
      const page = await this.#read((connection) =>
        connection.all(SELECT_PAGE, accountId, type, PAGE),
      );
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
    }
    return removed;
  }

  #removeOf({ accountId, type }: Pair, before: number, limit: number): Promise<number> {
    return this.#write(accountId)((connection) =>
      connection.run(DELETE_PREFIX, accountId, type, limit, before),
    );
  }
}
