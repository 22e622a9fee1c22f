import type { Hooks } from '../../generated/mail/hooks.js';

type EmailHooks = NonNullable<NonNullable<Hooks['types']>['Email']>;

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

/** The properties that a copy may change (RFC 8621 4.7). */
const COPIED = new Set(['mailboxIds', 'keywords', 'receivedAt']);

type BeforeCopy = NonNullable<NonNullable<EmailHooks['methods']>['copy']>['before'];

/** Takes from a copy what would give it another message. */
export const beforeCopy: BeforeCopy = (args) => ({
  ...args,
  create: Object.fromEntries(
    Object.entries(args.create).map(([key, { id, ...entry }]) => {
      const kept = Object.entries(entry).filter(([name]) => COPIED.has(name));
      return [key, { id, ...Object.fromEntries(kept) }];
    }),
  ),
});

type Methods = NonNullable<EmailHooks['methods']>;
type BeforeQuery = NonNullable<NonNullable<Methods['query']>['before']>;
type BeforeQueryChanges = NonNullable<NonNullable<Methods['queryChanges']>['before']>;

/** Header fields are found by their names in any letter case. */
export const beforeQuery: BeforeQuery = ({ filter = null, ...args }) => ({
  ...args,
  filter: lowerNames(filter) as typeof filter,
});

/** As beforeQuery. */
export const beforeQueryChanges: BeforeQueryChanges = ({ filter = null, ...args }) => ({
  ...args,
  filter: lowerNames(filter) as typeof filter,
});

/** Returns a filter, which the server has judged, with names of header fields in small letters. */
function lowerNames(filter: object | null): object | null {
  if (filter === null) return null;
  if ('conditions' in filter)
    return { ...filter, conditions: (filter.conditions as (object | null)[]).map(lowerNames) };
  if (!('header' in filter) || filter.header === null) return filter;
  const [name = '', ...text] = filter.header as readonly string[];
  return { ...filter, header: [name.toLowerCase(), ...text] };
}
