import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import type { IdGenerator } from '../protocol/ids.js';
import { DirectoryError, type TransactionClient } from './change.js';

/** Control characters, lone surrogates and line ends would break a list's lines, and U+0000 some databases. */
const NAME = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Gives back a name of a user or account that may be kept. Throws DirectoryError. */
export function legalName(what: 'account' | 'user', name: string): string {
  if (NAME.test(name) && name.trim() === name) return name;
  throw new DirectoryError(
    `${JSON.stringify(name)} can't be the name of ${what === 'user' ? 'a user' : 'an account'}: it takes 1 to ` +
      '255 characters without control characters, and no space at either end.',
  );
}

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
