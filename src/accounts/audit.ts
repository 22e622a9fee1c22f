import { Prisma, type PrismaClient } from '../../build/prisma/engine-sqlite/client.js';
import { type DirectoryChange, recordChanges } from './directory-log.js';

const USER_CREATED = { type: 'AdminUser', kind: 'created' } as const;
const USER_UPDATED = { type: 'AdminUser', kind: 'updated' } as const;
const ACCOUNT_CREATED = { type: 'AdminAccount', kind: 'created' } as const;
const ACCOUNT_UPDATED = { type: 'AdminAccount', kind: 'updated' } as const;
const ACCOUNT_DESTROYED = { type: 'AdminAccount', kind: 'destroyed' } as const;
const TOKEN_CREATED = { type: 'AdminToken', kind: 'created' } as const;
const TOKEN_DESTROYED = { type: 'AdminToken', kind: 'destroyed' } as const;

/**
 * The acts on users, accounts, access and tokens, by their name in the audit. The value is what an
 * act does to its object in the directory; null: the object itself stays as it is.
 */
const ACTS = {
  'user/create': USER_CREATED,
  'user/identify': USER_UPDATED,
  'user/rename': USER_UPDATED,
  'user/disable': USER_UPDATED,
  'user/enable': USER_UPDATED,
  'user/sign-out': USER_UPDATED,
  'user/roles': USER_UPDATED,
  'group/create': null,
  'group/add': null,
  'group/remove': null,
  'group/delete': null,
  'session/end': null,
  'account/create': ACCOUNT_CREATED,
  'account/rename': ACCOUNT_UPDATED,
  'account/grant': null,
  'account/revoke': null,
  'account/delete': ACCOUNT_DESTROYED,
  'account/delete-again': null,
  'account/erase': null,
  'token/create': TOKEN_CREATED,
  'token/revoke': TOKEN_DESTROYED,
  'server/bootstrap': null,
  'server/reset-states': null,
  'push/rotate-key': null,
} as const satisfies Readonly<Record<string, Omit<DirectoryChange, 'id'> | null>>;

export type AuditAction = keyof typeof ACTS;

/** The `objectId` of acts on the server as a whole. */
export const SERVER = 'server';

/** An act to write down. */
export interface Act {
  readonly action: AuditAction;
  /**
   * Of the user, group, account, token or key; of a provider's session without a known user;
   * SERVER.
   */
  readonly objectId: string;
  /** The result: names, modes, URNs. Never a secret. */
  readonly detail?: Prisma.InputJsonObject;
  /** The further objects of the directory that change with its object. */
  readonly also?: readonly DirectoryChange[];
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

/**
 * Writes a row of the audit, and the change records of the directory, in the transaction that makes
 * the change.
 */
export async function writeAct(
  transaction: Prisma.TransactionClient,
  { action, objectId, detail, also = [] }: Act,
  where: ActPlace,
): Promise<void> {
  await transaction.jmapAudit.create({
    data: {
      ...{ ...where, action, objectId },
      at: BigInt(Date.now()),
      detail: detail ?? Prisma.DbNull,
    },
  });
  const own = ACTS[action];
  await recordChanges(transaction, own === null ? also : [{ ...own, id: objectId }, ...also]);
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
