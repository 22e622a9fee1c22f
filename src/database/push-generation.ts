import { randomBytes } from 'node:crypto';
import type { Prisma, PrismaClient } from '../../build/prisma/engine-sqlite/client.js';

/**
 * The generation of the states that pushes tell of. A restore and `account reset-states` begin a
 * new one: what a client was told before then means nothing any more.
 */

/** Its key in JmapMeta. */
export const PUSH_GENERATION = 'pushGeneration';

const OCTETS = 8;

/** Returns the generation: the base64url of 8 octets. Makes it where there is none. */
export async function readGeneration(prisma: PrismaClient): Promise<string> {
  const where = { key: PUSH_GENERATION };
  const row = await prisma.jmapMeta.findUnique({ where });
  if (row !== null) return row.value;
  // Of several servers that start at once, one makes it.
  await prisma.$executeRaw`INSERT INTO "JmapMeta" ("key", "value")
    VALUES (${PUSH_GENERATION}, ${makeGeneration()}) ON CONFLICT DO NOTHING`;
  return (await prisma.jmapMeta.findUniqueOrThrow({ where })).value;
}

/** Begins a new one. */
export async function renewGeneration(prisma: Prisma.TransactionClient): Promise<void> {
  const value = makeGeneration();
  await prisma.jmapMeta.upsert({
    where: { key: PUSH_GENERATION },
    create: { key: PUSH_GENERATION, value },
    update: { value },
  });
}

function makeGeneration(): string {
  return randomBytes(OCTETS).toString('base64url');
}
