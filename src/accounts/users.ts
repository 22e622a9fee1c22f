import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import type { IdGenerator } from '../protocol/ids.js';
import { DirectoryError, type TransactionClient } from './change.js';
import { legalName } from './names.js';

/** The id of the user with this name, who is created where there is none. */
export async function userOnDemand(
  transaction: TransactionClient,
  ids: IdGenerator,
  name: string,
): Promise<string> {
  const known = await transaction.jmapUser.findUnique({ where: { name } });
  if (known !== null) return known.id;
  const { id, time } = ids.next('u');
  await transaction.jmapUser.create({
    data: { id, name: legalName('user', name), created: BigInt(time) },
  });
  return id;
}

/** The id of the user with this name. Throws DirectoryError. */
export async function existingUser(
  prisma: PrismaClient | TransactionClient,
  name: string,
): Promise<string> {
  const user = await prisma.jmapUser.findUnique({ where: { name } });
  if (user === null) throw new DirectoryError(`There is no user ${JSON.stringify(name)}.`);
  return user.id;
}
