import { expect, it } from 'vitest';
import {
  type HeaderField,
  MessageRefusal,
  readHeader,
  threadSubject,
} from '../../examples/mail/capabilities/message/index.js';

/** Reads one field by a form. */
function read(form: string, value: string, name = 'X-Any'): unknown {
  return readHeader([{ name, value }], `header:${name}:${form}`);
}

const LIST = `"  James Smythe" <james@example.com>, Friends:\r
  jane@example.com, =?UTF-8?Q?John_Sm=C3=AEth?=\r
  <john@example.com>;`;
const JAMES = { name: 'James Smythe', email: 'james@example.com' };
const FRIENDS = [
  { name: null, email: 'jane@example.com' },
  { name: 'John Smîth', email: 'john@example.com' },
];

it('RFC 8621 4.1.2.3 and 4.1.2.4: the example is read as addresses and as groups', () => {
  expect(read('asAddresses', LIST)).toEqual([JAMES, ...FRIENDS]);
  expect(read('asGroupedAddresses', LIST)).toEqual([
    { name: null, addresses: [JAMES] },
    { name: 'Friends', addresses: FRIENDS },
  ]);
});

it.each([
  ['a comment is the name', 'a@b.c (Ann (the first) \\( B)', 'Ann (the first) ( B', 'a@b.c'],
  ['a quoted pair is decoded', '"A \\"B\\" \\\\ C" <a@b.c>', 'A "B" \\ C', 'a@b.c'],
  ['a folded name is unfolded', '" A\r\n  B "\r\n <a@b.c>', 'A  B', 'a@b.c'],
  ['the comment behind it is its name', 'a@b.c (Ann) (B)', 'Ann', 'a@b.c'],
  ['a comment in front is none', '(Ann) a@b.c', null, 'a@b.c'],
  ['a word within quotes stays', '"=?utf-8?q?A?=" <a@b.c>', '=?utf-8?q?A?=', 'a@b.c'],
  ['words beside each other join', '=?utf-8?q?A?= =?utf-8?q?_B?= C <a@b.c>', 'A B C', 'a@b.c'],
  ['an initial is no address', 'John Q. Public <a@b.c>', 'John Q. Public', 'a@b.c'],
  ['old spaces go', 'ann . lee @ example.com', null, 'ann.lee@example.com'],
  ['a quoted local part stays', '"a b"@b.c', null, '"a b"@b.c'],
  ['a comma in quotes divides nothing', '"Lee, Ann" <"a,b"@b.c>', 'Lee, Ann', '"a,b"@b.c'],
  ['a route goes', 'Ann <@x.y,@z:a@b.c>', 'Ann', 'a@b.c'],
  ['a draft has no @', 'ann', null, 'ann'],
  ['a name without brackets', 'Ann Lee a@b.c', 'Ann Lee', 'a@b.c'],
  ['a bracket that nothing closes', 'Ann <a@b.c', 'Ann', 'a@b.c'],
  ['an address in UTF-8', 'Jörg <jörg@exämple.de>', 'Jörg', 'jörg@exämple.de'],
  ['an address with a literal', 'a@[IPv6:::1]', null, 'a@[IPv6:::1]'],
])('RFC 8621 4.1.2.3: %s', (_title, value, name, email) => {
  expect(read('asAddresses', value)).toEqual([{ name, email }]);
});

it('RFC 8621 4.1.2.4: a group may be empty, and what follows it is in none', () => {
  const addresses = [{ name: null, email: 'a@b.c' }];
  expect(read('asGroupedAddresses', 'undisclosed-recipients:;, a@b.c,, ;')).toEqual([
    { name: 'undisclosed-recipients', addresses: [] },
    { name: null, addresses },
  ]);
  expect(read('asAddresses', ' ')).toEqual([]);
});

it.each([
  ['unfolds, and drops the spaces in front', '  a\r\n b\r\n\tc ', 'a b\tc '],
  ['decodes Q and B', '=?ISO-8859-1?Q?caf=E9_?= =?utf-8*en?b?4piD?=', 'café ☃'],
  ['joins a character in two words', '=?utf-8?b?4pg=?=\r\n =?utf-8?b?gw==?=', '☃'],
  ['keeps the space in front of text', '=?utf-8?q?a?= b =?utf-8?q?c?=', 'a b c'],
  ['decodes no word in a word', 'x=?utf-8?q?a?=', 'x=?utf-8?q?a?='],
  ['decodes no word with a space', '=?utf-8?q?a b?=', '=?utf-8?q?a b?='],
  ['keeps an unknown charset', '=?utf-7?q?+AGE-?= =?no?q?a?=', '=?utf-7?q?+AGE-?= =?no?q?a?='],
  ['keeps broken base64', '=?utf-8?b?!!?=', '=?utf-8?b?!!?='],
  ['drops encoded control characters', '=?utf-8?q?a=00=0D=0Ab?=', 'ab'],
  ['replaces wrong octets', '=?utf-8?q?a=FFb?=', 'a\ufffdb'],
  ['makes it NFC', '=?UTF-8?B?4oSr?=', '\u00c5'],
])('RFC 8621 4.1.2.2: the form asText %s', (_title, value, text) => {
  expect(read('asText', value, 'Subject')).toBe(text);
});

