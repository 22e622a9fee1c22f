import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { inChunks } from '../database/in-chunks.js';
import type { Credential } from './principal.js';
import type { FailureNote, PushRow, Sealer, SuccessNote } from './push-port.js';
import { opened, timeOf, typesOf } from './push-subscriptions.js';
import { endUnsignedWaits, UNSIGNED } from './push-upkeep.js';
import { lastingCredential, readSignIn } from './sign-in.js';

/* A sender reads and writes the rows of push subscriptions here. Times are epoch ms. */

/** A subscription that something may be posted to, with its token. */
export interface DeliveryRow extends PushRow {
  readonly credential: Credential;
}

/** A subscription that waits for its verification. */
export interface UnverifiedRow extends DeliveryRow {
  readonly code: string;
}

/** Rows that one statement reads or writes. */
const STEP = 500;
/** Subscriptions that are verified late at a time. */
const LOOK = 100;

interface DeliveryOptions {
  readonly prisma: PrismaClient;
  readonly sealer: Sealer;
  readonly now: () => number;
  /** Whether a key signs pushes: then nothing waits for want of one. */
  readonly signs: boolean;
  /** Is told once of each subscription whose secrets SECRETS_KEY doesn't decrypt. */
  readonly onUnusable: (id: string) => void;
  /** Is told how many a reading has destroyed since they have expired. */
  readonly onExpired: (count: number) => void;
}

type Stored = Prisma.JmapPushSubscriptionGetPayload<object>;
type Where = Prisma.JmapPushSubscriptionWhereInput;

