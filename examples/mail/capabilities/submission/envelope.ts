import type { EmailStored } from '../../generated/mail/Email.definition.js';
import type { EmailSubmission } from '../../generated/submission/EmailSubmission.definition.js';
import { isOfIdentity } from './senders.js';

/** The addresses that SMTP gets (RFC 8621 7). */
export type Envelope = NonNullable<EmailSubmission['envelope']>;

/** A message may wait for so many seconds: maxDelayedSend in the session. */
export const MAX_DELAY = 2_592_000;

/**
 * Returns the envelope that a client left out: from Sender or From, to all of To, Cc and Bcc. An
 * address that the identity lacks gives way to that of the identity.
 */
export function deriveEnvelope(email: EmailStored, identity: string): Envelope {
  const [from] = email.sender ?? email.from ?? [];
  const isOwn = from !== undefined && isOfIdentity(from.email, identity);
  const recipients = [email.to, email.cc, email.bcc].flatMap((list) => list ?? []);
  const byAddress = new Map(recipients.map((each) => [normalize(each.email), each.email]));
  return {
    mailFrom: { email: isOwn ? from.email : identity, parameters: null },
    rcptTo: [...byAddress.values()].map((address) => ({ email: address, parameters: null })),
  };
}

/** The domain of an address has no large letters; what stands in front of it may differ by them. */
function normalize(email: string): string {
  const at = email.lastIndexOf('@');
  return email.slice(0, at) + email.slice(at).toLowerCase();
}

/**
 * Returns the moment (ms) until which a message is held (FUTURERELEASE, RFC 4865), `now` where it
 * isn't, or null where the parameters are wrong or the time is too long.
 */
export function readHold({ mailFrom }: Envelope, now: number): number | null {
  const given = Object.entries(mailFrom.parameters ?? {});
  const holds = given.filter(([name]) => /^hold(for|until)$/i.test(name));
  if (holds.length === 0) return now;
  const [[name, value] = ['', null]] = holds;
  if (holds.length > 1 || value === null) return null;
  const isFor = name.toLowerCase() === 'holdfor';
  const until = isFor ? now + 1000 * readSeconds(value) : readMoment(value);
  return until >= now && until <= now + 1000 * MAX_DELAY ? until : null;
}

function readSeconds(value: string): number {
  return /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
}

function readMoment(value: string): number {
  const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);
  return isDate ? Date.parse(value) : Number.NaN;
}
