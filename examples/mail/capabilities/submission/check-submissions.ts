import { type EmailStored, emailType } from '../../generated/mail/Email.definition.js';
import type {
  EmailSubmissionSetError,
  EmailSubmissionStored,
} from '../../generated/submission/EmailSubmission.definition.js';
import type { Hooks } from '../../generated/submission/hooks.js';
import {
  type IdentityStored,
  identityType,
} from '../../generated/submission/Identity.definition.js';
import { deriveEnvelope, type Envelope } from './envelope.js';
import { MAX_DELAY, readHold } from './hold.js';
import { isAddress, isOfIdentity, whyNotToSend } from './senders.js';

type SubmissionHooks = NonNullable<NonNullable<Hooks['types']>['EmailSubmission']>;

const MAX_RECIPIENTS = 100;
/** Octets of a message. */
const MAX_SIZE = 25_000_000;

/** Refuses messages that can't be sent, and to cancel those on their way (RFC 8621 7.5). */
export const checkSubmissions: SubmissionHooks['check'] = async (wanted, { userId }, reader) => {
  const created = wanted.flatMap(({ before, after }) => (before === null && after) || []);
  const emails = byId(await reader.get(emailType, unique(created.map(({ emailId }) => emailId))));
  const ids = unique(created.map(({ identityId }) => identityId));
  const identities = byId(await reader.get(identityType, ids));
  for (const { before, after, refuse } of wanted) {
    if (before?.undoStatus === 'final' && after?.undoStatus === 'canceled')
      refuse({ type: 'cannotUnsend', description: 'The message is on its way.' });
    if (after === null && (before?.undoStatus === 'pending' || before?.isQueued === true))
      refuse({ type: 'forbidden', description: 'The message waits: cancel it first.' });
    if (before !== null || after === null) continue;
    const email = emails.get(after.emailId);
    const identity = identities.get(after.identityId);
    // An id that names nothing is refused by the server itself.
    if (email === undefined || identity === undefined) continue;
    const refusal = judge(after, email, identity, whyNotToSend(userId));
    if (refusal !== null) refuse(refusal);
  }
};

function judge(
  submission: EmailSubmissionStored,
  email: EmailStored,
  { email: identity }: IdentityStored,
  whyNot: string | null,
): EmailSubmissionSetError | null {
  if (whyNot !== null) return { type: 'forbiddenToSend', description: whyNot };
  const { size } = email;
  if (size > MAX_SIZE)
    return { type: 'tooLarge', maxSize: MAX_SIZE, description: `The message has ${size} octets.` };
  const envelope = submission.envelope ?? deriveEnvelope(email, identity);
  return (
    judgeMessage(email, identity) ?? judgeSender(envelope, identity) ?? judgeRecipients(envelope)
  );
}

/** Judges the fields that each message has once (RFC 5322 3.6). */
function judgeMessage(email: EmailStored, identity: string): EmailSubmissionSetError | null {
  const { from, sender, sentAt } = email;
  const count = from?.length ?? 0;
  const wrong = [
    ...(from?.every((each) => isAddress(each.email)) && count > 0 ? [] : ['from']),
    ...((sender === null ? count > 1 : sender.length !== 1) ? ['sender'] : []),
    ...(sentAt === null ? ['sentAt'] : []),
  ];
  if (wrong.length > 0) {
    const description = `The message lacks a legal ${wrong.join(' and ')}.`;
    return { type: 'invalidEmail', properties: wrong, description };
  }
  const other = from?.find((each) => !isOfIdentity(each.email, identity));
  if (other === undefined) return null;
  const description = `The message is from ${other.email}, the identity is ${identity}.`;
  return { type: 'forbiddenFrom', description };
}

function judgeSender(envelope: Envelope, identity: string): EmailSubmissionSetError | null {
  const { email } = envelope.mailFrom;
  if (email !== '' && !isOfIdentity(email, identity)) {
    const description = `The return address is ${email}, the identity is ${identity}.`;
    return { type: 'forbiddenMailFrom', description };
  }
  if (readHold(envelope.mailFrom.parameters, Date.now()) !== null) return null;
  const description = `"envelope": HOLDFOR or HOLDUNTIL names at most ${MAX_DELAY} seconds.`;
  return { type: 'invalidProperties', properties: ['envelope'], description };
}

function judgeRecipients({ rcptTo }: Envelope): EmailSubmissionSetError | null {
  const wrong = rcptTo.map(({ email }) => email).filter((email) => !isAddress(email));
  if (rcptTo.length === 0)
    return { type: 'noRecipients', description: 'The message has no recipient.' };
  if (rcptTo.length > MAX_RECIPIENTS) {
    const description = `At most ${MAX_RECIPIENTS} recipients, not ${rcptTo.length}.`;
    return { type: 'tooManyRecipients', maxRecipients: MAX_RECIPIENTS, description };
  }
  if (wrong.length === 0) return null;
  const description = `${wrong[0]} is no address.`;
  return { type: 'invalidRecipients', invalidRecipients: wrong, description };
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

/** Returns objects by their ids. */
export function byId<T extends { readonly id: string }>(objects: readonly T[]): Map<string, T> {
  return new Map(objects.map((each) => [each.id, each]));
}
