import type { Answer, Calls } from './calls.js';
import type { Example } from './example-project.js';

/** Messages for tests of examples/mail. */

/** A message of these header fields, with a text of one line, or of one's own with its type. */
export function message(fields: Readonly<Record<string, string>>, body = 'Hello.'): string {
  const lines = Object.entries({ 'MIME-Version': '1.0', ...fields });
  return `${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** A message of HTML and text, both shown, behind each other (RFC 8621 4.2). */
export const DINNER = message(
  {
    'Message-ID': '<dinner@example.com>',
    From: 'Joe Bloggs <joe@example.com>',
    To: 'list@example.com',
    Subject: 'Dinner on Thursday?',
    'List-POST': '<mailto:partytime@lists.example.com>',
    'Content-Type': 'multipart/mixed; boundary=b',
  },
  [
    '--b',
    'Content-Type: text/html',
    '',
    `<html><body><p>Hello ${'there '.repeat(60)}</p></body></html>`,
    '--b',
    'Content-Type: text/plain',
    'Content-Disposition: inline',
    '',
    '-- Sent by your friendly mailing list',
    '--b--',
    '',
  ].join('\r\n'),
);

/** The members of an import beside its blob. */
export interface Import {
  readonly mailboxIds: Readonly<Record<string, true>>;
  readonly keywords?: Readonly<Record<string, true>>;
  readonly receivedAt?: string;
}

/** Uploads a message and imports it: id, blobId, threadId and size. */
export async function importMessage(mail: Calls, text: string, to: Import): Promise<Answer> {
  const { blobId } = await mail.client.upload(mail.accountId, text, 'message/rfc822');
  const answer = await mail.call('Email/import', { emails: { k: { blobId, ...to } } });
  if (answer.created?.k === undefined) throw new Error(JSON.stringify(answer));
  return answer.created.k;
}

/** The counts of a new mailbox. */
export const COUNTS = { totalEmails: 0, unreadEmails: 0, totalThreads: 0, unreadThreads: 0 };

/** Returns the calls of an example that tests of mail make again and again. */
export function mailOf(example: () => Example) {
  const call = (name: string, args: object = {}): Promise<Answer> => example().call(name, args);
  return {
    call,
    mailbox: async (name: string, more: object = {}): Promise<string> =>
      (await example().create('Mailbox', { name, ...more })).id,
    add: (text: string, to: Import): Promise<Answer> => importMessage(example(), text, to),
    counts: async (id: string): Promise<Answer> => {
      const properties = Object.keys(COUNTS);
      const { id: _, ...counts } = (await call('Mailbox/get', { ids: [id], properties })).list[0];
      return counts;
    },
  };
}
