// RFC 8621 sections 2 to 5. mail/ has the functions, message/ reads and builds messages.
import type { PrismaClient } from '../build/prisma/sqlite/client.js';
import type { Hooks } from '../generated/mail/hooks.js';
import { followEmails } from './mail/derive.js';
import { answerEmails } from './mail/email-answer.js';
import { checkEmails, emailMethods } from './mail/emails.js';
import { importEmails } from './mail/import-emails.js';
import { computeInThread } from './mail/in-thread.js';
import { checkMailboxes } from './mail/mailboxes.js';
import { parseEmails } from './mail/parse-emails.js';
import { setEmails } from './mail/set-emails.js';
import { getSnippets } from './mail/snippets.js';
import { computeEmailIds } from './mail/threads.js';

export const hooks = {
  types: {
    Mailbox: {
      check: checkMailboxes,
      compute: {
        unreadThreads: ({ role, threadsUnread, threadsUnreadInTrash }) =>
          role === 'trash' ? threadsUnreadInTrash : threadsUnread,
      },
    },
    Thread: { computeOn: { emailIds: computeEmailIds } },
    Email: {
      check: checkEmails,
      compute: {
        allInThread: ({ inThread: { all = [] } }) => setOf(all),
        someInThread: ({ inThread: { some = [] } }) => setOf(some),
      },
      computeOn: { inThread: computeInThread },
      inTransaction: followEmails,
      answer: answerEmails,
      methods: emailMethods,
    },
  },
  methods: {
    'Email/set': setEmails,
    'Email/import': importEmails,
    'Email/parse': parseEmails,
    'SearchSnippet/get': getSnippets,
  },
} satisfies Hooks<PrismaClient>;

function setOf(keys: readonly string[]): Record<string, true> {
  return Object.fromEntries(keys.map((key) => [key, true]));
}
