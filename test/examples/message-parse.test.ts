import { expect, it } from 'vitest';
import {
  type BodyPart,
  MessageRefusal,
  makeSnippet,
  type ParsedMessage,
  parseMessage,
  readBodyValue,
  searchText,
} from '../../examples/mail/capabilities/message/index.js';

/** Parses a message that is written with LF. */
function parse(text: string): ParsedMessage {
  return parseMessage(Buffer.from(text.replaceAll('\n', '\r\n')));
}

/** Writes a multipart of a type and some entities. */
function multipart(type: string, ...parts: string[]): string {
  const boundary = `${type}-${parts.length}`;
  const body = parts.map((part) => `--${boundary}\n${part}\n`).join('');
  return `Content-Type: multipart/${type}; boundary="${boundary}"\n\n${body}--${boundary}--\n`;
}

const part = (type: string, letter: string, disposition = '') =>
  `Content-Type: ${type}\n${disposition && `Content-Disposition: ${disposition}\n`}\n${letter}`;

/** The structure of RFC 8621 4.1.4. */
const STRUCTURE = multipart(
  'mixed',
  part('text/plain', 'A', 'inline'),
  multipart(
    'mixed',
    multipart(
      'alternative',
      multipart(
        'mixed',
        part('text/plain', 'B', 'inline'),
        part('image/jpeg', 'C', 'inline'),
        part('text/plain', 'D', 'inline'),
      ),
      multipart('related', part('text/html', 'E'), part('image/jpeg', 'F')),
    ),
    part('image/jpeg', 'G', 'attachment'),
    part('application/x-excel', 'H'),
    part('message/rfc822', 'J: 1\n\n'),
  ),
  part('text/plain', 'K', 'inline'),
);

const letters = (parts: readonly BodyPart[]) =>
  parts.map(({ content }) => Buffer.from(content).toString().charAt(0));

it('RFC 8621 4.1.4: the example is divided as the RFC says', () => {
  const message = parse(`Subject: x\n${STRUCTURE}`);
  expect(letters(message.textBody)).toEqual(['A', 'B', 'C', 'D', 'K']);
  expect(letters(message.htmlBody)).toEqual(['A', 'E', 'K']);
  expect(letters(message.attachments)).toEqual(['C', 'F', 'G', 'H', 'J']);
  expect(message.hasAttachment).toBe(true);
  expect(message.preview).toBe('A B D K');
  const { type, partId, subParts } = message.bodyStructure;
  expect([type, partId, subParts?.length]).toEqual(['multipart/mixed', null, 3]);
  expect(message.textBody.map((each) => each.partId)).toEqual(['1', '2', '3', '4', '10']);
});

it('RFC 8621 4.1.4: a part has what its header says', () => {
  const { bodyStructure } = parse(`MIME-Version: 1.0
Content-Type: Text/HTML (rich); charset="ISO-8859-1" (Latin);
 name="=?utf-8?q?n=C3=A4me?="
Content-Disposition: Inline; filename*0*=utf-8''%E2%98%83; filename*1=" x.html"
Content-ID: (id) <foo4*foo1@bar.net>
Content-Language: en, de (German)
Content-Location: http://example.com/
 long
Content-Transfer-Encoding: Quoted-Printable

<p>caf=E9</p>=
`);
  expect(bodyStructure).toMatchObject({
    type: 'text/html',
    charset: 'ISO-8859-1',
    name: '☃ x.html',
    disposition: 'inline',
    cid: 'foo4*foo1@bar.net',
    language: ['en', 'de'],
    location: 'http://example.com/long',
    size: 11,
    subParts: null,
  });
  const value = '<p>café</p>';
  const flags = { isEncodingProblem: false, isTruncated: false };
  expect(readBodyValue(bodyStructure)).toEqual({ value, ...flags });
});

it('RFC 8621 4.1.4: a part without a Content-Type has the implicit type and charset', () => {
  const plain = { type: 'text/plain', charset: 'us-ascii', name: null, disposition: null };
  expect(parse('Subject: x\n\nhello').bodyStructure).toMatchObject(plain);
  const digest = parse(multipart('digest', '\nSubject: a\n\nb')).bodyStructure;
  expect(digest.subParts?.[0]).toMatchObject({ type: 'message/rfc822', charset: null });
  expect(parse('Content-Type: nonsense\n\nhello').bodyStructure.type).toBe('text/plain');
  const charsetOf = (type: string) => parse(`Content-Type: ${type}\n\n{}`).bodyStructure.charset;
  expect(charsetOf('application/json; charset=utf-8')).toBe('utf-8');
  expect(charsetOf('application/json')).toBeNull();
});

