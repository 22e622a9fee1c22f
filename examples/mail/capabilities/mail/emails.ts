import { HookRefusal } from 'jmapsmith/capability';
import type { EmailHooks } from '../../generated/mail/hooks.js';
import { requireNames } from './email-answer.js';

/** As the session tells them: maxMailboxesPerEmail; and the keywords of one e-mail. */
const MAX_MAILBOXES = 20;
const MAX_KEYWORDS = 100;

/** Refuses e-mails without a mailbox, in too many, or with too many keywords (RFC 8621 4.6). */
export const checkEmails: EmailHooks['check'] = (wanted) => {
  for (const { after, refuse } of wanted) {
    if (after === null) continue;
    const mailboxes = Object.keys(after.mailboxIds).length;
    const keywords = Object.keys(after.keywords).length;
    if (mailboxes === 0)
      refuse({
        type: 'invalidProperties',
        properties: ['mailboxIds'],
        description: '"mailboxIds": an e-mail is in at least one mailbox.',
      });
    if (mailboxes > MAX_MAILBOXES)
      refuse({
        type: 'tooManyMailboxes',
        description: `An e-mail is in at most ${MAX_MAILBOXES} mailboxes, not ${mailboxes}.`,
      });
    if (keywords > MAX_KEYWORDS)
      refuse({
        type: 'tooManyKeywords',
        description: `An e-mail has at most ${MAX_KEYWORDS} keywords, not ${keywords}.`,
      });
  }
};

export const emailMethods = {
  get: {
    /** A form that a header field doesn't have is refused even if no e-mail is asked for. */
    before(args, call) {
      requireNames(args.properties ?? [], call.arguments);
      return args;
    },
  },
  copy: {
    /** A copy has the message of its original (RFC 8621 4.7). */
    before(args) {
      const wrong = Object.entries(args.create).find(([, entry]) => 'blobId' in entry);
      if (wrong === undefined) return args;
      const [key] = wrong;
      const description = `"create/${key}/blobId": a copy has the message of its original.`;
      throw new HookRefusal('invalidArguments', description);
    },
  },
  query: {
    /** Header fields are found by their names in any letter case. */
    before: ({ filter = null, ...args }) => ({ ...args, filter: lowerNames(filter) }),
  },
  queryChanges: {
    before: ({ filter = null, ...args }) => ({ ...args, filter: lowerNames(filter) }),
  },
} satisfies EmailHooks['methods'];

/** Returns a filter, which the server has judged, with names of header fields in small letters. */
function lowerNames<Filter extends object | null>(filter: Filter): Filter {
  if (filter === null) return filter;
  if ('conditions' in filter) {
    const conditions = filter.conditions as readonly (object | null)[];
    return { ...filter, conditions: conditions.map(lowerNames) };
  }
  if (!('header' in filter) || filter.header === null) return filter;
  const [name = '', ...text] = filter.header as readonly string[];
  return { ...filter, header: [name.toLowerCase(), ...text] };
}
