import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { NO_OWNER, PRINCIPALS, principalAccountId } from '../capability/principal-names.js';
import { retryBusy } from './change.js';

/** The name of the accounts in which users find principals. */
export const PRINCIPAL_ACCOUNT = 'Principals';

/**
 * Makes the row of the account in which a user finds principals, if there is none. It belongs to
 * nobody, so lists of accounts leave it out.
 */
export async function preparePrincipalAccount(prisma: PrismaClient, userId: string): Promise<void> {
  const id = principalAccountId(userId);
  if ((await prisma.jmapAccount.count({ where: { id } })) > 0) return;
  const row = { name: PRINCIPAL_ACCOUNT, ownerId: NO_OWNER, capabilities: [PRINCIPALS] };
  try {
    await retryBusy(() =>
      prisma.jmapAccount.create({ data: { id, ...row, created: BigInt(Date.now()) } }),
    );
  } catch (error) {
    // Another call, or another server, has made it meanwhile.
    if (!(error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002'))
      throw error;
  }
}
