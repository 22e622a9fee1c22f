import type { HookTransaction } from 'jmapsmith/capability';
import { emailType } from '../../generated/mail/Email.definition.js';
import {
  type EmailSubmissionSetArguments,
  type EmailSubmissionStored,
  emailSubmissionType,
} from '../../generated/submission/EmailSubmission.definition.js';
import type { EmailSubmissionHooks } from '../../generated/submission/hooks.js';
import { identityType } from '../../generated/submission/Identity.definition.js';
import { byId } from './check-submissions.js';
import { deriveEnvelope, type Envelope } from './envelope.js';
import { readHold } from './hold.js';

/** Completes new submissions, and makes the one Email/set behind the call (RFC 8621 7.5). */
export const followSubmissions: EmailSubmissionHooks['inTransaction'] = async (
  changes,
  call,
  tx,
) => {
  const { created, updated, destroyed } = changes;
  if (created.length > 0) await complete(created, tx);
  // The writes of this hook come here too: a client changes nothing but the undoStatus.
  const canceled = updated.filter(({ before, after }) => before.undoStatus !== after.undoStatus);
  const done = [...created, ...canceled.map(({ after }) => after), ...destroyed];
  const emails = new Map(done.map(({ id, emailId }) => [id, emailId]));
  for (const [key, id] of call.createdIds) {
    const emailId = emails.get(id);
    if (emailId !== undefined) emails.set(`#${key}`, emailId);
  }
  const set = emailSet(call.arguments, emails);
  if (set === null) return;
  // biome-ignore lint/suspicious/noThenProperty: the server reads it and awaits nothing
  return { then: [['Email/set', { accountId: call.accountId, ...set }]] };
};

/** Sets what the server knows of a new submission, and keeps its message. */
async function complete(
  created: readonly EmailSubmissionStored[],
  tx: HookTransaction,
): Promise<void> {
  const ids = created.map(({ emailId }) => emailId);
  const emails = byId(await tx.get(emailType, ids));
  const identityIds = created.map(({ identityId }) => identityId);
  const identities = byId(await tx.get(identityType, identityIds));
  const update: Record<string, Partial<EmailSubmissionStored>> = {};
  for (const { id, emailId, identityId, envelope: given, sendAt } of created) {
    const email = emails.get(emailId);
    const identity = identities.get(identityId);
    if (email === undefined || identity === undefined) continue;
    const envelope = given ?? deriveEnvelope(email, identity.email);
    const until = readHold(envelope.mailFrom.parameters, Date.parse(sendAt)) ?? Date.parse(sendAt);
    update[id] = {
      envelope,
      threadId: email.threadId ?? '',
      messageBlobId: email.blobId,
      sendAt: new Date(until).toISOString(),
      deliveryStatus: tellQueued(envelope),
    };
  }
  await tx.set(emailSubmissionType, { update });
}

function tellQueued({ rcptTo }: Envelope): EmailSubmissionStored['deliveryStatus'] {
  const status = {
    smtpReply: '250 2.0.0 Queued',
    delivered: 'queued',
    displayed: 'unknown',
  } as const;
  return Object.fromEntries(rcptTo.map(({ email }) => [email, status]));
}

/** Returns the arguments of the Email/set that a client asked for, or null where there are none. */
function emailSet(
  { onSuccessUpdateEmail, onSuccessDestroyEmail }: Partial<EmailSubmissionSetArguments>,
  emails: ReadonlyMap<string, string>,
): object | null {
  const update: Record<string, object> = {};
  for (const [key, patch] of Object.entries(onSuccessUpdateEmail ?? {})) {
    const emailId = emails.get(key);
    if (emailId !== undefined) update[emailId] = { ...update[emailId], ...patch };
  }
  const ids = (onSuccessDestroyEmail ?? []).flatMap((key) => emails.get(key) ?? []);
  const destroy = [...new Set(ids)];
  if (Object.keys(update).length === 0 && destroy.length === 0) return null;
  return { update, destroy };
}
