import { ANY_SCOPE, PRUNED } from '../../capability/scopes.js';
import type { BlobKey } from '../port.js';
import { prunedScopes } from './access-records.js';
import type { Dialect } from './dialect-port.js';
import { type Fragment, sql } from './fragment.js';
import type { Row } from './row-codec.js';

/** Removes what nobody needs any more: old change records and answers, unreferenced blobs. */

/** (account, type) pairs looked at by one statement. */
const PAGE = 500;
/**
 * Such statements of one call, which the upkeep makes each minute: its cost doesn't grow with the
 * accounts. At 20,000 pairs a minute, a million accounts with a type each take 50 minutes.
 */
const PAGES = 40;
/** Scopes of which an account and type keep the number of the last record that was removed. */
const MAX_PRUNED = 20_000;
/** Where there are more, so many with the greatest numbers stay. */
const KEPT_PRUNED = 15_000;

interface Pair {
  readonly accountId: string;
  readonly type: string;
}

/** A pair's records behind a number: none up to it is left. */
interface Log extends Pair {
  readonly after: number;
}

/** Where rows of all accounts are read, and those of one account deleted. */
export interface Pruning {
  /** Returns rows of a statement; gives others a turn before or after it. */
  rows(query: Fragment): Promise<readonly Row[]>;

  /** Runs a statement in a transaction that holds the account; returns the rows that it deleted. */
  remove(accountId: string, statement: Fragment): Promise<readonly Row[]>;
}

const START: Pair = { accountId: '', type: '' };

/**
 * Walks over all (account, type) pairs, in small steps, and deletes change records made before a
 * time. A call that stops at its limit is gone on from by the next.
 */
export class ChangePruner {
  readonly #pruning: Pruning;
  readonly #dialect: Dialect;
  /** Behind this pair the walk goes on. */
  #position = START;
  /** A pair that is begun comes first, and from where it stands: see `oldestOf`. */
  #begun: Log | null = null;

  constructor(pruning: Pruning, dialect: Dialect) {
    this.#pruning = pruning;
    this.#dialect = dialect;
  }

  /**
   * At most `limit` records are gone by it, so many by its result (another process may have removed
   * some of them). Fewer: nothing old is left, or the walk has come far enough for once.
   */
  async prune(before: number, limit: number): Promise<number> {
    let count = this.#begun === null ? 0 : await this.#shorten(this.#begun, before, limit);
    for (let pages = 0; count < limit && pages < PAGES; pages += 1) {
      const page = await this.#pruning.rows(pageAfter(this.#position));
      for (const row of page) {
        if (count >= limit) return count;
        const pair = { accountId: row[0] as string, type: row[1] as string };
        const oldest = row[2] as number | null;
        if (oldest !== null && oldest < before)
          count += await this.#shorten({ ...pair, after: 0 }, before, limit - count);
        this.#position = pair;
      }
      // Where something is begun the walk ends after it.
      if (page.length < PAGE && this.#begun === null) {
        this.#position = START;
        return count;
      }
    }
    return count;
  }

  /**
   * Removes a prefix without gaps: a state is refused because the record after it is missing. So it
   * stops at the first record to keep, even if a clock that stepped back put older times after it.
   * Reads outside of the deleting transaction stay true: records never change, and new ones get
   * higher numbers.
   */
  async #shorten(log: Log, before: number, limit: number): Promise<number> {
    const rows = await this.#pruning.rows(oldestOf(log, limit));
    const kept = rows.findIndex((row) => (row[1] as number) >= before);
    const old = kept < 0 ? rows : rows.slice(0, kept);
    const last = old.at(-1)?.[0] as number | undefined;
    if (last !== undefined) {
      const scopes = prunedScopes(old);
      const { accountId } = log;
      // First: what comes of an end in between is a state that is refused without need.
      if (scopes.length > 0) {
        await this.#pruning.remove(accountId, notePruned(log, scopes, this.#dialect));
        await this.#pruning.remove(accountId, deleteGone(log, old, this.#dialect));
        await this.#foldPruned(log);
      }
      await this.#pruning.remove(accountId, deleteTo(log, last));
    }
    this.#begun = last !== undefined && old.length === limit ? { ...log, after: last } : null;
    return old.length;
  }

  /**
   * Has one row stand for the scopes whose last records were removed longest ago: most of them
   * nobody has any more. It concerns every view, so some states are refused without need.
   */
  async #foldPruned(log: Log): Promise<void> {
    const [row] = await this.#pruning.rows(pastPruned(log));
    if (row === undefined) return;
    const last = row[0] as number;
    const { accountId } = log;
    await this.#pruning.remove(accountId, notePruned(log, [[ANY_SCOPE, last]], this.#dialect));
    await this.#pruning.remove(accountId, deletePruned(log, last));
  }
}

/** Returns a row `[number]` up to which rows of scopes become one; none where they are few. */
function pastPruned(log: Log): Fragment {
  return sql`SELECT "number" FROM "JmapScope" WHERE ${isPruned(log)} AND EXISTS (SELECT 1
 FROM "JmapScope" WHERE ${isPruned(log)} LIMIT 1 OFFSET ${MAX_PRUNED})
 ORDER BY "number" DESC LIMIT 1 OFFSET ${KEPT_PRUNED}`;
}

function deletePruned(log: Log, last: number): Fragment {
  return sql`DELETE FROM "JmapScope" WHERE ${isPruned(log)} AND "number" <= ${last}
 RETURNING "number"`;
}

function isPruned({ accountId, type }: Log): Fragment {
  return sql`"accountId" = ${accountId} AND "type" = ${type} AND "objectId" = ${PRUNED}
 AND "scope" > ${ANY_SCOPE}`;
}

