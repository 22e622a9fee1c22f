import { randomBytes } from 'node:crypto';
import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import type { ProviderTokens } from './authenticator.js';
import { available } from './available.js';
import type { Tickets } from './principal.js';
import { openText, sealText } from './sealed-text.js';
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

/** In messages. */
const ROWS = 'tickets';

export interface TicketsOptions {
  /** Epoch ms. */
  readonly now?: () => number;
  /** By default there are no identity providers. */
  readonly providers?: Pick<ProviderTokens, 'judge'> | undefined;
}

/**
 * Tickets in the database, so that any server takes what another gave. As of tokens there is a hash
 * alone: who reads the database can't use them. The ticket of a provider's token brings the token
 * along, encrypted with the ticket: the other server judges it, now and later.
 */
export function createTickets(prisma: PrismaClient, options: TicketsOptions = {}): Tickets {
  const { now = Date.now, providers } = options;

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
    issue: ({ credential, userId }, token) =>
      available(ROWS, async () => {
        const ticket = randomBytes(SECRET_OCTETS).toString('base64url');
        const expires = now() + LIFETIME;
        const data = {
          ...{ hash: hashOf(ticket), tokenId: credential.id, userId, expires: BigInt(expires) },
          signIn: credential.signIn === null ? Prisma.DbNull : sealedColumn(token, ticket),
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
      const issued = await available(ROWS, async () => {
        // Read first, so that a guess, which needs no token, never causes a write.
        const row = await prisma.jmapTicket.findUnique({ where: { hash } });
        if (row === null) return null;
        // One statement judges who is first, on whichever server.
        const { count } = await prisma.jmapTicket.deleteMany({ where: { hash } });
        return count === 1 && row.expires > now() ? row : null;
      });
      if (issued === null) return null;
      const sealed = sealedIn(issued.signIn);
      if (sealed === null) return tokenCredential(issued.tokenId);
      const token = openText(sealed, ticket);
      return token === null || providers === undefined ? null : providers.judge(token);
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

type SignInColumn = Prisma.JmapTicketGetPayload<object>['signIn'];

function sealedColumn(token: string | null, ticket: string): Prisma.InputJsonObject {
  if (token === null) throw new Error("The ticket of a provider's token needs its text.");
  return { sealed: sealText(token, ticket) };
}

/** Returns the encrypted token of a ticket; null where it has none. */
function sealedIn(column: SignInColumn): string | null {
  const { sealed } = (column ?? {}) as { readonly sealed?: string };
  return sealed ?? null;
}
