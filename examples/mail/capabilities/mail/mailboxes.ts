import type { Hooks } from '../../generated/mail/hooks.js';

type MailboxHooks = NonNullable<NonNullable<Hooks['types']>['Mailbox']>;

/** Octets of a mailbox's name: maxSizeMailboxName in the session. */
const MAX_NAME = 255;

/** Keeps a mailbox that has e-mails, unless the client wants these to go with it (RFC 8621 2.5). */
export const checkMailboxes: MailboxHooks['check'] = (wanted, { arguments: args }) => {
  const removesEmails = 'onDestroyRemoveEmails' in args && args.onDestroyRemoveEmails === true;
  for (const { before, after, refuse } of wanted) {
    const emails = after === null && !removesEmails ? (before?.totalEmails ?? 0) : 0;
    if (emails > 0)
      refuse({ type: 'mailboxHasEmail', description: `There are ${emails} e-mails in it.` });
    if (after !== null && !isName(after.name))
      refuse({
        type: 'invalidProperties',
        properties: ['name'],
        description: `"name" has at most ${MAX_NAME} octets of UTF-8, and no control characters.`,
      });
  }
};

/** Says whether a mailbox may have the name: Net-Unicode has no control characters (RFC 5198). */
function isName(name: string): boolean {
  return Buffer.byteLength(name) <= MAX_NAME && !/\p{Cc}/u.test(name);
}
