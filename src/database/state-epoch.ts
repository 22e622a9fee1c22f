import { randomBytes } from 'node:crypto';
import type { Prisma, PrismaClient } from '../../build/prisma/engine-sqlite/client.js';

/**
 * The epoch of the states of all accounts. A restore and `account reset-states` begin a new one:
 * what a client was told before then means nothing any more.
 */

/** Its key in JmapMeta: at first only pushes told of it. */
const STATE_EPOCH = 'pushGeneration';

const OCTETS = 8;

/** Returns the epoch: the base64url of 8 octets. Makes it where there is none. */
export async function readEpoch(prisma: PrismaClient): Promise<string> {
  const where = { key: STATE_EPOCH };
  const row = await prisma.jmapMeta.findUnique({ where });
  if (row !== null) return row.value;
  // Of several servers that start at once, one makes it.
  await prisma.$executeRaw`INSERT INTO "JmapMeta" ("key", "value")
    VALUES (${STATE_EPOCH}, ${makeEpoch()}) ON CONFLICT DO NOTHING`;
  return (await prisma.jmapMeta.findUniqueOrThrow({ where })).value;
}

/** Begins a new one. Servers read it once they see another access version. */
export async function renewEpoch(prisma: Prisma.TransactionClient): Promise<void> {
  const value = makeEpoch();
  await prisma.jmapMeta.upsert({
    where: { key: STATE_EPOCH },
    create: { key: STATE_EPOCH, value },
    update: { value },
  });
}

function makeEpoch(): string {
  return randomBytes(OCTETS).toString('base64url');
}

/** The epoch as a server has it. */
export class StateEpoch {
  readonly #prisma: PrismaClient;
  #current = '';
  #version = 0;
  #reads = 0;
  /** The last read whose result counts. */
  #counted = 0;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /** Empty before it was read. */
  get current(): string {
    return this.#current;
  }

  /** Is another number whenever the current epoch is another one. */
  get version(): number {
    return this.#version;
  }

  /** Reads it again: a command may have begun another one. */
  async reload(): Promise<void> {
    this.#reads += 1;
    const turn = this.#reads;
    const epoch = await readEpoch(this.#prisma);
    // A read that began later may have ended earlier: it knows better.
    if (turn < this.#counted) return;
    this.#counted = turn;
    if (epoch === this.#current) return;
    this.#current = epoch;
    this.#version += 1;
  }
}
