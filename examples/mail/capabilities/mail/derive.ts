import type { HookTransaction } from 'jmapsmith/capability';
import type { PrismaClient } from '../../build/prisma/sqlite/client.js';
import type { EmailStored } from '../../generated/mail/Email.definition.js';
import { emailType } from '../../generated/mail/Email.definition.js';
import { emailDeliveryType } from '../../generated/mail/EmailDelivery.definition.js';
import type { EmailHooks } from '../../generated/mail/hooks.js';
import { type BodyPart, parseMessage } from '../message/index.js';
import { listLeaves } from './body-view.js';
import { storedTexts } from './stored-texts.js';
import { type Clues, destroyEmptyThreads, findThreads } from './threads.js';

type Transaction = HookTransaction<PrismaClient>;

/** The properties of an e-mail that its message has. */
type Derived = Partial<EmailStored> & Clues;

/** E-mails of one `tx.set`. */
const BATCH = 20;

/**
 * Follows what changed: reads the message of each new e-mail, and destroys e-mails without a
 * mailbox and threads without an e-mail.
 */
export const followEmails: EmailHooks<PrismaClient>['inTransaction'] = {
  timeout: '60s',
  async run({ created, updated, destroyed }, { accountId }, tx) {
    const fresh = created.filter(({ threadId }) => threadId === null);
    for (let at = 0; at < fresh.length; at += BATCH)
      await deriveBatch(fresh.slice(at, at + BATCH), accountId, tx);
    if (fresh.length > 0) await countDeliveries(fresh.length, tx);
    const homeless = updated.filter(({ after }) => Object.keys(after.mailboxIds).length === 0);
    const destroy = homeless.map(({ after }) => after.id);
    for (let at = 0; at < destroy.length; at += BATCH)
      await tx.set(emailType, { destroy: destroy.slice(at, at + BATCH) });
    const left = new Set(destroyed.flatMap(({ threadId }) => threadId ?? []));
    if (left.size > 0) await destroyEmptyThreads(left, tx);
  },
};

/** Writes into new e-mails what their messages say. */
async function deriveBatch(
  emails: readonly EmailStored[],
  accountId: string,
  tx: Transaction,
): Promise<void> {
  const derived: Derived[] = [];
  for (const email of emails) derived.push(await derive(email, tx));
  const threadIds = await findThreads(derived, accountId, tx);
  const patches = emails.map(({ id }, at) => {
    return [id, { ...derived[at], threadId: threadIds[at] ?? null }] as const;
  });
  await tx.set(emailType, { update: Object.fromEntries(patches) });
}

/** Reads one message, which may be large: only what is stored of it stays in memory. */
async function derive({ id, blobId }: EmailStored, tx: Transaction): Promise<Derived> {
  const blob = await tx.blob(blobId);
  if (blob === null) throw new Error(`The message of the e-mail ${id} is gone.`);
  const message = parseMessage(await blob.bytes());
  return {
    ...storedTexts(message),
    size: blob.size,
    hasAttachment: message.hasAttachment,
    preview: message.preview,
    parts: await putParts(message.bodyStructure, tx),
  };
}

/** Stores the content of each part as a blob, and returns their ids by partId. */
export async function putParts(
  root: BodyPart,
  tx: Pick<Transaction, 'putBlob'>,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const { partId, type, content } of listLeaves(root)) {
    const known = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type) ? type : 'application/octet-stream';
    const { id } = await tx.putBlob(content, known);
    ids[partId ?? ''] = id;
  }
  return ids;
}

async function countDeliveries(count: number, tx: Transaction): Promise<void> {
  const [delivery] = await tx.get(emailDeliveryType, ['singleton']);
  const emails = (delivery?.emails ?? 0) + count;
  await tx.set(emailDeliveryType, { update: { singleton: { emails } } });
}
