import type { EmailStored } from '../../generated/mail/Email.definition.js';
import type { EmailSubmission } from '../../generated/submission/EmailSubmission.definition.js';
import { isOfIdentity } from './senders.js';

/** The addresses that SMTP gets (RFC 8621 7). */
export type Envelope = NonNullable<EmailSubmission['envelope']>;

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
