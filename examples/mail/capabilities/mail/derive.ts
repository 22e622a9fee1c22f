import type { HookTransaction } from 'jmapsmith/capability';
import type { PrismaClient } from '../../build/prisma/sqlite/client.js';
import type { EmailStored } from '../../generated/mail/Email.definition.js';
import { emailType } from '../../generated/mail/Email.definition.js';
import { emailDeliveryType } from '../../generated/mail/EmailDelivery.definition.js';
import type { Hooks } from '../../generated/mail/hooks.js';
import { type BodyPart, type ParsedMessage, parseMessage } from '../message/index.js';
import { listLeaves } from './body-view.js';
import { storedTexts } from './stored-texts.js';
import { destroyEmptyThreads, findThreads } from './threads.js';

type Transaction = HookTransaction<PrismaClient>;
type EmailHooks = NonNullable<NonNullable<Hooks<PrismaClient>['types']>['Email']>;

/** E-mails that are read at once: each keeps its message in memory. */
const BATCH = 20;

/**
 * Follows what changed: reads the message of each new e-mail, and destroys e-mails without a
 * mailbox and threads without an e-mail.
 */
export const followEmails: EmailHooks['inTransaction'] = {
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
  const messages: { readonly size: number; readonly parsed: ParsedMessage }[] = [];
  for (const { id, blobId } of emails) {
    const blob = await tx.blob(blobId);
    if (blob === null) throw new Error(`The message of the e-mail ${id} is gone.`);
    messages.push({ size: blob.size, parsed: parseMessage(await blob.bytes()) });
  }
  const parsed = messages.map((message) => message.parsed);
  const threadIds = await findThreads(parsed, accountId, tx);
  const update: Record<string, Partial<EmailStored>> = {};
  for (const [at, { id }] of emails.entries()) {
    const message = messages[at];
    if (message === undefined) continue;
    update[id] = {
      ...storedTexts(message.parsed),
      size: message.size,
      threadId: threadIds[at] ?? null,
      hasAttachment: message.parsed.hasAttachment,
      preview: message.parsed.preview,
      parts: await putParts(message.parsed.bodyStructure, tx),
    };
  }
  await tx.set(emailType, { update });
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
