import type { MailboxHooks } from '../../generated/mail/hooks.js';

/** maxSizeMailboxName of the session. */
const MAX_NAME_OCTETS = 255;

/** Keeps a mailbox that has e-mails, unless the client wants these to go with it (RFC 8621 2.5). */
export const checkMailboxes: MailboxHooks['check'] = (wanted, { arguments: args }) => {
  const removesEmails = args.onDestroyRemoveEmails === true;
  for (const { before, after, refuse } of wanted) {
    const emails = after === null && !removesEmails ? (before?.totalEmails ?? 0) : 0;
    if (emails > 0)
      refuse({ type: 'mailboxHasEmail', description: `There are ${emails} e-mails in it.` });
    const why = after === null ? null : judgeName(after.name);
    if (why !== null)
      refuse({ type: 'invalidProperties', properties: ['name'], description: `"name" ${why}.` });
  }
};

function judgeName(name: string): string | null {
  if (Buffer.byteLength(name) > MAX_NAME_OCTETS) return `has more than ${MAX_NAME_OCTETS} octets`;
  // Net-Unicode (RFC 5198) has none.
  return /\p{Cc}/u.test(name) ? 'has a control character' : null;
}
