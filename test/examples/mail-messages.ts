import type { Answer, Calls } from './calls.js';

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

/** What an import needs beside a message. */
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
