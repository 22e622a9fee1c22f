import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { Cards } from './contact-cards.js';
import { jmapCases } from './contacts-jmap-cases.js';
import type { Example } from './example-project.js';

/** The figures of RFC 9553: each is a card, or members of one. */
const FIGURES = parse(readFileSync(new URL('./rfc9553.yaml', import.meta.url), 'utf8')) as Readonly<
  Record<string, object>
>;

/** The figure that has members of a name. */
const OF_A_NAME = '18';

/** Cards that RFC 9553 forbids: the part of the RFC, the refused property, members. */
const WRONG: readonly (readonly [rule: string, property: string, members: object])[] = [
  ['RFC 9553 1.3.4: the type of an object', 'name', { name: { '@type': 'name', full: 'A' } }],
  [
    'RFC 9553 1.5.2: the range of pref',
    'emails',
    { emails: { a: { address: 'a@b.example', pref: 0 } } },
  ],
  ['RFC 9553 1.7.1: case of a property', 'Kind', { Kind: 'group' }],
  ['RFC 9553 1.7.1: case within an object', 'phones', { phones: { p: { number: '1', Pref: 1 } } }],
  ['RFC 9553 1.7.2: a reserved property', 'extra', { extra: 1 }],
  ['RFC 9553 1.7.4: an enumerated value', 'kind', { kind: 'Individual' }],
  ['RFC 9553 1.8.1: a name of nobody', 'a b', { 'a b': 1 }],
  ['RFC 9553 2.1.2: the version', 'version', { version: '0.9' }],
  ['RFC 9553 2.1.6: members of no group', 'members', { kind: 'org', members: { u: true } }],
  ['RFC 9553 2.1.6: the value of a set', 'keywords', { keywords: { a: false } }],
  ['RFC 9553 2.2.1: an empty name', 'name', { name: {} }],
  ['RFC 9553 2.2.1: separators alone', 'name', { name: nameOf(true, 'separator') }],
  [
    'RFC 9553 2.2.1: a separator without order',
    'name',
    { name: nameOf(false, 'given', 'separator') },
  ],
  [
    'RFC 9553 2.2.1: two separators',
    'name',
    { name: nameOf(true, 'given', 'separator', 'separator', 'surname') },
  ],
  [
    'RFC 9553 2.2.1: sortAs of no component',
    'name',
    { name: { ...nameOf(true, 'given'), sortAs: { surname: 'A' } } },
  ],
  ['RFC 9553 2.2.3: an organization without name', 'organizations', { organizations: { o: {} } }],
  ['RFC 9553 2.2.4: no way to speak', 'speakToAs', { speakToAs: { '@type': 'SpeakToAs' } }],
  ['RFC 9553 2.3.1: no address', 'emails', { emails: { a: { address: 'Ann <a@b.example>' } } }],
  [
    'RFC 9553 2.3.2: a service without user',
    'onlineServices',
    { onlineServices: { a: { service: 'X' } } },
  ],
  [
    'RFC 9553 2.3.4: no language',
    'preferredLanguages',
    { preferredLanguages: { a: { language: '?' } } },
  ],
  ['RFC 9553 2.4.1: the kind of a calendar', 'calendars', { calendars: { a: { uri: 'a:b' } } }],
  ['RFC 9553 2.5.1: an empty address', 'addresses', { addresses: { a: { isOrdered: true } } }],
  ['RFC 9553 2.5.1: the country', 'addresses', { addresses: { a: { countryCode: 'USA' } } }],
  ['RFC 9553 2.5.1: the time zone', 'addresses', { addresses: { a: { timeZone: 'Mars/Base' } } }],
  [
    'RFC 9553 2.6.2: listAs',
    'directories',
    { directories: { a: { kind: 'entry', uri: 'a:b', listAs: 0 } } },
  ],
  ['RFC 9553 2.6.4: neither uri nor blob', 'media', { media: { a: { kind: 'logo' } } }],
  ['RFC 9553 2.7.1: no language', 'localizations', { localizations: { '?': {} } }],
  [
    'RFC 9553 2.7.1: a patch of patches',
    'localizations',
    { localizations: { de: { localizations: {} } } },
  ],
  [
    'RFC 9553 2.7.1: a path to nowhere',
    'localizations',
    { localizations: { de: { 'titles/t/name': 'A' } } },
  ],
  [
    'RFC 9553 2.7.1: a card that is wrong',
    'localizations',
    { localizations: { de: { name: { isOrdered: true } } } },
  ],
  [
    'RFC 9553 2.8.1: a day without month',
    'anniversaries',
    { anniversaries: { a: birth({ day: 1 }) } },
  ],
  ['RFC 9553 2.8.1: a month alone', 'anniversaries', { anniversaries: { a: birth({ month: 1 }) } }],
  [
    'RFC 9553 2.8.1: no such day',
    'anniversaries',
    { anniversaries: { a: birth({ year: 2023, month: 2, day: 29 }) } },
  ],
  [
    'RFC 9553 2.8.1: a moment',
    'anniversaries',
    { anniversaries: { a: birth({ '@type': 'Timestamp' }) } },
  ],
  [
    'RFC 9553 2.8.3: an author who says nothing',
    'notes',
    { notes: { a: { note: 'A', author: {} } } },
  ],
];

