import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { changeAccess } from './change.js';
import type { Sealer } from './push-port.js';

/**
 * The key pairs that sign pushes (RFC 8292, RFC 9749). One is current: new subscriptions are bound
 * to it. The others sign for older subscriptions until they retire.
 */

/** A key pair as texts, in base64url: 32 octets, and the 65 octets of the point. */
export interface VapidKeyTexts {
  readonly privateText: string;
  readonly publicText: string;
}

/** A key pair of the database. */
export interface StoredVapidKey extends VapidKeyTexts {
  readonly id: string;
}

/** The id of the first key: of all processes that start at once, one makes it. */
const FIRST = 'first';
const TABLE = 'JmapVapidKey';

export interface VapidKeysOptions {
  readonly prisma: PrismaClient;
  readonly sealer: Sealer;
  readonly makeKey: () => VapidKeyTexts;
  /** Is told that SECRETS_KEY doesn't decrypt a key. */
  readonly onUnusable: (id: string) => void;
}

/** The keys as a server has them. */
export class VapidKeys {
  readonly #options: VapidKeysOptions;
  #current: StoredVapidKey | null = null;
  #version = 0;

  constructor(options: VapidKeysOptions) {
    this.#options = options;
  }

  /** The key that new subscriptions are bound to; null where SECRETS_KEY doesn't decrypt it. */
  get current(): StoredVapidKey | null {
    return this.#current;
  }

  /** Is another number whenever the current key is another one. */
  get version(): number {
    return this.#version;
  }

  /** Makes the first key where there is none, and reads the current one. */
  async open(): Promise<void> {
    const { prisma, sealer, makeKey } = this.#options;
    if ((await prisma.jmapVapidKey.count({ where: { retires: null } })) === 0) {
      const { privateText, publicText } = makeKey();
      const sealed = sealer.seal(privateText, placeOf(FIRST));
      await prisma.$executeRaw`INSERT INTO "JmapVapidKey" ("id", "private", "public", "created")
        VALUES (${FIRST}, ${sealed}, ${publicText}, ${BigInt(Date.now())}) ON CONFLICT DO NOTHING`;
    }
    await this.reload();
  }

  /** Reads the current key again: another process may have made another one. */
  async reload(): Promise<void> {
    const { prisma } = this.#options;
    const row = await prisma.jmapVapidKey.findFirst({ where: { retires: null } });
    if (row !== null && row.id === this.#current?.id) return;
    this.#current = row && this.#opened(row);
    this.#version += 1;
  }

  /** Returns the key that a subscription is bound to; null where it is gone or can't be used. */
  async find(id: string): Promise<StoredVapidKey | null> {
    if (id === this.#current?.id) return this.#current;
    const row = await this.#options.prisma.jmapVapidKey.findUnique({ where: { id } });
    return row && this.#opened(row);
  }

  #opened(row: {
    readonly id: string;
    readonly private: string;
    readonly public: string;
  }): StoredVapidKey | null {
    const { sealer, onUnusable } = this.#options;
    const privateText = sealer.open(row.private, placeOf(row.id));
    if (privateText !== null) return { id: row.id, privateText, publicText: row.public };
    onUnusable(row.id);
    return null;
  }
}

/**
 * Makes another key the current one. The one before signs for its subscriptions for `keep` ms more;
 * then the upkeep destroys them (RFC 9749 5). All servers see it within a second. Changes nothing
 * and resolves to null where the database has the key already.
 */
export async function rotateVapidKey(
  prisma: PrismaClient,
  options: Pick<VapidKeysOptions, 'sealer' | 'makeKey'> & {
    readonly id: string;
    readonly now: number;
    readonly keep: number;
  },
): Promise<VapidKeyTexts | null> {
  const { sealer, makeKey, id, now, keep } = options;
  const made = makeKey();
  return changeAccess(prisma, async (change) => {
    const { transaction } = change;
    const known = await transaction.jmapVapidKey.count({ where: { public: made.publicText } });
    if (known > 0) return null;
    await transaction.jmapVapidKey.updateMany({
      where: { retires: null },
      data: { retires: BigInt(now + keep) },
    });
    const sealed = sealer.seal(made.privateText, placeOf(id));
    await transaction.jmapVapidKey.create({
      data: { id, private: sealed, public: made.publicText, created: BigInt(now) },
    });
    await change.note({ action: 'push/rotate-key', objectId: id });
    return made;
  });
}

function placeOf(id: string) {
  return { table: TABLE, id, column: 'private' };
}

/** Encrypts keys that were stored without a SECRETS_KEY. Returns how many. */
export async function sealVapidKeys(prisma: PrismaClient, sealer: Sealer): Promise<number> {
  let count = 0;
  for (const row of await prisma.jmapVapidKey.findMany()) {
    if (sealer.isCurrent(row.private)) continue;
    const sealed = sealer.seal(row.private, placeOf(row.id));
    // Another server may have done so meanwhile.
    const where = { id: row.id, private: row.private };
    count += (await prisma.jmapVapidKey.updateMany({ where, data: { private: sealed } })).count;
  }
  return count;
}
