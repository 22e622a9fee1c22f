import type { Hooks } from '../../generated/mail/hooks.js';

type MailboxHooks = NonNullable<NonNullable<Hooks['types']>['Mailbox']>;

/** Keeps a mailbox that has e-mails, unless the client wants these to go with it (RFC 8621 2.5). */
export const checkMailboxes: MailboxHooks['check'] = (wanted, { arguments: args }) => {
  const removesEmails = 'onDestroyRemoveEmails' in args && args.onDestroyRemoveEmails === true;
  for (const { before, after, refuse } of wanted) {
    const emails = after === null && !removesEmails ? (before?.totalEmails ?? 0) : 0;
    if (emails > 0)
      refuse({ type: 'mailboxHasEmail', description: `There are ${emails} e-mails in it.` });
    // Net-Unicode (RFC 5198) has none.
    if (after !== null && /\p{Cc}/u.test(after.name))
      refuse({
        type: 'invalidProperties',
        properties: ['name'],
        description: '"name" has no control characters.',
      });
  }
};
