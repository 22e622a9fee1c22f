import { expect, it } from 'vitest';
import {
  buildMessage,
  MAX_CONTENT,
  type MessageBlob,
  type ParsedMessage,
  parseMessage,
  readBodyValue,
  readHeader,
} from '../../examples/mail/capabilities/message/index.js';

const PICTURE = Buffer.from(Array.from({ length: 256 }, (_, at) => at));

const BLOBS: Readonly<Record<string, MessageBlob>> = {
  picture: blobOf('image/png', PICTURE),
  message: blobOf('message/rfc822', Buffer.from('Subject: ä\n\nb')),
  film: { type: 'video/mp4', size: MAX_CONTENT / 2, bytes: () => Promise.reject(new Error('No.')) },
};

function blobOf(type: string, octets: Uint8Array): MessageBlob {
  return { type, size: octets.length, bytes: () => Promise.resolve(octets) };
}

/** Builds the message of an Email and parses it. */
async function build(email: object): Promise<ParsedMessage> {
  return parseMessage(await write(email));
}

function write(email: object): Promise<Uint8Array> {
  const given = { mailboxIds: { m: true }, ...email };
  return buildMessage(given, (blobId) => Promise.resolve(BLOBS[blobId] ?? null));
}

const TEXT = 'I have the most brilliant plan. Let me tell you\n  all about it. What we do is, we';
const HTML = '<html><body><div>I have the most <b>brilliant</b> plan.</div></body></html>';

it('RFC 8621 4.10: the draft of the example is written', async () => {
  const octets = await write({
    keywords: { $seen: true, $draft: true },
    from: [{ name: 'Joe Bloggs', email: 'joe@example.com' }],
    subject: 'World domination',
    receivedAt: '2018-07-10T01:03:11Z',
    sentAt: '2018-07-10T11:03:11+10:00',
    bodyStructure: { type: 'text/plain', partId: 'bd48', 'header:Content-Language': 'en' },
    bodyValues: { bd48: { value: TEXT, isTruncated: false } },
  });
  const text = Buffer.from(octets).toString();
  expect(text.replace(/Message-ID: <[\w-]{36}@example\.com>/, 'Message-ID: ID')).toBe(
    [
      'From: "Joe Bloggs" <joe@example.com>',
      'Subject: World domination',
      'Date: Tue, 10 Jul 2018 11:03:11 +1000',
      'Content-Language: en',
      'Content-Type: text/plain; charset=us-ascii',
      'Content-Transfer-Encoding: 7bit',
      'Message-ID: ID',
      'MIME-Version: 1.0',
      '',
      ...TEXT.split('\n'),
    ].join('\r\n'),
  );
});

it('RFC 8621 4.10: the draft with two alternatives is written and read back', async () => {
  const language = { 'header:Content-Language': 'en' };
  const message = await build({
    to: [{ name: 'John', email: 'john@example.com' }],
    bodyStructure: {
      type: 'multipart/alternative',
      subParts: [
        { partId: 'a49d', type: 'text/html', ...language },
        { partId: 'bd48', type: 'text/plain', ...language },
      ],
    },
    bodyValues: { bd48: { value: TEXT }, a49d: { value: HTML } },
  });
  expect(message.bodyStructure.subParts?.map(({ type }) => type)).toEqual([
    'text/html',
    'text/plain',
  ]);
  expect(message.textBody.map((part) => readBodyValue(part).value)).toEqual([TEXT]);
  expect(message.htmlBody.map((part) => readBodyValue(part).value)).toEqual([HTML]);
  expect(message.htmlBody[0]?.language).toEqual(['en']);
  expect(message.to).toEqual([{ name: 'John', email: 'john@example.com' }]);
});

it('RFC 8621 4.6: text, HTML, pictures and files become one tree', async () => {
  const message = await build({
    textBody: [{ partId: 't' }],
    htmlBody: [{ partId: 'h', type: 'text/html' }],
    attachments: [
      { blobId: 'picture', type: 'image/png', cid: 'pic', disposition: 'inline' },
      { blobId: 'picture', name: 'snow ☃.png' },
      { blobId: 'message' },
    ],
    bodyValues: { t: { value: 'ä\r\nb\rc' }, h: { value: '<img src="cid:pic">' } },
  });
  const outline = (part: ParsedMessage['bodyStructure']): unknown =>
    part.subParts === null ? part.type : [part.type, ...part.subParts.map(outline)];
  expect(outline(message.bodyStructure)).toEqual([
    'multipart/mixed',
    ['multipart/alternative', 'text/plain', ['multipart/related', 'text/html', 'image/png']],
    'image/png',
    'message/rfc822',
  ]);
  const [picture, file, attached] = message.attachments;
  expect(picture).toMatchObject({ cid: 'pic', disposition: 'inline', name: null });
  expect(file).toMatchObject({ disposition: 'attachment', name: 'snow ☃.png' });
  for (const part of [picture, file]) expect(Buffer.from(part?.content ?? [])).toEqual(PICTURE);
  expect(Buffer.from(attached?.content ?? []).toString()).toBe('Subject: ä\n\nb');
  const [text] = message.textBody.map((part) => readBodyValue(part));
  expect(text).toEqual({ value: 'ä\nb\nc', isEncodingProblem: false, isTruncated: false });
  expect(message.textBody[0]?.charset).toBe('utf-8');
});