it('RFC 8621 4.1.3: the convenience properties are those of the header', () => {
  expect(
    parse(`Message-ID: <1@x>
In-Reply-To: <2@x>
References: <2@x> <3@x>
Sender: s@x
From: Ann <a@x>, b@x
To: t@x
Cc: c@x
Bcc: d@x
Reply-To: r@x
Subject: =?utf-8?q?=E2=98=83?=
Date: Tue, 10 Jul 2018 11:03:11 +1000

`),
  ).toMatchObject({
    messageId: ['1@x'],
    inReplyTo: ['2@x'],
    references: ['2@x', '3@x'],
    sender: [{ name: null, email: 's@x' }],
    from: [
      { name: 'Ann', email: 'a@x' },
      { name: null, email: 'b@x' },
    ],
    to: [{ name: null, email: 't@x' }],
    cc: [{ name: null, email: 'c@x' }],
    bcc: [{ name: null, email: 'd@x' }],
    replyTo: [{ name: null, email: 'r@x' }],
    subject: '☃',
    sentAt: '2018-07-10T11:03:11+10:00',
    hasAttachment: false,
  });
});

it('RFC 8621 4.1.2.1: a raw value keeps its folds, and loses NUL and wrong octets', () => {
  const octets = Buffer.from('X-A : a\r\n b\nX-B:\xff\0c\nno field\n\tgone\nX-C:\n\nx', 'latin1');
  expect(parseMessage(octets).headers).toEqual([
    { name: 'X-A', value: ' a\r\n b' },
    { name: 'X-B', value: '\ufffdc' },
    { name: 'X-C', value: '' },
  ]);
});

it('RFC 8621 4.2: a body value is cut between characters, and in front of a tag', () => {
  const text = parse('Content-Type: text/plain; charset=utf8\n\n1234☃').bodyStructure;
  const cut = (max: number) => readBodyValue(text, max).value;
  expect([3, 4, 5, 6, 7, 500].map(cut)).toEqual(['123', '1234', '1234', '1234', '1234☃', '1234☃']);
  expect(readBodyValue(text, 6).isTruncated).toBe(true);
  expect(readBodyValue(text, 7).isTruncated).toBe(false);
  const html = parse('Content-Type: text/html\n\n<p>a <a href="x">b</a>').bodyStructure;
  expect(readBodyValue(html, 10).value).toBe('<p>a ');
});

