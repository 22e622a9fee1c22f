import { expect, it } from 'vitest';
import { removeFields } from '../../examples/mail/capabilities/message/index.js';

function removeBcc(message: string): string {
  return Buffer.from(removeFields(Buffer.from(message), 'Bcc')).toString();
}

it.each([
  ['From: a\r\nBcc: b@c,\r\n d@e\r\nTo: f\r\n\r\nBcc: body', 'From: a\r\nTo: f\r\n\r\nBcc: body'],
  ['From: a\nbcc : b@c\nBCC: d\n \n\te\nTo: f\n\nbody', 'From: a\nTo: f\n\nbody'],
  ['Bcc: b@c\r\nTo: ä\r\n\r\n', 'To: ä\r\n\r\n'],
  ['To: a\r\nBcc: b\r\n\r\nbody', 'To: a\r\n\r\nbody'],
  ['X-Bcc: b\r\nTo: a Bcc: c', 'X-Bcc: b\r\nTo: a Bcc: c'],
  ['To: a\r\nBcc: b', 'To: a\r\n'],
  ['\r\nBcc: body', '\r\nBcc: body'],
])('RFC 8621 7.5: the message %j is sent as %j', (message, sent) => {
  expect(removeBcc(message)).toBe(sent);
});