/** Tests what examples/contacts is about, on whatever database serves it. */
export function contactCases(example: () => Example): void {
  const cards = new Cards(example);

  it.each(Object.entries(FIGURES))(
    'figure %s of RFC 9553 is stored and returned unchanged',
    async (number, figure) => {
      const members = number === OF_A_NAME ? { name: figure } : figure;
      const id = await example().storesUnchanged('ContactCard', cards.build(members));
      expect(await example().destroy('ContactCard', id)).toBeUndefined();
    },
  );

  it('a refusal names a property whose name has a slash', async () => {
    expect(await cards.refusal({ 'a/b~c': 1 })).toMatchObject({
      type: 'invalidProperties',
      properties: ['a/b~c'],
      description: expect.stringContaining('a~1b~0c'),
    });
  });

  it.each(WRONG)('RFC 9553 %s is refused', async (_rule, property, members) => {
    expect(await cards.refusal(members)).toMatchObject({
      type: 'invalidProperties',
      properties: [property],
      description: expect.stringContaining(property),
    });
  });

  changeCases(example, cards);
  jmapCases(example, cards);
}

/** Patches, and members that nobody declares. */
function changeCases(example: () => Example, cards: Cards): void {
  it('patches a card entry by entry', async () => {
    const { create, update, read } = example();
    const emails = { e1: { address: 'ada@example.com', contexts: { work: true }, pref: 1 } };
    const { id } = await create('ContactCard', cards.build({ emails, name: { full: 'Ada' } }));
    const patch = {
      'emails/e1/contexts/private': true,
      'emails/e1/pref': null,
      'emails/e2': { address: 'a@example.org' },
      'name/full': 'Ada Lovelace',
    };
    expect(await update('ContactCard', id, patch)).toBeNull();
    const both = { work: true, private: true };
    expect(await read('ContactCard', id)).toMatchObject({
      emails: {
        e1: { address: 'ada@example.com', contexts: both },
        e2: { address: 'a@example.org' },
      },
      name: { full: 'Ada Lovelace' },
    });
    for (const [path, value, type] of [
      ['emails/e1/pref', 101, 'invalidProperties'],
      ['emails/e1/contexts/pub', true, 'invalidProperties'],
      ['emails/e1/address', null, 'invalidProperties'],
      ['name/full', null, 'invalidProperties'],
      ['phones/p1/number', '1', 'invalidPatch'],
    ] as const)
      expect(await update('ContactCard', id, { [path]: value }), path).toMatchObject({ type });
  });

  it('keeps extensions of vendors and members of later versions in every object', async () => {
    const extensions = { 'example.com:x': [null, { Extra: 1 }], laterVersion: { uID: true } };
    const card = cards.build({
      ...extensions,
      kind: 'example.com:robot',
      name: { full: 'A', components: [{ kind: 'given', value: 'A', ...extensions }] },
      anniversaries: {
        a: { kind: 'birth', date: { '@type': 'PartialDate', year: 33, ...extensions } },
      },
      phones: { p: { number: '1', features: { 'example.com:fax2': true }, ...extensions } },
    });
    await example().storesUnchanged('ContactCard', card);
  });
}

/** A name of components of these kinds. */
function nameOf(isOrdered: boolean, ...kinds: readonly string[]): object {
  return { isOrdered, components: kinds.map((kind) => ({ kind, value: kind })) };
}

function birth(date: object): object {
  return { kind: 'birth', date };
}
