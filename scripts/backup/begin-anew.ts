import { leapAt, resetStates } from '../../src/accounts/index.js';
import { forgetHolds } from '../../src/database/blob-hold.js';

type Prisma = Parameters<typeof resetStates>[0];

/** In a restored database: no backup runs, and every state that was given out is refused (decision 9). Closes `prisma`. */
export async function beginAnew(prisma: Prisma, tables: readonly string[]): Promise<void> {
  try {
    await forgetHolds(prisma);
    await resetStates(prisma, tables, leapAt(Date.now()));
  } finally {
    await prisma.$disconnect();
  }
}
