import { hash } from 'node:crypto';
import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { available } from './available.js';
import { retryBusy, type TransactionClient } from './change.js';
import { loadPrincipals } from './load-principals.js';
import {
  type NewPushSubscription,
  type PushOwner,
  type PushSubscription,
  type PushSubscriptionChange,
  type PushSubscriptions,
  PushTokenError,
  type PushTransaction,
  type PushUsage,
  type Sealer,
  SHARDS,
} from './push-port.js';
import { lastingCredential, storedSignIn } from './sign-in.js';

/** Whom a row of JmapMeta makes wait: one creation at a time counts and creates, in any process. */
const CREATING = 'pushCreation';

/** In messages. */
const ROWS = 'push subscriptions';

/** Limits of a transaction, ms: another one may hold the lock for a while. */
const TRANSACTION = { maxWait: 10_000, timeout: 10_000 };

type Row = Prisma.JmapPushSubscriptionGetPayload<object>;

export interface PushRowsOptions {
  readonly prisma: PrismaClient;
  readonly sealer: Sealer;
  /** Returns the id of the key that signs the pushes of new subscriptions; null for none. */
  readonly vapidKey: () => string | null;
  /** Is told of each that a look has destroyed since it has expired, maybe before the commit. */
  readonly onExpired: (id: string) => void;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The rows of JmapPushSubscription, as the methods change them. */
export class PushSubscriptionRows implements PushSubscriptions {
  readonly #options: PushRowsOptions;

  constructor(options: PushRowsOptions) {
    this.#options = options;
  }

  list(
    owner: string,
    which: { readonly ids: readonly string[] } | { readonly first: number },
  ): Promise<readonly PushSubscription[]> {
    const { prisma, sealer, now, onExpired } = this.#options;
    return available(ROWS, async () => {
      const ids = 'ids' in which ? which.ids : null;
      const asked = { owner, ids, now: now() };
      const { living, expired } = await findLiving(prisma, asked);
      // Reads go on where nothing can be written: then the upkeep destroys them.
      const all = await destroyExpired(prisma, expired, asked.now).catch(() => false);
      if (all) expired.forEach(onExpired);
      const first = 'first' in which ? living.slice(0, which.first) : living;
      return first.map((row) => opened(row, sealer));
    });
  }

