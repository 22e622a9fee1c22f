import type { HookReader } from 'jmapsmith/capability';
import type { PrismaClient } from '../../build/prisma/sqlite/client.js';
import type { EmailStored } from '../../generated/mail/Email.definition.js';
import { emailType } from '../../generated/mail/Email.definition.js';
import type { EmailHooks } from '../../generated/mail/hooks.js';
import { mailboxType } from '../../generated/mail/Mailbox.definition.js';
import { threadType } from '../../generated/mail/Thread.definition.js';

type InThread = EmailStored['inThread'];
type Reader = HookReader<PrismaClient>;

/** Computes for each e-mail what conditions and counts ask about its whole thread. */
export const computeInThread: EmailHooks<PrismaClient>['computeOn']['inThread'] = {
  timeout: '30s',
  async run({ Thread, Email, Mailbox }, _call, reader) {
    const moved = [
      ...(Mailbox?.created ?? []),
      ...(Mailbox?.destroyed ?? []),
      ...(Mailbox?.updated ?? [])
        .filter(({ before, after }) => before.role !== after.role)
        .flatMap(({ before, after }) => [before, after]),
    ].filter(({ role }) => role === 'trash');
    const emails = [
      ...(Email?.updated ?? []).map(({ after }) => after),
      ...(await readEmailsIn(new Set(moved.map(({ id }) => id)), reader)),
    ];
    const ids = new Set([
      ...(Thread?.created ?? []).map(({ id }) => id),
      ...(Thread?.updated ?? []).map(({ after }) => after.id),
      ...emails.flatMap(({ threadId }) => threadId ?? []),
    ]);
    const threads = await reader.get(threadType, [...ids]);
    const members = await reader.get(emailType, [
      ...new Set(threads.flatMap(({ emailIds }) => emailIds)),
    ]);
    const [trash = null] = await reader.query(mailboxType, { filter: { role: 'trash' } });
    const values = new Map<string, InThread>();
    const byId = new Map(members.map((email) => [email.id, email]));
    for (const { emailIds } of threads) {
      const value = sumUp(
        emailIds.flatMap((id) => byId.get(id) ?? []),
        trash,
      );
      for (const id of emailIds) values.set(id, value);
    }
    return values;
  },
};

/** E-mails of one page. */
const PAGE = 500;

/** Returns all e-mails in these mailboxes. */
async function readEmailsIn(
  mailboxIds: ReadonlySet<string>,
  reader: Reader,
): Promise<readonly EmailStored[]> {
  const emails: EmailStored[] = [];
  for (const inMailbox of mailboxIds)
    for (let position = 0; ; position += PAGE) {
      const query = { filter: { inMailbox }, position, limit: PAGE };
      const ids = await reader.query(emailType, query);
      emails.push(...(await reader.get(emailType, ids)));
      if (ids.length < PAGE) break;
    }
  return emails;
}

/**
 * Returns what the e-mails of one thread have in common. Those in the trash alone count as a thread
 * of their own (RFC 8621 2).
 */
function sumUp(emails: readonly EmailStored[], trash: string | null): InThread {
  const sets = emails.map(({ keywords }) => Object.keys(keywords));
  const some = [...new Set(sets.flat())].sort();
  const unread = emails.filter(({ keywords }) => !keywords['$seen'] && !keywords['$draft']);
  const isIn = ({ mailboxIds }: EmailStored): boolean => trash !== null && trash in mailboxIds;
  return {
    all: some.filter((keyword) => sets.every((set) => set.includes(keyword))),
    some,
    isUnread: unread.some((email) => !isIn(email) || Object.keys(email.mailboxIds).length > 1),
    isUnreadInTrash: unread.some(isIn),
  };
}
