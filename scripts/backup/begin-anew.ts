import { forgetHolds } from '../../src/database/blob-hold.js';
import { renewEpoch } from '../../src/database/state-epoch.js';
import { leapAt, resetAllAtOnce } from './reset-states.js';

type Prisma = Parameters<typeof resetAllAtOnce>[0];

/**
 * Begins anew in a restored database: no backup runs, nothing is pushed, and every state that was
 * given out is refused (docs/reference/protocol.md#reset-states). Closes `prisma`.
 */
export async function beginAnew(prisma: Prisma, tables: readonly string[]): Promise<void> {
  try {
    await forgetHolds(prisma);
    // A backup has none, unless somebody made it so: destroyed ones must not come back.
    await prisma.jmapPushSubscription.deleteMany();
    await renewEpoch(prisma);
    await resetAllAtOnce(prisma, tables, leapAt(Date.now()));
  } finally {
    await prisma.$disconnect();
  }
}