it('RFC 8621 4.6: Message-ID, Date and MIME-Version are there once', async () => {
  const made = await build({});
  expect(made.messageId?.[0]).toMatch(/^[\w-]{36}@localhost$/);
  expect(Math.abs(Date.parse(made.sentAt ?? '') - Date.now())).toBeLessThan(60_000);
  expect([made.textBody.length, made.preview]).toEqual([1, '']);
  const given = await build({ 'header:message-id': '<x@y>', sentAt: '1969-02-14T12:02:00Z' });
  expect(readHeader(given.headers, 'header:Message-ID:all')).toEqual([' <x@y>']);
  expect(readHeader(given.headers, 'header:Date:all')).toEqual([
    ' Fri, 14 Feb 1969 12:02:00 +0000',
  ]);
});

const LONG = `http://example.org/${'a'.repeat(35)}`;
it.each([
  ['header:foo:all', ['cat', ' dog'], 'foo', [' cat', ' dog']],
  ['header:Subject:asText', 'howdy', 'subject', [' howdy']],
  ['header:X-F:asAddresses', [{ name: 'Foo "b"', email: 'a@b' }], 'X-F', [' "Foo \\"b\\"" <a@b>']],
  ['header:In-Reply-To:asMessageIds', ['a@b', 'c@d'], 'In-Reply-To', [' <a@b> <c@d>']],
  ['header:List-Help:asURLs', ['http://x.y', LONG], 'List-Help', [` <http://x.y>,\r\n <${LONG}>`]],
  [
    'header:Resent-Date:asDate',
    '2018-07-10T11:03:11Z',
    'Resent-Date',
    [' Tue, 10 Jul 2018 11:03:11 +0000'],
  ],
  [
    'header:To:asGroupedAddresses',
    [
      { name: 'G', addresses: [{ email: 'a@b' }] },
      { name: null, addresses: [{ name: null, email: 'c' }] },
    ],
    'To',
    [' "G": a@b;, c'],
  ],
  ['header:X-F', ' a\r\n b', 'X-F', [' a\r\n b']],
  ['cc', [], 'Cc', []],
])('RFC 8621 4.6: %s is written', async (property, value, field, raw) => {
  const { headers } = await build({ [property]: value });
  expect(readHeader(headers, `header:${field}:all`)).toEqual(raw);
});