it.each([
  ['an unknown charset', 'text/plain; charset=utf-7', '8bit', 'caf+AOk-', 'caf+AOk-', true],
  ['wrong octets', 'text/plain; charset=utf-8', '8bit', 'caf\xe9', 'caf\ufffd', true],
  ['an unknown encoding', 'text/plain', 'x-uuencode', 'abc', 'abc', true],
  ['UTF-8 without a charset', 'text/plain', '8bit', 'caf\xc3\xa9', 'café', false],
  ['no UTF-8 and no charset', 'text/plain', '8bit', 'caf\xe9', 'café', true],
  ['broken base64', 'text/plain', 'base64', 'Y2!Fm\r\n=', 'caf', false],
  ['broken quoted-printable', 'text/plain', 'quoted-printable', 'a=ZZ=4', 'a=ZZ=4', false],
  ['Japanese', 'text/plain; charset=ISO-2022-JP', '7bit', '\x1b$B$"\x1b(B', 'あ', false],
])('RFC 8621 4.1.4: the value of %s', (_title, type, encoding, octets, value, isProblem) => {
  const head = `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  const { bodyStructure } = parseMessage(Buffer.from(head + octets, 'latin1'));
  const isEncodingProblem = isProblem;
  expect(readBodyValue(bodyStructure)).toEqual({ value, isEncodingProblem, isTruncated: false });
});

it('RFC 8621 4.1.4: a preview has the text of HTML, without quotes, in 256 characters', () => {
  const head = '<head><title>T</title><style>x{}</style></head>';
  const html = `${head}<p>Hi&nbsp;&lt;b&gt;</p>${'☃'.repeat(300)}`;
  const { preview } = parse(`Content-Type: text/html; charset=utf-8\n\n<!-- c -->${html}`);
  expect(preview).toBe(`Hi <b> ${'☃'.repeat(249)}`);
  expect(parse('Subject: x\n\n> old\n\nnew\n  words').preview).toBe('new words');
});

it('RFC 8621 4.1.4: a picture that HTML shows is no attachment to offer', () => {
  const html = part('text/html', '<img src="cid:a@b">');
  const image = (cid: string, disposition: string) =>
    `Content-ID: <${cid}>\n${part('image/png', 'x', disposition)}`;
  const has = (...parts: string[]) => parse(multipart('related', html, ...parts)).hasAttachment;
  expect(has(image('a@b', ''), image('c@d', 'inline'))).toBe(false);
  expect(has(image('c@d', ''))).toBe(true);
  expect(has(image('a@b', 'attachment'))).toBe(true);
});

it('a multipart without its last line, with text around it or without a boundary is read', () => {
  const open = parse(
    'Content-Type: multipart/mixed; boundary=b\n\nbefore\n--b\n\none\n--b  \n\ntwo',
  );
  expect(open.bodyStructure.subParts?.map(({ content }) => String(content))).toEqual(
    ['one', 'two'].map((text) => String(Buffer.from(text))),
  );
  const inner = 'Content-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--b\n\ntwo\n--b--\nafter';
  const { subParts } = parse(
    `Content-Type: multipart/mixed; boundary=b\n\n--b\n${inner}`,
  ).bodyStructure;
  expect(subParts?.map(({ type }) => type)).toEqual(['multipart/mixed', 'text/plain']);
  expect(parse('Content-Type: multipart/mixed\n\n--b\n').bodyStructure.subParts).toEqual([]);
  expect(
    parse('Content-Type: multipart/mixed; boundary=b\n\n--b\nX: y\n--b--').textBody,
  ).toHaveLength(1);
});

it.each([
  ['', 'nothing'],
  ['\n\nno header', 'a body alone'],
  ['some data', 'a text'],
])('%j is no message', (text) => {
  expect(() => parse(text)).toThrow(MessageRefusal);
});

it('hostile messages are read in bounds', () => {
  const deep = Array.from(
    { length: 1000 },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
  );
  const wide = `Content-Type: multipart/mixed; boundary=b\n\n${'--b\n\nx\n'.repeat(6000)}`;
  const messages = [
    deep.join(''),
    wide,
    'A: b\n'.repeat(10_000),
    `A: b${'\n c'.repeat(12_000)}`,
    `Subject: x\n\n${'--\n'.repeat(12_000)}`,
    `Content-Type: text/html\n\n${'<a>'.repeat(6000)}${'</b>'.repeat(4000)}`,
    `Content-Type: text/html\n\n${'<'.repeat(20_000)}${'&'.repeat(20_000)}`,
    `To: ${'a@b.c, '.repeat(12_000)}\n\n`,
    `Content-Type: text/plain; ${'a*0=b;'.repeat(6000)}\n\n`,
  ];
  const parsed = messages.map((text) => parse(text));
  for (const message of parsed) expect(searchText(message).length).toBeLessThanOrEqual(65_535);
  const count = ({ subParts }: BodyPart): number =>
    1 + (subParts ?? []).reduce((sum, each) => sum + count(each), 0);
  expect(count(parsed[0]?.bodyStructure as BodyPart)).toBeLessThan(60);
  expect(count(parsed[1]?.bodyStructure as BodyPart)).toBeLessThanOrEqual(1000);
  expect(parsed[2]?.headers.length).toBe(1000);
});

it('RFC 8621 5: a snippet escapes HTML and marks the words, in 255 octets', () => {
  expect(makeSnippet('The Foosball competition', ['foo'])).toBe(
    'The <mark>Foo</mark>sball competition',
  );
  const text = `${'word '.repeat(30)}the Foo/bar & returns <1 widget ${'☃ '.repeat(200)}`;
  const snippet = makeSnippet(text, ['foo', 'widget', 'foo/bar']) ?? '';
  expect(snippet).toMatch(
    /^\.\.\.word .*the <mark>Foo\/bar<\/mark> &amp; returns &lt;1 <mark>widget<\/mark> ☃/,
  );
  expect(snippet).toMatch(/☃ ?\.\.\.$/);
  expect(Buffer.byteLength(snippet)).toBeLessThanOrEqual(255);
  expect(makeSnippet(text, ['nothing', ' ', '.*'])).toBeNull();
  const long = makeSnippet('a'.repeat(400), ['a'.repeat(300)]) ?? '';
  expect(long).toMatch(/^<mark>a+<\/mark>\.\.\.$/);
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255);
  const subject = `${'x '.repeat(300)}foo`;
  expect(makeSnippet(subject, ['FOO'], Number.POSITIVE_INFINITY)).toBe(
    `${'x '.repeat(300)}<mark>foo</mark>`,
  );
});

it('the text for searches has all text parts, HTML without its tags', () => {
  expect(searchText(parse(`Subject: x\n${STRUCTURE}`))).toBe('A B D E K');
});

it('RFC 8621 4.4.1: searches read what HTML shows of attributes, and previews do not', () => {
  const html = '<p title="A &amp; B" class="c">D<img alt=E src="F"></p><style title="G"></style>';
  const message = parse(`Content-Type: text/html\n\n${html}`);
  expect(searchText(message)).toBe('A & B D E');
  expect(message.preview).toBe('D');
});
