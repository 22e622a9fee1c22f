import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { EVERYONE } from '../capability/scopes.js';

/** Principals that are remembered; beyond it all are forgotten, and count as moved. */
const MAX_MOVED = 10_000;

/**
 * The principals who may reach other accounts since a share version, because shares have changed.
 * So a version that somebody else's shares raise has no principal loaded anew.
 */
export class MovedPrincipals {
  readonly #prisma: PrismaClient;
  /** The moves behind this version are remembered; null: nobody has asked yet. */
  #from: number | null = null;
  /** All moves up to this version are known. */
  #upTo = 0;
  /** By principal: the version since its last move. */
  readonly #moved = new Map<string, number>();
  #reading: Promise<void> | null = null;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Returns whether all moves up to the version are known. */
  isKnown(version: number): boolean {
    return this.#from !== null && version <= this.#upTo;
  }

  /** Resolves when all moves up to the version are known. */
  async follow(version: number): Promise<void> {
    if (this.#from === null) this.#begin(version);
    while (!this.isKnown(version)) {
      this.#reading ??= this.#read(version).finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
  }

  /** Returns whether the principal has moved since the version, or may have. */
  hasMoved(principalId: string, since: number): boolean {
    if (since < (this.#from ?? Number.POSITIVE_INFINITY)) return true;
    return (this.#moved.get(principalId) ?? 0) > since;
  }

  async #read(version: number): Promise<void> {
    const rows = await this.#prisma.jmapReach.findMany({
      where: { number: { gt: this.#upTo } },
      take: MAX_MOVED + 1,
    });
    const isAll = rows.some(({ principalId }) => principalId === EVERYONE);
    if (isAll || this.#moved.size + rows.length > MAX_MOVED) return this.#begin(version);
    for (const { principalId, number } of rows) this.#moved.set(principalId, Number(number));
    this.#upTo = version;
  }

  #begin(version: number): void {
    this.#moved.clear();
    this.#from = version;
    this.#upTo = version;
  }
}