/** The rows of JmapPushSubscription, as the process that pushes sees them. */
export class PushDeliveryRows {
  readonly #options: DeliveryOptions;
  readonly #unusable = new Set<string>();

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /**
   * Gives the verified ones of ids, or of shards that this process begins to serve, in parts. Ends
   * the waits of shards for want of a key.
   */
  async *load(
    which: { readonly shards: readonly number[] } | { readonly ids: readonly string[] },
  ): AsyncIterable<readonly DeliveryRow[]> {
    const { prisma, signs } = this.#options;
    if ('ids' in which) {
      const rows = await inChunks(which.ids, (chunk) =>
        prisma.jmapPushSubscription.findMany({
          where: { id: { in: chunk }, ...this.#isServed() },
        }),
      );
      yield rows.flatMap((row) => this.#opened(row) ?? []);
      return;
    }
    const shard = { in: [...which.shards] };
    if (signs) await endUnsignedWaits(prisma, which.shards);
    for (let after = ''; ; ) {
      const rows = await prisma.jmapPushSubscription.findMany({
        where: { shard, ...this.#isServed(), id: { gt: after } },
        orderBy: { id: 'asc' },
        take: STEP,
      });
      yield rows.flatMap((row) => this.#opened(row) ?? []);
      const last = rows.at(-1);
      if (last === undefined || rows.length < STEP) return;
      after = last.id;
    }
  }

  /** Resolves to the verified ones of shards, without their secrets. */
  async listServed(shards: readonly number[]): Promise<readonly Pick<PushRow, 'id' | 'types'>[]> {
    const rows = await this.#options.prisma.jmapPushSubscription.findMany({
      where: { shard: { in: [...shards] }, ...this.#isServed() },
      select: { id: true, types: true },
    });
    return rows.map(({ id, types }) => ({ id, types: typesOf(types) }));
  }

  /** Resolves to the verified ones of the ids as they are now. Destroys those that have expired. */
  async read(ids: readonly string[]): Promise<readonly DeliveryRow[]> {
    const id = { in: [...ids] };
    const rows = await this.#options.prisma.jmapPushSubscription.findMany({
      where: { id, ...this.#isServed() },
    });
    // A clock that is set back must not bring back what a client has seen expire.
    const expires = { lte: BigInt(this.#options.now()) };
    if (rows.length < ids.length) {
      const where = { id, expires };
      const { count } = await this.#options.prisma.jmapPushSubscription.deleteMany({ where });
      if (count > 0) this.#options.onExpired(count);
    }
    return rows.flatMap((row) => this.#opened(row) ?? []);
  }

  /** Stores what was told, which ends a run of failures. */
  async noteSuccesses(notes: readonly SuccessNote[]): Promise<void> {
    for (let from = 0; from < notes.length; from += STEP) {
      const values = notes
        .slice(from, from + STEP)
        .map(({ id, lastId, at }) => Prisma.sql`(${id}, ${lastId}, ${String(at)})`);
      await this.#options.prisma.$executeRaw`UPDATE "JmapPushSubscription"
        SET "told" = "v"."column2", "lastSuccess" = CAST("v"."column3" AS BIGINT),
        "failures" = 0, "firstFailure" = NULL, "notBefore" = NULL
        FROM (VALUES ${Prisma.join(values)}) AS "v"
        WHERE "JmapPushSubscription"."id" = "v"."column1"`;
    }
  }

  async noteFailures(notes: readonly FailureNote[]): Promise<void> {
    for (let from = 0; from < notes.length; from += STEP) {
      const values = notes.slice(from, from + STEP).map((note) => {
        const { id, failures, firstFailure, notBefore, at, reason } = note;
        const first = firstFailure === null ? null : String(firstFailure);
        return Prisma.sql`(${id}, ${String(failures)}, ${first}, ${String(notBefore)},
          ${String(at)}, ${reason})`;
      });
      await this.#options.prisma.$executeRaw`UPDATE "JmapPushSubscription"
        SET "failures" = CAST("v"."column2" AS BIGINT),
        "firstFailure" = CAST("v"."column3" AS BIGINT),
        "notBefore" = CAST("v"."column4" AS BIGINT),
        "lastFailure" = CAST("v"."column5" AS BIGINT), "lastFailureReason" = "v"."column6"
        FROM (VALUES ${Prisma.join(values)}) AS "v"
        WHERE "JmapPushSubscription"."id" = "v"."column1"`;
    }
  }

  /** Stores how a verification went; `reason`: why it failed. */
  async noteVerification(id: string, at: number, reason: string | null): Promise<void> {
    await this.#options.prisma.jmapPushSubscription.updateMany({
      where: { id },
      data:
        reason === null
          ? { lastSuccess: BigInt(at) }
          : { lastFailure: BigInt(at), lastFailureReason: reason },
    });
  }

  async remove(id: string): Promise<void> {
    await this.#options.prisma.jmapPushSubscription.deleteMany({ where: { id } });
  }

  /** Resolves to one that nobody has begun to verify; null where there is none of the id. */
  async unverified(id: string): Promise<UnverifiedRow | null> {
    const row = await this.#options.prisma.jmapPushSubscription.findFirst({
      where: { id, verified: null, verificationSent: null, ...this.#isAlive() },
    });
    const usable = row && this.#opened(row);
    return row && usable && { ...usable, code: row.code };
  }

  /**
   * Returns ids of subscriptions in shards that were created before a time and that nobody has
   * begun to verify, the oldest first. Without those that no key could sign for. Subscriptions that
   * this process can't decrypt are left to another one.
   */
  async forgotten(before: number, shards: readonly number[]): Promise<readonly string[]> {
    if (shards.length === 0) return [];
    const usable =
      this.#unusable.size === 0
        ? Prisma.empty
        : Prisma.sql`AND "s"."id" NOT IN (${Prisma.join([...this.#unusable])})`;
    // Creations are kept for an hour.
    const rows = await this.#options.prisma.$queryRaw<readonly { readonly id: string }[]>`
      SELECT "s"."id" FROM "JmapPushCreation" AS "c"
      JOIN "JmapPushSubscription" AS "s" ON "s"."id" = "c"."id"
      WHERE "c"."at" <= CAST(${String(before)} AS BIGINT) AND "c"."host" IS NOT NULL
        AND "s"."verified" IS NULL AND "s"."verificationSent" IS NULL
        AND "s"."expires" > CAST(${String(this.#options.now())} AS BIGINT)
        AND "s"."shard" IN (${Prisma.join([...shards])})
        AND COALESCE("s"."lastFailureReason", '') <> ${UNSIGNED} ${usable}
      ORDER BY "c"."at" LIMIT ${LOOK}`;
    return rows.map(({ id }) => id);
  }

  /**
   * Notes that the verification is being sent. Resolves to false where another process has noted
   * that: it is sent once at most.
   */
  async beginVerification(id: string): Promise<boolean> {
    const { count } = await this.#options.prisma.jmapPushSubscription.updateMany({
      where: { id, verificationSent: null, ...this.#isAlive() },
      data: { verificationSent: BigInt(this.#options.now()) },
    });
    return count === 1;
  }

  #isAlive(): Where {
    return { expires: { gt: BigInt(this.#options.now()) } };
  }

  #isServed(): Where {
    return { verified: { not: null }, ...this.#isAlive() };
  }

  #opened(row: Stored): DeliveryRow | null {
    const { sealer, onUnusable } = this.#options;
    const { url, keys, types } = opened(row, sealer);
    if (url === null) {
      if (!this.#unusable.has(row.id)) onUnusable(row.id);
      this.#unusable.add(row.id);
      return null;
    }
    const { id, vapidKey, shard, told: lastId } = row;
    return {
      ...{ id, url, types, vapidKey, shard, lastId },
      credential: lastingCredential(row.tokenId, readSignIn(row.signIn)),
      keys: keys && {
        p256dh: Buffer.from(keys.p256dh, 'base64url'),
        auth: Buffer.from(keys.auth, 'base64url'),
      },
      failures: Number(row.failures),
      firstFailure: timeOf(row.firstFailure),
      notBefore: timeOf(row.notBefore),
    };
  }
}
