import type { HookTransaction, JobCall } from 'jmapsmith/capability';
import type { PrismaClient } from '../../build/prisma/sqlite/client.js';
import {
  type EmailSubmissionStored,
  emailSubmissionType,
} from '../../generated/submission/EmailSubmission.definition.js';
import type { EmailSubmissionHooks } from '../../generated/submission/hooks.js';
import { removeFields } from '../message/index.js';
import { deliver, type OutgoingMessage, type Replies } from './transport.js';

/** Submissions that one run releases. */
const MAX_RELEASED = 500;

/**
 * Makes each submission that is due final, so that nobody cancels it any more. Each has a
 * transaction of its own, and so a delivery of its own: one that fails holds up no other.
 */
export async function releaseDue({ prisma, inAccount }: JobCall<PrismaClient>): Promise<void> {
  const due = await prisma.emailSubmission.findMany({
    where: { undoStatus: 'pending', sendAt: { lte: new Date() } },
    select: { accountId: true, id: true },
    orderBy: { sendAt: 'asc' },
    take: MAX_RELEASED,
  });
  for (const { accountId, id } of due)
    await inAccount(accountId, async (tx) => {
      const [submission] = await tx.get(emailSubmissionType, [id]);
      if (submission?.undoStatus !== 'pending') return;
      await tx.set(emailSubmissionType, { update: { [id]: { undoStatus: 'final' } } });
    });
}

/** Hands over the message of a submission that became final, again and again until it succeeds. */
export const deliverFinal: EmailSubmissionHooks['afterCommit'] = {
  durable: true,
  timeout: '5m',
  async run({ updated }, { inAccount, signal }) {
    for (const { before, after } of updated) {
      if (before.undoStatus === after.undoStatus || after.undoStatus !== 'final') continue;
      const message = await inAccount((tx) => readMessage(after.id, tx));
      if (message === null) continue;
      const replies = await deliver(message, signal);
      await inAccount((tx) => writeReplies(after.id, replies, tx));
    }
  },
};

/** Returns the message of a submission, or null where an earlier attempt handed it over. */
async function readMessage(id: string, tx: HookTransaction): Promise<OutgoingMessage | null> {
  const [submission] = await tx.get(emailSubmissionType, [id]);
  const { messageBlobId = null, envelope = null } = submission ?? {};
  const blob = messageBlobId === null ? null : await tx.blob(messageBlobId);
  if (blob === null || envelope === null) return null;
  const recipients = envelope.rcptTo.map(({ email }) => email);
  const octets = removeFields(await blob.bytes(), 'Bcc');
  return { id, mailFrom: envelope.mailFrom.email, recipients, octets };
}

/** Notes what the transport said; the message itself may go. */
async function writeReplies(id: string, replies: Replies, tx: HookTransaction): Promise<void> {
  const told = { delivered: 'unknown', displayed: 'unknown' } as const;
  const entries = Object.entries(replies).map(
    ([email, smtpReply]) => [email, { smtpReply, ...told }] as const,
  );
  const patch: Partial<EmailSubmissionStored> = {
    messageBlobId: null,
    deliveryStatus: Object.fromEntries(entries),
  };
  await tx.set(emailSubmissionType, { update: { [id]: patch } });
}