/**
 * Reads pairs from the states, which name each pair with change records in the order of the key: it
 * never scans JmapChange.
 */
export function pageAfter({ accountId, type }: Pair): Fragment {
  return sql`SELECT "accountId", "type", (SELECT "at" FROM "JmapChange" AS "c"
 WHERE "c"."accountId" = "s"."accountId" AND "c"."type" = "s"."type" ORDER BY "number" LIMIT 1)
 FROM "JmapState" AS "s" WHERE ("accountId", "type") > (${accountId}, ${type})
 ORDER BY "accountId", "type" LIMIT ${PAGE}`;
}

/**
 * Returns rows `[number, at, objectId, kind, scopes, scopesBefore]` behind the place where the last
 * step ended. PostgreSQL keeps entries of deleted rows until a vacuum, and a step from the start
 * would go through all of them.
 */
export function oldestOf({ accountId, type, after }: Log, limit: number): Fragment {
  return sql`SELECT "number", "at", "objectId", "kind", "scopes", "scopesBefore" FROM "JmapChange"
 WHERE "accountId" = ${accountId} AND "type" = ${type} AND "number" > ${after}
 ORDER BY "number" LIMIT ${limit}`;
}

export function deleteTo({ accountId, type, after }: Log, last: number): Fragment {
  return sql`DELETE FROM "JmapChange" WHERE "accountId" = ${accountId} AND "type" = ${type}
 AND "number" > ${after} AND "number" <= ${last} RETURNING "number"`;
}

/**
 * Notes for each of these scopes the number of the last record that is removed and concerns it: a
 * state of before leads a user with the scope nowhere.
 */
function notePruned(
  { accountId, type }: Log,
  scopes: readonly (readonly [scope: string, number: number])[],
  dialect: Dialect,
): Fragment {
  const rows = dialect.tuples(JSON.stringify(scopes), [{ kind: 'string' }, { kind: 'integer' }]);
  return sql`INSERT INTO "JmapScope" ("accountId", "type", "objectId", "scope", "number", "gone")
 SELECT CAST(${accountId} AS TEXT), CAST(${type} AS TEXT), ${PRUNED}, "t".*, TRUE
 FROM (${rows}) AS "t" WHERE TRUE ON CONFLICT ("accountId", "type", "objectId", "scope")
 DO UPDATE SET "number" = CASE WHEN excluded."number" > "JmapScope"."number"
 THEN excluded."number" ELSE "JmapScope"."number" END RETURNING "number"`;
}

/** Removes the scopes that objects of removed records had: nobody comes back to those. */
function deleteGone({ accountId, type }: Log, records: readonly Row[], dialect: Dialect): Fragment {
  const last = records.at(-1)?.[0] as number;
  const ids = JSON.stringify([...new Set(records.map((row) => row[2]))].filter((id) => id !== ''));
  return sql`DELETE FROM "JmapScope" WHERE "accountId" = ${accountId} AND "type" = ${type}
 AND "objectId" IN (${dialect.elements(ids, 'string')}) AND "gone" AND "number" <= ${last}
 RETURNING "number"`;
}

/**
 * Collects blobs as `Store.collectBlobs` says, those first that nothing has referred to for
 * longest.
 */
export async function collectBlobs(
  pruning: Pruning,
  dialect: Dialect,
  before: number,
  limit: number,
): Promise<readonly BlobKey[]> {
  const mayGo = collectable(before);
  const found =
    await pruning.rows(sql`SELECT "accountId", "id" FROM "JmapBlob" AS "b" WHERE ${mayGo}
 ORDER BY "unreferencedSince" LIMIT ${limit} + 0`);
  const keys: BlobKey[] = [];
  for (const [accountId, ids] of byAccount(found)) {
    const list = dialect.elements(JSON.stringify(ids), 'string');
    const rows = await pruning.remove(
      accountId,
      sql`DELETE FROM "JmapBlob" AS "b" WHERE "accountId" = ${accountId} AND "id" IN (${list})
 AND ${mayGo} RETURNING "id"`,
    );
    for (const [id] of rows) keys.push({ accountId, id: id as string });
  }
  return keys;
}

/** Removes answers as `Store.pruneAnswers` says, the oldest first. */
export async function pruneAnswers(
  pruning: Pruning,
  dialect: Dialect,
  before: number,
  limit: number,
): Promise<number> {
  const found = await pruning.rows(sql`SELECT "accountId", "key" FROM "JmapOnce"
 WHERE "at" < ${before} ORDER BY "at" LIMIT ${limit} + 0`);
  let count = 0;
  for (const [accountId, keys] of byAccount(found)) {
    const list = dialect.elements(JSON.stringify(keys), 'string');
    // A key may have been used again meanwhile.
    const rows = await pruning.remove(
      accountId,
      sql`DELETE FROM "JmapOnce" WHERE "accountId" = ${accountId} AND "key" IN (${list})
 AND "at" < ${before} RETURNING "key"`,
    );
    count += rows.length;
  }
  return count;
}

/** Returns the second texts of rows by the first ones, which are ids of accounts. */
function byAccount(rows: readonly Row[]): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>();
  for (const row of rows) {
    const [accountId, text] = row as readonly [string, string];
    const known = texts.get(accountId);
    if (known === undefined) texts.set(accountId, [text]);
    else known.push(text);
  }
  return texts;
}

/** For a blob "b". NOT EXISTS too: a reference must keep its blob even if the time is wrong. */
function collectable(before: number): Fragment {
  return sql`"b"."unreferencedSince" < ${before}
 AND NOT EXISTS (SELECT 1 FROM "JmapBlobReference" AS "r"
 WHERE "r"."accountId" = "b"."accountId" AND "r"."blobId" = "b"."id")`;
}
