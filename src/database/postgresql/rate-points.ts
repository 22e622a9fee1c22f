import { createHmac } from 'node:crypto';
import { requireTime } from '../../runtime/deadlines.js';
import type { GrantedPoints, PointStore } from '../../runtime/rates/rate-counter.js';
import type { RateRule } from '../../runtime/rates/rate-rules.js';
import type { Pool } from './pool.js';

/** ms since 1970 by the database's clock, once for a statement: those of servers may differ. */
const NOW = 'floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint';

const IS_OVER = `"rate"."expires" <= ${NOW}`;

/** Takes all of the points, or answers no row where fewer are left. */
const TAKE = `INSERT INTO "JmapRate" AS "rate" ("key", "points", "expires")
  VALUES ($1, $2, ${NOW} + $4)
  ON CONFLICT ("key") DO UPDATE SET
    "points" = $2 + CASE WHEN ${IS_OVER} THEN 0 ELSE "rate"."points" END,
    "expires" = CASE WHEN ${IS_OVER} THEN ${NOW} + $4 ELSE "rate"."expires" END
  WHERE ${IS_OVER} OR "rate"."points" + $2 <= $3
  RETURNING "points", "expires", "expires" - ${NOW} AS "endsIn"`;

const LOOK = `SELECT "points", "expires", "expires" - ${NOW} AS "endsIn" FROM "JmapRate"
  WHERE "key" = $1`;

/** The end names the window. */
const GIVE = `UPDATE "JmapRate" SET "points" = "points" - $2
  WHERE "key" = $1 AND "expires" = $3`;

interface RateRow {
  readonly points: string;
  readonly expires: string;
  readonly endsIn: string;
}

/**
 * Returns stores of points in the table JmapRate, one for each rule. Keys are stored as hashes,
 * with `secret` where there is one.
 */
export function ratePoints(pool: Pool, secret: Uint8Array | null) {
  return (rule: RateRule): PointStore => new RatePoints(pool, rule, secret ?? new Uint8Array());
}

class RatePoints implements PointStore {
  readonly #pool: Pool;
  readonly #rule: RateRule;
  readonly #secret: Uint8Array;

  constructor(pool: Pool, rule: RateRule, secret: Uint8Array) {
    this.#pool = pool;
    this.#rule = rule;
    this.#secret = secret;
  }

  async take(key: string, most: number, deadline: number): Promise<GrantedPoints> {
    const { count, seconds } = this.#rule;
    const hash = this.#hash(key);
    let points = Math.min(most, count);
    // Each further turn means that another process was faster.
    for (;;) {
      const taken = await this.#ask('rate-take', TAKE, [hash, points, count, seconds * 1000]);
      if (taken !== null) return readRow(taken, points, count);
      requireTime(deadline);
      const found = await this.#ask('rate-look', LOOK, [hash]);
      requireTime(deadline);
      if (found === null || Number(found.endsIn) <= 0) continue;
      points = Math.min(points, count - Number(found.points));
      if (points <= 0) return readRow(found, 0, count);
    }
  }

  async give(key: string, points: number, window: string): Promise<void> {
    await this.#ask('rate-give', GIVE, [this.#hash(key), points, window]);
  }

  async #ask(
    name: string,
    text: string,
    values: readonly (string | number)[],
  ): Promise<RateRow | null> {
    const { rows } = await this.#pool.query<RateRow>({ name, text, values: [...values] });
    return rows[0] ?? null;
  }

  /** Rules of several windows have counts of their own. */
  #hash(key: string): string {
    const { subject, seconds } = this.#rule;
    const hash = createHmac('sha256', this.#secret);
    return hash.update(`${subject}/${seconds}/${key}`).digest('base64url');
  }
}

function readRow(row: RateRow, points: number, count: number): GrantedPoints {
  const left = Math.max(0, count - Number(row.points));
  return { points, left, window: row.expires, endsIn: Number(row.endsIn) };
}
