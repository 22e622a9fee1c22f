import type { PrismaClient } from '../../../build/prisma/engine-sqlite/client.js';
import { available } from '../available.js';
import { type Change, changeAccess, type TransactionClient } from '../change.js';
import type { Gate } from '../principal.js';
import { messageKey, readSignIn, sessionKey, subjectKey, unnamedSessionKey } from '../sign-in.js';
import { issuerOf, judgeMarks, refuse } from './access-token.js';
import { type Logout, verifyLogoutToken } from './logout-token.js';
import type { Provider } from './open-provider.js';

/** Tokens of providers live for a day or two, and push subscriptions for a week, ms. */
const KEPT = 31 * 24 * 3600 * 1000;

/** In messages. */
const ROWS = 'ends of sign-ins';

export interface BackChannelOptions {
  readonly prisma: PrismaClient;
  readonly providers: readonly Provider[];
  /** Epoch ms. */
  readonly now?: () => number;
}

/** A logout token is what its provider signed: ends its sign-ins. */
export type EndSignIns = () => Promise<void>;

/**
 * Judges a provider's message that sign-ins are over. Resolves to what ends them. Passes `gate`
 * before it looks at the signature, and rejects as `gate` does. Both reject with TokenRefusedError;
 * with UnavailableError where the provider may send the message again.
 */
export type JudgeLogout = (token: string, gate: Gate) => Promise<EndSignIns>;

/**
 * Returns a function that takes messages of providers (OpenID Connect Back-Channel Logout 1.0). The
 * sign-ins end in all processes, with their streams and push subscriptions.
 */
export function createBackChannel({
  prisma,
  providers,
  now = Date.now,
}: BackChannelOptions): JudgeLogout {
  return async (token, gate) => {
    const issuer = issuerOf(token);
    const provider = providers.find(({ settings }) => settings.rules.issuer === issuer);
    if (provider === undefined) refuse('"iss" is no provider of this server');
    const { keyOf, settings } = provider;
    if (settings.logout === null) refuse('no client of the provider may sign out here');
    const rules = { ...settings.rules, audience: settings.logout.clients };
    judgeMarks(token, rules);
    await gate();
    const logout = await verifyLogoutToken(token, rules, keyOf, now());
    return () =>
      available(ROWS, () => changeAccess(prisma, (change) => end(change, provider, logout, now())));
  };
}

async function end(
  { transaction, note }: Change,
  { settings }: Provider,
  { subject, session, id, at, end: lastUse }: Logout,
  now: number,
): Promise<void> {
  const { issuer } = settings.rules;
  const message = messageKey(issuer, id);
  if ((await transaction.jmapLogout.findUnique({ where: { key: message } })) !== null)
    refuse('it was used before');
  await transaction.jmapLogout.create({
    data: { key: message, at: BigInt(at), expires: BigInt(lastUse) },
  });
  const mark = (key: string, until: number) => writeEnd(transaction, key, { until, now });
  if (session !== null) {
    const key = sessionKey(issuer, session);
    // A session doesn't begin again, so whatever token of it comes later is over, too.
    await mark(key, now + KEPT);
    await transaction.jmapPushSubscription.deleteMany({
      where: { tokenId: { startsWith: `${key}:` } },
    });
  }
  if (subject === null) {
    await note({ action: 'session/end', objectId: message, detail: { issuer } });
    return;
  }
  // The user's other sessions go on where the message names one, but tokens that name none might
  // be of this one.
  const isAll = session === null;
  await mark(isAll ? subjectKey(issuer, subject) : unnamedSessionKey(issuer, subject), at);
  const where = { issuer_subject: { issuer, subject } };
  // Where another claim identifies users, the marks alone end their subscriptions.
  const isIdentity = settings.user.id === 'sub';
  const identity = isIdentity ? await transaction.jmapIdentity.findUnique({ where }) : null;
  const objectId = identity?.userId ?? message;
  await note({ action: 'session/end', objectId, detail: { issuer, isAll } });
  if (identity !== null) await endSubscriptions(transaction, identity, isAll);
}

async function endSubscriptions(
  transaction: TransactionClient,
  { userId, issuer }: { readonly userId: string; readonly issuer: string },
  isAll: boolean,
): Promise<void> {
  // The row stands for the user's subscriptions: a call that makes one has it until its end.
  await transaction.$executeRaw`UPDATE "JmapUser" SET "name" = "name" WHERE "id" = ${userId}`;
  const rows = await transaction.jmapPushSubscription.findMany({
    where: { userId },
    select: { id: true, signIn: true },
  });
  const ids = rows.flatMap((row) => {
    const signIn = readSignIn(row.signIn);
    return signIn?.issuer === issuer && (isAll || signIn.session === null) ? row.id : [];
  });
  await transaction.jmapPushSubscription.deleteMany({ where: { id: { in: ids } } });
}

/** Ends the sign-ins of a key that were issued by `until`. An older end may come later. */
async function writeEnd(
  transaction: TransactionClient,
  key: string,
  { until, now }: { readonly until: number; readonly now: number },
): Promise<void> {
  const known = await transaction.jmapLogout.findUnique({ where: { key } });
  const at = BigInt(Math.max(until, Number(known?.at ?? 0)));
  const data = { at, expires: BigInt(now + KEPT) };
  await transaction.jmapLogout.upsert({ where: { key }, create: { key, ...data }, update: data });
}

/** Forgets messages that have no meaning any more; resolves to how many. */
export async function pruneLogouts(
  prisma: PrismaClient,
  before: number,
  limit: number,
): Promise<number> {
  const where = { expires: { lte: BigInt(before) } };
  if ((await prisma.jmapLogout.findFirst({ where, select: { key: true } })) === null) return 0;
  return (await prisma.jmapLogout.deleteMany({ where, limit })).count;
}
