import { HOLD_LASTS, holdBlobs } from '../../src/database/blob-hold.js';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { UsageError } from '../cli.js';

const RENEW = 30_000;

/**
 * Runs `work` while no octets of blobs are removed; `alive`, to be called in it, throws where that
 * isn't sure.
 */
export async function whileHeld<T>(
  prisma: PrismaClient,
  work: (alive: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const hold = await holdBlobs(prisma);
  let renewed = Date.now();
  const timer = setInterval(() => {
    const at = Date.now();
    const done = (): void => {
      renewed = at;
    };
    // A database that is busy is asked again; `alive` tells when it is too late.
    hold.renew().then(done, () => undefined);
  }, RENEW);
  const alive = async (): Promise<void> => {
    if (Date.now() - renewed < HOLD_LASTS - RENEW) return;
    throw new UsageError(
      `The server was not told for ${HOLD_LASTS / 60_000} minutes that a backup runs (was this ` +
        'process stopped, or the database busy?): blobs may be gone. Begin again.',
    );
  };
  try {
    const result = await work(alive);
    await alive();
    return result;
  } finally {
    clearInterval(timer);
    // Where that fails the note soon counts no more.
    await hold.release().catch(() => undefined);
  }
}
