import type { HookTransaction, JobCall } from 'jmapsmith/capability';
import type { PrismaClient } from '../../build/prisma/sqlite/client.js';
import {
  type EmailSubmissionStored,
  emailSubmissionType,
} from '../../generated/submission/EmailSubmission.definition.js';
import { removeFields } from '../message/index.js';
import { deliver, type OutgoingMessage, type Replies } from './transport.js';

/** Messages that one run sends. */
const MAX_MESSAGES = 100;

/**
 * Sends what is due. First a submission becomes final, so that nobody cancels it any more; then the
 * transport gets the message; then it leaves the queue. A run that ends in between is repeated.
 */
export async function sendDue(job: JobCall<PrismaClient>): Promise<void> {
  const due = await job.prisma.emailSubmission.findMany({
    where: { OR: [{ isQueued: true }, { undoStatus: 'pending', sendAt: { lte: new Date() } }] },
    select: { accountId: true, id: true },
    take: MAX_MESSAGES,
  });
  for (const { accountId, id } of due) {
    const message = await job.inAccount(accountId, (tx) => takeMessage(id, tx));
    if (message === null) continue;
    const replies = await deliver(message, job.signal);
    await job.inAccount(accountId, (tx) => writeReplies(id, replies, tx));
  }
}

/** Makes a submission final and returns its message, or null where it was canceled meanwhile. */
async function takeMessage(id: string, tx: HookTransaction): Promise<OutgoingMessage | null> {
  const [submission] = await tx.get(emailSubmissionType, [id]);
  if (submission === undefined || submission.undoStatus === 'canceled') return null;
  const { envelope, messageBlobId } = submission;
  const blob = messageBlobId === null ? null : await tx.blob(messageBlobId);
  await setSubmission(id, { undoStatus: 'final', isQueued: blob !== null }, tx);
  if (blob === null || envelope === null) return null;
  const mailFrom = envelope.mailFrom.email;
  const recipients = envelope.rcptTo.map(({ email }) => email);
  return { id, mailFrom, recipients, octets: removeFields(await blob.bytes(), 'Bcc') };
}

async function writeReplies(id: string, replies: Replies, tx: HookTransaction): Promise<void> {
  const told = { delivered: 'unknown', displayed: 'unknown' } as const;
  const entries = Object.entries(replies).map(([email, smtpReply]) => [
    email,
    { smtpReply, ...told },
  ]);
  const deliveryStatus = Object.fromEntries(entries);
  await setSubmission(id, { isQueued: false, messageBlobId: null, deliveryStatus }, tx);
}

/** Changes a submission, unless its client has destroyed it. */
async function setSubmission(
  id: string,
  patch: Partial<EmailSubmissionStored>,
  tx: HookTransaction,
): Promise<void> {
  const [submission] = await tx.get(emailSubmissionType, [id]);
  if (submission !== undefined) await tx.set(emailSubmissionType, { update: { [id]: patch } });
}
