import { createHash } from 'node:crypto';
import type { HookTransaction } from 'jmapsmith/capability';
import type { PrismaClient } from '../../build/prisma/sqlite/client.js';
import type { EmailStored } from '../../generated/mail/Email.definition.js';
import type { ThreadHooks } from '../../generated/mail/hooks.js';
import { threadType } from '../../generated/mail/Thread.definition.js';
import { threadLinkType } from '../../generated/mail/ThreadLink.definition.js';
import { threadSubject } from '../message/index.js';

type Transaction = HookTransaction<PrismaClient>;

/** Message ids of one message that threads are found by. */
const MAX_IDS = 100;

/** Objects of one `tx.set`. */
const BATCH = 100;

/** The properties of a message that tell its thread. */
export type Clues = Pick<EmailStored, 'inReplyTo' | 'messageId' | 'references' | 'subject'>;

/**
 * Returns the id of each message's thread: that of a message with the same base subject that names
 * the same message id (RFC 8621 3), or a new one.
 */
export async function findThreads(
  messages: readonly Clues[],
  accountId: string,
  tx: Transaction,
): Promise<readonly string[]> {
  const keys = messages.map(listKeys);
  const where = { accountId, key: { in: [...new Set(keys.flat())] } };
  const links = await tx.prisma.threadLink.findMany({ where });
  const threads = new Map(links.map(({ key, threadId }) => [key, threadId ?? '']));
  const known = new Set(threads.keys());
  const found: string[] = [];
  for (const own of keys) {
    // Of several the oldest: ids begin with the time.
    const [first] = own.flatMap((key) => threads.get(key) ?? []).sort();
    const threadId = first ?? (await createThread(tx));
    for (const key of own) if (!threads.has(key)) threads.set(key, threadId);
    found.push(threadId);
  }
  const added = [...threads].filter(([key]) => !known.has(key));
  for (let at = 0; at < added.length; at += BATCH) {
    const batch = added.slice(at, at + BATCH);
    const entries = batch.map(([key, threadId], index) => [`l${index}`, { key, threadId }]);
    await tx.set(threadLinkType, { create: Object.fromEntries(entries) });
  }
  return found;
}

/** Returns what tells a message's thread: its ids, each with the base subject. */
function listKeys({ messageId, inReplyTo, references, subject }: Clues): string[] {
  const base = threadSubject(subject);
  // The newest references are the last.
  const ids = [...(messageId ?? []), ...(inReplyTo ?? []), ...(references ?? []).toReversed()];
  return [...new Set(ids)]
    .slice(0, MAX_IDS)
    .map((id) => createHash('sha256').update(`${id}\n${base}`).digest('hex'));
}

async function createThread(tx: Transaction): Promise<string> {
  const { created } = await tx.set(threadType, { create: { thread: {} } });
  return created?.['thread']?.id ?? '';
}

/** Destroys those of the threads that have no e-mail left. */
export async function destroyEmptyThreads(
  ids: ReadonlySet<string>,
  tx: Transaction,
): Promise<void> {
  const threads = await tx.get(threadType, [...ids]);
  const destroy = threads.filter(({ emailIds }) => emailIds.length === 0).map(({ id }) => id);
  for (let at = 0; at < destroy.length; at += BATCH)
    await tx.set(threadType, { destroy: destroy.slice(at, at + BATCH) });
}

/** Computes `emailIds` of the threads whose e-mails changed, the oldest first. */
export const computeEmailIds: ThreadHooks<PrismaClient>['computeOn']['emailIds'] = async (
  { Email },
  { accountId },
  { prisma },
) => {
  const changed = [
    ...(Email?.created ?? []),
    ...(Email?.destroyed ?? []),
    ...(Email?.updated ?? []).flatMap(({ before, after }) => [before, after]),
  ];
  const ids = [...new Set(changed.flatMap(({ threadId }) => threadId ?? []))];
  const emails = await prisma.email.findMany({
    where: { accountId, threadId: { in: ids } },
    select: { id: true, threadId: true },
    orderBy: [{ receivedAt: 'asc' }, { id: 'asc' }],
  });
  const emailIds = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { id, threadId } of emails) emailIds.get(threadId ?? '')?.push(id);
  return emailIds;
};