it.each([
  'plain',
  'Grüße ☃ 日本語 '.repeat(20).trim(),
  '=?utf-8?q?fake?=',
  'a "quoted", <b> (c) \\ d',
])('RFC 8621 4.1.2: the text %j comes back, as a subject and as a name', async (text) => {
  const message = await build({ subject: text, from: [{ name: text, email: 'a@b.c' }] });
  expect(message.subject).toBe(text);
  expect(message.from).toEqual([{ name: text, email: 'a@b.c' }]);
  const lines = Buffer.from(await write({ subject: text }))
    .toString()
    .split('\r\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(78);
});

const ONE = { bodyStructure: { partId: 't' }, bodyValues: { t: { value: 'x' } } };
const withPart = (part: object) => ({ ...ONE, bodyStructure: { partId: 't', ...part } });
const lists = { textBody: [{ partId: 't' }], bodyValues: { t: { value: 'x' } } };

it.each<[object, string[]]>([
  [{ headers: [{ name: 'a', value: 'b' }] }, ['headers']],
  [withPart({ headers: [] }), ['bodyStructure/headers']],
  [{ from: [{ email: 'a@b' }], 'header:From': 'a@b' }, ['header:From']],
  [{ 'header:X': 'a', 'header:x:asText': 'a' }, ['header:x:asText']],
  [
    withPart({ type: 'text/plain', 'header:Content-Type': 'text/html' }),
    ['bodyStructure/header:Content-Type'],
  ],
  [
    withPart({ name: 'a', 'header:content-disposition': 'inline' }),
    ['bodyStructure/header:content-disposition'],
  ],
  [{ 'header:From:asDate': '2018-07-10T11:03:11Z' }, ['header:From:asDate']],
  [{ 'header:Content-Foo': 'a' }, ['header:Content-Foo']],
  [
    { ...ONE, textBody: [], htmlBody: [], attachments: [] },
    ['textBody', 'htmlBody', 'attachments'],
  ],
  [{ ...withPart({ 'header:foo': 'a' }), 'header:Foo': 'a' }, ['bodyStructure/header:foo']],
  [{ ...lists, textBody: [{ partId: 't' }, { partId: 't' }] }, ['textBody']],
  [{ ...lists, textBody: [{ partId: 't', type: 'text/html' }] }, ['textBody/0/type']],
  [{ ...lists, htmlBody: [{ partId: 't', type: 'text/plain' }] }, ['htmlBody/0/type']],
  [withPart({ blobId: 'picture' }), ['bodyStructure/partId', 'bodyStructure/blobId']],
  [withPart({ partId: 'other' }), ['bodyStructure/partId']],
  [{ bodyStructure: { type: 'text/plain' } }, ['bodyStructure/partId']],
  [withPart({ charset: 'utf-8' }), ['bodyStructure/charset']],
  [withPart({ size: 1 }), ['bodyStructure/size']],
  [
    withPart({ 'header:Content-Transfer-Encoding': '7bit' }),
    ['bodyStructure/header:Content-Transfer-Encoding'],
  ],
  [
    { ...ONE, bodyValues: { t: { value: 'x', isTruncated: true, isEncodingProblem: true } } },
    ['bodyValues/t/isTruncated', 'bodyValues/t/isEncodingProblem'],
  ],
  [{ 'header:foo': ['a', 'b'] }, ['header:foo']],
  [{ 'header:foo:all': 'a' }, ['header:foo:all']],
  [{ 'header:foo': 'a\r\nBcc: b@c' }, ['header:foo']],
  [{ 'header:foo': 'a\r\n \r\n b' }, ['header:foo']],
  [
    { messageId: ['a b'], inReplyTo: 'a', references: [], sentAt: 'today' },
    ['messageId', 'inReplyTo', 'references', 'sentAt'],
  ],
  [{ to: [{ name: 'a' }], cc: [{ email: 'a\nb' }], subject: 5 }, ['to', 'cc', 'subject']],
  [
    withPart({ cid: '<a>', language: 'en', name: 'a\nb', type: 'x' }),
    ['cid', 'language', 'name', 'type'].map((name) => `bodyStructure/${name}`),
  ],
  [
    { bodyStructure: { type: 'multipart/mixed', subParts: [{ partId: 'x' }] } },
    ['bodyStructure/subParts/0/partId'],
  ],
  [{ bodyStructure: { type: 'multipart/mixed' } }, ['bodyStructure/subParts']],
  [{ size: 5, preview: 'a', unknown: 1 }, ['size', 'preview', 'unknown']],
])('RFC 8621 4.6: refusal %# names the properties', async (email, properties) => {
  await expect(write(email)).rejects.toMatchObject({ type: 'invalidProperties', properties });
});

it('RFC 8621 4.6: blobNotFound names each blob once', async () => {
  const attachments = ['cat', 'picture', 'dog', 'cat'].map((blobId) => ({ blobId }));
  const refusal = { type: 'blobNotFound', notFound: ['cat', 'dog'] };
  await expect(write({ attachments })).rejects.toMatchObject(refusal);
});

it('a tree that is too deep is refused, and nulls count as absent', async () => {
  let bodyStructure: object = { partId: 't' };
  for (let at = 0; at < 5000; at += 1)
    bodyStructure = { type: 'multipart/mixed', subParts: [bodyStructure] };
  await expect(write({ ...ONE, bodyStructure })).rejects.toMatchObject({
    type: 'invalidProperties',
  });
  const nulls = {
    ...withPart({ cid: null, language: null, size: null }),
    to: null,
    textBody: null,
  };
  expect((await build(nulls)).preview).toBe('x');
});

it('RFC 8621 1.3.1: parts that are too large together are not even read', async () => {
  const film = { blobId: 'film' };
  await expect(write({ attachments: [film, film, { blobId: 'picture' }] })).rejects.toMatchObject({
    type: 'tooLarge',
  });
  const partId = 'a';
  const subParts = Array.from({ length: 1000 }, () => ({ partId }));
  const bodyStructure = { type: 'multipart/mixed', subParts };
  const bodyValues = { a: { value: 'x'.repeat(60_000) } };
  await expect(
    write({ bodyStructure: { ...bodyStructure, subParts: subParts.slice(1) }, bodyValues }),
  ).rejects.toMatchObject({ type: 'tooLarge' });
  await expect(write({ bodyStructure, bodyValues })).rejects.toMatchObject({
    ...{ type: 'invalidProperties', properties: ['bodyStructure'] },
  });
});
