import { randomUUID } from 'node:crypto';
import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';

/**
 * A backup copies the database first, then the blobs that the copied rows name. Meanwhile its note
 * in JmapMeta forbids removing octets. The server removes rows first, commits, then looks for
 * notes: if it sees none, a later backup copies no such row.
 */

const PREFIX = 'backup:';

/** A backup that doesn't renew its note for this time, ms, is dead. Clocks may differ by less. */
export const HOLD_LASTS = 900_000;

export interface BlobHold {
  /** To be called far more often than notes last. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

/** Keeps the octets of all blobs from now on. */
export async function holdBlobs(prisma: PrismaClient, now = Date.now): Promise<BlobHold> {
  const key = `${PREFIX}${randomUUID()}`;
  const renew = async (): Promise<void> => {
    const value = String(now() + HOLD_LASTS);
    await prisma.jmapMeta.upsert({
      where: { key },
      create: { key, value },
      update: { value },
    });
  };
  await renew();
  for (const note of await notes(prisma)) {
    if (Number(note.value) < now()) await forget(prisma, note.key);
  }
  return { renew, release: () => forget(prisma, key) };
}

/** Returns whether a backup runs, so that no octets may be removed. */
export async function blobsHeld(prisma: PrismaClient, now = Date.now): Promise<boolean> {
  return (await notes(prisma)).some(({ value }) => Number(value) >= now());
}

/** Removes from a restored database the notes of backups that ran when it was copied. */
export async function forgetHolds(prisma: PrismaClient): Promise<void> {
  await prisma.jmapMeta.deleteMany({ where: { key: { startsWith: PREFIX } } });
}

function notes(prisma: PrismaClient): Promise<readonly { key: string; value: string }[]> {
  return prisma.jmapMeta.findMany({ where: { key: { startsWith: PREFIX } } });
}

async function forget(prisma: PrismaClient, key: string): Promise<void> {
  await prisma.jmapMeta.deleteMany({ where: { key } });
}
