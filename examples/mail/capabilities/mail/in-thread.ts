import type { HookReader } from 'jmapsmith/capability';
import type { PrismaClient } from '../../build/prisma/sqlite/client.js';
import type { EmailStored } from '../../generated/mail/Email.definition.js';
import { emailType } from '../../generated/mail/Email.definition.js';
import type { EmailHooks } from '../../generated/mail/hooks.js';
import { mailboxType } from '../../generated/mail/Mailbox.definition.js';

type InThread = EmailStored['inThread'];
type Reader = HookReader<PrismaClient>;

/** An e-mail with its keywords, and the mailboxes that it is in. */
interface Flags {
  readonly id: string;
  readonly keywords: readonly string[];
  readonly mailboxIds: readonly string[];
}

/** Computes for each e-mail what conditions and counts ask about its whole thread. */
export const computeInThread: EmailHooks<PrismaClient>['computeOn']['inThread'] = {
  timeout: '30s',
  async run({ Thread, Email, Mailbox }, { accountId }, reader) {
    const moved = [
      ...(Mailbox?.created ?? []),
      ...(Mailbox?.destroyed ?? []),
      ...(Mailbox?.updated ?? [])
        .filter(({ before, after }) => before.role !== after.role)
        .flatMap(({ before, after }) => [before, after]),
    ].filter(({ role }) => role === 'trash');
    const ids = new Set([
      ...(Thread?.created ?? []).map(({ id }) => id),
      ...(Thread?.updated ?? []).map(({ after }) => after.id),
      ...(Email?.updated ?? []).flatMap(({ after }) => after.threadId ?? []),
      ...(await listThreadsIn(new Set(moved.map(({ id }) => id)), accountId, reader)),
    ]);
    // A whole Email has long texts.
    const emails = await reader.prisma.email.findMany({
      where: { accountId, threadId: { in: [...ids] } },
      select: { id: true, threadId: true, keywords: true, mailboxIds: true },
    });
    const [trash = null] = await reader.query(mailboxType, { filter: { role: 'trash' } });
    const threads = new Map<string | null, Flags[]>();
    for (const row of emails) {
      const thread = threads.get(row.threadId) ?? [];
      thread.push(readFlags(row));
      threads.set(row.threadId, thread);
    }
    const values = new Map<string, InThread>();
    for (const thread of threads.values()) {
      const value = sumUp(thread, trash);
      for (const { id } of thread) values.set(id, value);
    }
    return values;
  },
};

/** E-mails of one page. */
const PAGE = 500;

/** Returns the threads of all e-mails in these mailboxes. */
async function listThreadsIn(
  mailboxIds: ReadonlySet<string>,
  accountId: string,
  reader: Reader,
): Promise<ReadonlySet<string>> {
  const threads = new Set<string>();
  for (const inMailbox of mailboxIds)
    for (let position = 0; ; position += PAGE) {
      const ids = await reader.query(emailType, { filter: { inMailbox }, position, limit: PAGE });
      const where = { accountId, id: { in: [...ids] } };
      const emails = await reader.prisma.email.findMany({ where, select: { threadId: true } });
      for (const { threadId } of emails) if (threadId !== null) threads.add(threadId);
      if (ids.length < PAGE) break;
    }
  return threads;
}

/** Returns the keywords and mailboxes of a row, in which both are JSON. */
function readFlags(row: { id: string; keywords: unknown; mailboxIds: unknown }): Flags {
  const { id, keywords, mailboxIds } = row as Pick<EmailStored, 'id' | 'keywords' | 'mailboxIds'>;
  return { id, keywords: Object.keys(keywords), mailboxIds: Object.keys(mailboxIds) };
}

/**
 * Returns what the e-mails of one thread have in common. Those in the trash alone count as a thread
 * of their own (RFC 8621 2).
 */
function sumUp(emails: readonly Flags[], trash: string | null): InThread {
  const some = [...new Set(emails.flatMap(({ keywords }) => keywords))].sort();
  const unread = emails.filter(
    ({ keywords }) => !keywords.includes('$seen') && !keywords.includes('$draft'),
  );
  const isIn = ({ mailboxIds }: Flags): boolean => trash !== null && mailboxIds.includes(trash);
  return {
    all: some.filter((keyword) => emails.every(({ keywords }) => keywords.includes(keyword))),
    some,
    isUnread: unread.some((email) => !isIn(email) || email.mailboxIds.length > 1),
    isUnreadInTrash: unread.some(isIn),
  };
}
