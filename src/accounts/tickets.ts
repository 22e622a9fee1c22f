import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { UnavailableError } from '../protocol/errors.js';
import type { Tickets } from './principal.js';
import { readSignIn, signInCredential, storedSignIn } from './sign-in.js';
import { hashSecret, tokenCredential } from './token-text.js';

/** The lifetime of a ticket that nobody uses, ms. */
const LIFETIME = 60_000;
/** Unused tickets that one user may have; a further one drops the oldest. */
const MAX_PER_USER = 64;
/**
 * How many too many are dropped at once: more than one where several servers gave some at a time.
 */
const DROPPED = 64;

const FORM = /^[A-Za-z0-9_-]{43}$/;
const SECRET_OCTETS = 32;

/**
 * Tickets in the database, so that any server takes what another gave. As of tokens there is a hash
 * alone: who reads the database can't use them.
 */
export function createTickets(
  prisma: PrismaClient,
  options: { readonly now?: () => number } = {},
): Tickets {
  const now = options.now ?? Date.now;

  /**
   * Each by a statement of its own: two servers that drop the same ones can't wait for each other.
   */
  const dropOldest = async (userId: string): Promise<void> => {
    const tooMany = await prisma.jmapTicket.findMany({
      where: { userId },
      orderBy: [{ expires: 'desc' }, { hash: 'asc' }],
      skip: MAX_PER_USER,
      take: DROPPED,
      select: { hash: true },
    });
    for (const { hash } of tooMany) await prisma.jmapTicket.deleteMany({ where: { hash } });
  };

  return {
    issue: ({ credential, userId }) =>
      available(async () => {
        const ticket = randomBytes(SECRET_OCTETS).toString('base64url');
        const expires = now() + LIFETIME;
        const data = {
          ...{ hash: hashOf(ticket), tokenId: credential.id, userId, expires: BigInt(expires) },
          signIn: storedSignIn(credential),
        };
        // Not tried again: a write waits for the database by itself, and a request for no longer
        // than that.
        await prisma.jmapTicket.create({ data });
        await dropOldest(userId);
        return { ticket, expires };
      }),

    async redeem(ticket) {
      if (!FORM.test(ticket)) return null;
      const hash = hashOf(ticket);
      return available(async () => {
        // Read first, so that a guess, which needs no token, never causes a write.
        const issued = await prisma.jmapTicket.findUnique({ where: { hash } });
        if (issued === null) return null;
        // One statement judges who is first, on whichever server.
        const { count } = await prisma.jmapTicket.deleteMany({ where: { hash } });
        if (count !== 1 || issued.expires <= now()) return null;
        const signIn = readSignIn(issued.signIn);
        if (signIn !== null) return signInCredential(issued.tokenId, signIn);
        return tokenCredential(issued.tokenId);
      });
    },
  };
}

/**
 * Forgets tickets whose time ran out before `before` (epoch ms), at most `limit`; resolves to how
 * many.
 */
export async function pruneTickets(
  prisma: PrismaClient,
  before: number,
  limit: number,
): Promise<number> {
  const where = { expires: { lte: BigInt(before) } };
  // Nearly always there is none, and a look waits for nobody.
  if ((await prisma.jmapTicket.findFirst({ where, select: { hash: true } })) === null) return 0;
  return (await prisma.jmapTicket.deleteMany({ where, limit })).count;
}

function hashOf(ticket: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hashSecret(ticket));
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    throw new UnavailableError('The tickets could not be read or written.', { cause: error });
  }
}
