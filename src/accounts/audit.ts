import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';

/**
 * The acts on users, accounts, access and tokens, by their name in the audit. The value says what
 * the object of such an act is.
 */
const ACTS = {
  'user/create': 'user',
  'user/identify': 'user',
  'user/disable': 'user',
  'user/enable': 'user',
  'user/sign-out': 'user',
  'user/roles': 'user',
  'account/create': 'account',
  'account/rename': 'account',
  'account/grant': 'account',
  'account/revoke': 'account',
  'account/delete': 'account',
  'account/erase': 'account',
  'token/create': 'token',
  'token/revoke': 'token',
  'server/bootstrap': 'server',
  'server/reset-states': 'server',
  'push/rotate-key': 'key',
} as const;

export type AuditAction = keyof typeof ACTS;

/** The `objectId` of acts on the server as a whole. */
export const SERVER = 'server';

/** An act to write down. */
export interface Act {
  readonly action: AuditAction;
  /** Of the user, account, token or key; SERVER. */
  readonly objectId: string;
  /** The result: names, modes, URNs. Never a secret. */
  readonly detail?: Prisma.InputJsonObject;
}

/** An act as it was written down. */
export interface AuditEntry {
  /** Epoch ms. */
  readonly at: number;
  /** Name of the user who did it; null: a command, or the server. */
  readonly actor: string | null;
  readonly action: string;
  readonly objectId: string;
  readonly detail: unknown;
}

/** Where acts are written: the access version that they make, and who does them. */
export interface ActPlace {
  readonly version: bigint;
  readonly place: number;
  readonly actorId: string | null;
}

/** Writes a row of the audit in the transaction that makes the change. */
export async function writeAct(
  transaction: Prisma.TransactionClient,
  { action, objectId, detail }: Act,
  where: ActPlace,
): Promise<void> {
  await transaction.jmapAudit.create({
    data: {
      ...{ ...where, action, objectId },
      at: BigInt(Date.now()),
      detail: detail ?? Prisma.DbNull,
    },
  });
}

/** Rows that are read at once. */
const PAGE = 500;

/** Returns the acts since a time, epoch ms, in the order of their commits. */
export async function* listActs(prisma: PrismaClient, since: number): AsyncGenerator<AuditEntry> {
  const users = new Map((await prisma.jmapUser.findMany()).map((user) => [user.id, user.name]));
  let after: { version: bigint; place: number } | null = null;
  for (;;) {
    const rows: readonly Prisma.JmapAuditGetPayload<object>[] = await prisma.jmapAudit.findMany({
      where: { at: { gte: BigInt(since) }, ...(after === null ? {} : behind(after)) },
      orderBy: [{ version: 'asc' }, { place: 'asc' }],
      take: PAGE,
    });
    for (const { at, actorId, action, objectId, detail } of rows) {
      const actor = actorId === null ? null : (users.get(actorId) ?? actorId);
      yield { at: Number(at), actor, action, objectId, detail };
    }
    after = rows.at(-1) ?? null;
    if (after === null) return;
  }
}

function behind({ version, place }: { version: bigint; place: number }) {
  return { OR: [{ version: { gt: version } }, { version, place: { gt: place } }] };
}

/** Forgets acts of before a time (epoch ms), at most `limit`; resolves to how many. */
export async function pruneAudit(
  prisma: PrismaClient,
  before: number,
  limit: number,
): Promise<number> {
  const where = { at: { lte: BigInt(before) } };
  // Nearly always there is none, and a look waits for nobody.
  if ((await prisma.jmapAudit.findFirst({ where, select: { version: true } })) === null) return 0;
  return (await prisma.jmapAudit.deleteMany({ where, limit })).count;
}