  countCreations(userId: string, since: number): Promise<number> {
    return available(ROWS, () => countCreations(this.#options.prisma, userId, since));
  }

  countRefused(userId: string, ids: readonly string[], at: number): Promise<void> {
    // Without a host: they say nothing about it.
    const data = ids.map((id) => ({ id, userId, host: null, at: BigInt(at) }));
    const { prisma } = this.#options;
    return available(ROWS, async () => void (await prisma.jmapPushCreation.createMany({ data })));
  }

  change<T>(
    owner: PushOwner,
    creates: boolean,
    work: (transaction: PushTransaction) => Promise<T>,
  ): Promise<T> {
    const run = async (client: TransactionClient): Promise<T> => {
      // A write first: it takes the lock before anything is read.
      if (creates) await lockCreations(client);
      if (!(await lockOwner(client, owner))) throw new PushTokenError();
      return work(new RowTransaction(client, owner, this.#options));
    };
    return available(ROWS, () =>
      retryBusy(() => this.#options.prisma.$transaction(run, TRANSACTION)),
    );
  }
}

/** The subscriptions of an owner at a time, epoch ms. */
interface Asked {
  readonly owner: string;
  /** Null: all. */
  readonly ids: readonly string[] | null;
  readonly now: number;
}

/** Resolves to the subscriptions in order of creation, and the ids of those that have expired. */
async function findLiving(
  client: Pick<TransactionClient, 'jmapPushSubscription'>,
  { owner, ids, now }: Asked,
): Promise<{ readonly living: readonly Row[]; readonly expired: readonly string[] }> {
  // An owner has few: their number is limited. Clients may name many.
  const all = await client.jmapPushSubscription.findMany({
    where: { tokenId: owner },
    orderBy: { id: 'asc' },
  });
  const named = ids && new Set(ids);
  const rows = all.filter(({ id }) => named?.has(id) ?? true);
  return {
    living: rows.filter(({ expires }) => expires > now),
    expired: rows.filter(({ expires }) => expires <= now).map(({ id }) => id),
  };
}

/**
 * A clock that is set back must not bring back what a client has seen expire. Resolves to false
 * where some are left: they were renewed meanwhile, or another look has destroyed them.
 */
async function destroyExpired(
  client: Pick<TransactionClient, 'jmapPushSubscription'>,
  ids: readonly string[],
  now: number,
): Promise<boolean> {
  if (ids.length === 0) return true;
  const where = { id: { in: [...ids] }, expires: { lte: BigInt(now) } };
  return (await client.jmapPushSubscription.deleteMany({ where })).count === ids.length;
}

function countCreations(
  client: Pick<TransactionClient, 'jmapPushCreation'>,
  userId: string,
  since: number,
): Promise<number> {
  return client.jmapPushCreation.count({ where: { userId, at: { gt: BigInt(since) } } });
}

/**
 * Locks the row that stands for the subscriptions of an owner, for which whatever ends it waits: a
 * token's, else the user's. Resolves to false where the owner has ended.
 */
async function lockOwner(
  client: TransactionClient,
  { credential: { owner, signIn }, userId }: PushOwner,
): Promise<boolean> {
  if (signIn === null) {
    const found = await client.$executeRaw`
      UPDATE "JmapToken" SET "readOnly" = "readOnly" WHERE "id" = ${owner}`;
    if (found === 0) return false;
    // Behind the lock: whatever disables the user takes it too.
    return (await client.jmapUser.count({ where: { id: userId, disabled: null } })) > 0;
  }
  await client.$executeRaw`UPDATE "JmapUser" SET "name" = "name" WHERE "id" = ${userId}`;
  const loaded = await loadPrincipals(client, [lastingCredential(owner, signIn)], {
    capabilitiesOf: () => null,
  });
  return loaded.size > 0;
}

async function lockCreations(client: TransactionClient): Promise<void> {
  await client.$executeRaw`INSERT INTO "JmapMeta" ("key", "value") VALUES (${CREATING}, '')
    ON CONFLICT ("key") DO UPDATE SET "value" = ''`;
}

/** One transaction on the subscriptions of a token. */
class RowTransaction implements PushTransaction {
  readonly #client: TransactionClient;
  readonly #owner: PushOwner;
  readonly #options: PushRowsOptions;

  constructor(client: TransactionClient, owner: PushOwner, options: PushRowsOptions) {
    this.#client = client;
    this.#owner = owner;
    this.#options = options;
  }

  async find(ids: readonly string[]): Promise<readonly PushSubscription[]> {
    const { owner } = this.#owner.credential;
    const { now, onExpired } = this.#options;
    const asked = { owner, ids, now: now() };
    const { living, expired } = await findLiving(this.#client, asked);
    if (await destroyExpired(this.#client, expired, asked.now)) expired.forEach(onExpired);
    return living.map((row) => opened(row, this.#options.sealer));
  }

  async usage(since: number): Promise<PushUsage> {
    const rows = await this.#client.jmapPushSubscription.findMany({
      where: {
        userId: this.#owner.userId,
        expires: { gt: BigInt(this.#options.now()) },
        OR: [{ verified: { not: null } }, { created: { gt: BigInt(since) } }],
      },
      orderBy: { id: 'asc' },
      select: { id: true, tokenId: true, created: true },
    });
    const ofToken = rows.filter(({ tokenId }) => tokenId === this.#owner.credential.owner);
    const oldest = ofToken[0];
    return {
      ofToken: ofToken.length,
      ofUser: rows.length,
      oldest: oldest === undefined ? null : { id: oldest.id, created: Number(oldest.created) },
    };
  }

  countCreations(since: number): Promise<number> {
    return countCreations(this.#client, this.#owner.userId, since);
  }

  countUnverified(host: string, since: number): Promise<number> {
    return this.#client.jmapPushCreation.count({ where: { host, at: { gt: BigInt(since) } } });
  }

  async create(subscription: NewPushSubscription): Promise<void> {
    const { id, url, host, keys, types, deviceClientId, code, lastId } = subscription;
    const { sealer, vapidKey } = this.#options;
    // The request's principal has more members.
    const { credential, userId } = this.#owner;
    const created = BigInt(subscription.created);
    const seal = (text: string, column: string) => sealer.seal(text, { table: TABLE, id, column });
    await this.#client.jmapPushCreation.create({
      data: { id, userId, host, at: created },
    });
    await this.#client.jmapPushSubscription.create({
      data: {
        ...{ id, userId, deviceClientId, code, created, told: lastId },
        tokenId: credential.owner,
        signIn: storedSignIn(credential),
        url: seal(url, 'url'),
        p256dh: keys && seal(keys.p256dh, 'p256dh'),
        auth: keys && seal(keys.auth, 'auth'),
        types: jsonOf(types),
        expires: BigInt(subscription.expires),
        ...{ wrongCodes: 0n, failures: 0n, shard: shardOf(id), vapidKey: vapidKey() },
      },
    });
  }

  async change(id: string, change: PushSubscriptionChange): Promise<void> {
    const { types, expires, verified, wrongCodes, wrongSince } = change;
    await this.#client.jmapPushSubscription.updateMany({
      where: { id, tokenId: this.#owner.credential.owner },
      data: {
        // The client's present token says what it may hear of.
        signIn: storedSignIn(this.#owner.credential),
        ...(types === undefined ? {} : { types: jsonOf(types) }),
        ...(expires === undefined ? {} : { expires: BigInt(expires) }),
        ...(verified === undefined ? {} : { verified: BigInt(verified) }),
        ...(wrongCodes === undefined ? {} : { wrongCodes: BigInt(wrongCodes) }),
        ...(wrongSince === undefined
          ? {}
          : { wrongSince: wrongSince === null ? null : BigInt(wrongSince) }),
      },
    });
    // A host that hands codes on wants its pushes: the creation counts towards it no more.
    if (verified !== undefined)
      await this.#client.jmapPushCreation.updateMany({ where: { id }, data: { host: null } });
  }

  async destroy(ids: readonly string[]): Promise<void> {
    await this.#client.jmapPushSubscription.deleteMany({
      where: { id: { in: [...ids] }, tokenId: this.#owner.credential.owner },
    });
  }
}

/** Of the subscriptions, where their secrets are stored. */
export const TABLE = 'JmapPushSubscription';

function jsonOf(types: readonly string[] | null): Prisma.InputJsonValue | typeof Prisma.DbNull {
  return types === null ? Prisma.DbNull : [...types];
}

/** Returns the share of the subscriptions that an id belongs to, 0 to 15. */
function shardOf(id: string): number {
  return hash('sha256', id, 'buffer').readUInt8(0) % SHARDS;
}

/** Returns a row with its secrets decrypted. */
export function opened(row: Row, sealer: Sealer): PushSubscription {
  const { id, deviceClientId, code, lastFailureReason } = row;
  const open = (stored: string | null, column: string): string | null =>
    stored === null ? null : sealer.open(stored, { table: TABLE, id, column });
  const [p256dh, auth] = [open(row.p256dh, 'p256dh'), open(row.auth, 'auth')];
  // Where keys were given, nothing may leave without them.
  const isUnusable = (row.p256dh !== null && p256dh === null) || (row.auth !== null && !auth);
  return {
    ...{ id, deviceClientId, code, lastFailureReason },
    url: isUnusable ? null : open(row.url, 'url'),
    keys: p256dh === null || auth === null ? null : { p256dh, auth },
    types: typesOf(row.types),
    expires: Number(row.expires),
    created: Number(row.created),
    isVerified: row.verified !== null,
    wrongCodes: Number(row.wrongCodes),
    wrongSince: timeOf(row.wrongSince),
    lastSuccess: timeOf(row.lastSuccess),
    lastFailure: timeOf(row.lastFailure),
  };
}

/** Reads the JSON column: the names of types, or null for all. */
export function typesOf(column: unknown): readonly string[] | null {
  return Array.isArray(column) ? column.filter((type) => typeof type === 'string') : null;
}

export function timeOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
