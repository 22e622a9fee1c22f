import { type EmailStored, emailType } from '../../generated/mail/Email.definition.js';
import type {
  EmailSubmissionSetError,
  EmailSubmissionStored,
} from '../../generated/submission/EmailSubmission.definition.js';
import type { EmailSubmissionHooks } from '../../generated/submission/hooks.js';
import {
  type IdentityStored,
  identityType,
} from '../../generated/submission/Identity.definition.js';
import { HEADER_PROPERTIES, readHeaderName } from '../message/index.js';
import { deriveEnvelope, type Envelope } from './envelope.js';
import { isHold, MAX_DELAY, readHold } from './hold.js';
import { isAddress, isOfIdentity, whyNotToSend } from './senders.js';

const MAX_RECIPIENTS = 100;
/** Octets of a message. */
const MAX_SIZE = 25_000_000;

/** Refuses messages that can't be sent, and to cancel those on their way (RFC 8621 7.5). */
export const checkSubmissions: EmailSubmissionHooks['check'] = async (
  wanted,
  { userId },
  reader,
) => {
  const created = wanted.flatMap(({ before, after }) => (before === null && after) || []);
  const emails = byId(await reader.get(emailType, unique(created.map(({ emailId }) => emailId))));
  const ids = unique(created.map(({ identityId }) => identityId));
  const identities = byId(await reader.get(identityType, ids));
  for (const { before, after, refuse } of wanted) {
    if (before?.undoStatus === 'final' && after?.undoStatus === 'canceled')
      refuse({ type: 'cannotUnsend', description: 'The message is on its way.' });
    if (after === null && before?.messageBlobId !== null && before?.undoStatus !== 'canceled')
      refuse({ type: 'forbidden', description: 'The message is not sent yet: cancel it first.' });
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
    judgeMessage(email, identity) ??
    judgeSender(envelope, identity) ??
    judgeParameters(envelope) ??
    judgeRecipients(envelope)
  );
}

/** Judges the fields that each message has, and those that it has once (RFC 5322 3.6). */
function judgeMessage(email: EmailStored, identity: string): EmailSubmissionSetError | null {
  const { from, sender, sentAt } = email;
  const count = from?.length ?? 0;
  const wrong = [
    ...(from?.every((each) => isAddress(each.email)) && count > 0 ? [] : ['from']),
    ...((sender === null ? count > 1 : sender.length !== 1) ? ['sender'] : []),
    ...(sentAt === null ? ['sentAt'] : []),
    ...listRepeated(email),
  ];
  if (wrong.length > 0) {
    const description = `The message lacks one legal ${wrong.join(', one legal ')}.`;
    return { type: 'invalidEmail', properties: [...new Set(wrong)], description };
  }
  const other = from?.find((each) => !isOfIdentity(each.email, identity));
  if (other === undefined) return null;
  const description = `The message is from ${other.email}, the identity is ${identity}.`;
  return { type: 'forbiddenFrom', description };
}

/** Returns the properties whose header field stands in a message more than once. */
function listRepeated({ headerTexts }: EmailStored): string[] {
  const isRepeated = ([, header]: readonly [string, string]) =>
    headerTexts[readHeaderName(header).field.toLowerCase()]?.includes('\n');
  return Object.entries(HEADER_PROPERTIES)
    .filter(isRepeated)
    .map(([property]) => property);
}

function judgeSender(envelope: Envelope, identity: string): EmailSubmissionSetError | null {
  const { email } = envelope.mailFrom;
  if (email !== '' && !isOfIdentity(email, identity)) {
    const description = `The return address is ${email}, the identity is ${identity}.`;
    return { type: 'forbiddenMailFrom', description };
  }
  return null;
}

/** Judges the parameters of SMTP: the session tells of one extension, FUTURERELEASE. */
function judgeParameters({ mailFrom, rcptTo }: Envelope): EmailSubmissionSetError | null {
  const refuse = (description: string): EmailSubmissionSetError => {
    return { type: 'invalidProperties', properties: ['envelope'], description };
  };
  const names = Object.keys(mailFrom.parameters ?? {}).filter((name) => !isHold(name));
  const [unknown] = [
    ...names,
    ...rcptTo.flatMap(({ parameters }) => Object.keys(parameters ?? {})),
  ];
  if (unknown !== undefined)
    return refuse(`"envelope": no extension has ${unknown}; mailFrom takes HOLDFOR or HOLDUNTIL.`);
  if (readHold(mailFrom.parameters, Date.now()) !== null) return null;
  return refuse(`"envelope": HOLDFOR or HOLDUNTIL names at most ${MAX_DELAY} seconds.`);
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