it.each([
  ['Thu, 13 Feb 1969 23:32 -0330 (Newfoundland Time)', '1969-02-13T23:32:00-03:30'],
  [' Tue, 10 Jul 2018 11:03:11 +1000', '2018-07-10T11:03:11+10:00'],
  ['21 Nov 97 09:55:06 GMT', '1997-11-21T09:55:06Z'],
  ['Fri, 21 Nov 1997 09(comment):   55  :  06 -0600', '1997-11-21T09:55:06-06:00'],
  ['1 Jan 01 00:00:60 EST', '2001-01-01T00:00:59-05:00'],
  ['30 Feb 2020 00:00:00 +0000', null],
  ['1 Feb 2020 24:00:00 +0000', null],
  ['not a date', null],
])('RFC 8621 4.1.2.6: %s is read as a date', (value, date) => {
  expect(read('asDate', value, 'Date')).toBe(date);
});

it.each([
  ['asMessageIds', 'References', ' <a@b> (c)\r\n <d@\r\n e><f@g>', ['a@b', 'd@e', 'f@g']],
  ['asMessageIds', 'Message-ID', 'a@b', null],
  [
    'asURLs',
    'List-Help',
    '<ftp://x.y/(z)>, (or)\r\n <mailto:a@b?s=c>',
    ['ftp://x.y/(z)', 'mailto:a@b?s=c'],
  ],
  ['asURLs', 'List-Post', 'NO', null],
])('RFC 8621 4.1.2.5 and 4.1.2.7: %s of %s', (form, name, value, texts) => {
  expect(read(form, value, name)).toEqual(texts);
});

const HEADERS: HeaderField[] = [
  { name: 'SUBJECT', value: ' one' },
  { name: 'Resent-To', value: ' a@b' },
  { name: 'Subject', value: ' two' },
  { name: 'resent-to', value: ' c@d, e@f' },
];

it('RFC 8621 4.1.3: the last field counts, or all do; letters are large or small', () => {
  expect(readHeader(HEADERS, 'header:subject')).toBe(' two');
  expect(readHeader(HEADERS, 'header:Subject:all')).toEqual([' one', ' two']);
  const lists = readHeader(HEADERS, 'header:Resent-To:asAddresses:all') as { email: string }[][];
  expect(lists.map((list) => list.map(({ email }) => email))).toEqual([['a@b'], ['c@d', 'e@f']]);
  expect(readHeader(HEADERS, 'header:None:asDate')).toBeNull();
  expect(readHeader(HEADERS, 'header:None:asDate:all')).toEqual([]);
});

it.each([
  'header:From:asDate',
  'header:Subject:asAddresses',
  'header:Received:asText',
  'header:List-Post:asText',
  'header:X:asNothing',
  'header:X:astext',
  'header:X:all:asText',
  'header:',
  'header:a b',
  'header:X:toString',
])('RFC 8621 4.1.3: %s is refused', (property) => {
  const message = expect.stringContaining(property);
  const refusal = expect.objectContaining({ type: 'invalidArguments', message });
  expect(() => readHeader([], property)).toThrow(refusal);
  expect(() => readHeader([], property)).toThrow(MessageRefusal);
});

it('RFC 8621 4.1.2: each defined field has its forms, and an unknown one has all', () => {
  const forms = ['Raw', 'Text', 'Addresses', 'GroupedAddresses', 'MessageIds', 'Date', 'URLs'];
  const count = (field: string) =>
    forms.filter((form) => {
      try {
        readHeader([], `header:${field}:as${form}`);
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(MessageRefusal);
        return false;
      }
    });
  expect(count('subject')).toEqual(['Raw', 'Text']);
  expect(count('RESENT-BCC')).toEqual(['Raw', 'Addresses', 'GroupedAddresses']);
  expect(count('In-Reply-To')).toEqual(['Raw', 'MessageIds']);
  expect(count('Resent-Date')).toEqual(['Raw', 'Date']);
  expect(count('List-Owner')).toEqual(['Raw', 'URLs']);
  expect(count('Return-Path')).toEqual(['Raw']);
  expect(count('List-Id')).toEqual(forms);
});

it.each([
  ['Re: [list]  Fwd: Hello\tWorld (fwd)', 'helloworld'],
  ['[a] re[2]: [b] Fw: [Fwd: [c] RE: Hi]', 'hi'],
  ['[only a tag]', '[onlyatag]'],
  ['Re:', ''],
  ['Regards: yes', 'regards:yes'],
  [null, ''],
])('RFC 8621 3: the subject %j is compared as %j', (subject, base) => {
  expect(threadSubject(subject)).toBe(base);
});

it.each([
  '<'.repeat(4000),
  '('.repeat(4000),
  '"\\'.repeat(4000),
  'a@'.repeat(4000),
  '=?utf-8?q?a?= '.repeat(1000),
  'x: '.repeat(6000),
  'Re: '.repeat(4000),
  '[a]'.repeat(4000),
  ' '.repeat(4000),
])('a hostile field of many pieces is read: number %#', (value) => {
  for (const form of ['Text', 'Addresses', 'GroupedAddresses', 'MessageIds', 'Date', 'URLs'])
    expect(() => read(`as${form}`, value)).not.toThrow();
  expect(threadSubject(value).length).toBeLessThan(2001);
});
