import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../support/poll.js';
import type { Answer } from './calls.js';
import type { Example } from './example-project.js';

/** The figures of RFC 9553: each is a card, or members of one. */
const FIGURES = parse(readFileSync(new URL('./rfc9553.yaml', import.meta.url), 'utf8')) as Readonly<
  Record<string, object>
>;

/** The figure that has members of a name. */
const OF_A_NAME = '18';

/** RFC 9610 4.1. */
const JOE = {
  name: {
    components: [
      { kind: 'given', value: 'Joe' },
      { kind: 'surname', value: 'Bloggs' },
    ],
    isOrdered: true,
  },
  emails: { '0': { contexts: { private: true }, address: 'joe.bloggs@example.com' } },
};

/** RFC 9610 4.1: what the owner of a book may do that nobody shares. */
const RIGHTS = { mayRead: true, mayWrite: true, mayShare: false, mayDelete: true };

/** Tests what examples/contacts is about, on whatever database serves it. */
export function contactCases(example: () => Example): void {
  let home: string;

  const cardOf = (members: object): object => ({
    '@type': 'Card',
    version: '1.0',
    uid: crypto.randomUUID(),
    addressBookIds: { [home]: true },
    ...members,
  });
  const refusal = async (members: object): Promise<Answer> => {
    const answer = await example().call('ContactCard/set', { create: { k: cardOf(members) } });
    return answer.notCreated?.k;
  };
  const defaults = async (): Promise<readonly string[]> => {
    const { list } = await example().call('AddressBook/get', { ids: null });
    return list.flatMap((book: Answer) => (book.isDefault ? [book.id] : []));
  };

  beforeAll(async () => {
    // Each account begins with a book, soon after it comes to be.
    [home] = (await eventually(async () => {
      const found = await defaults();
      expect(found).toHaveLength(1);
      return found;
    })) as [string];
  });

  it.each(Object.entries(FIGURES))(
    'figure %s of RFC 9553 is stored and returned unchanged',
    async (number, figure) => {
      const members = number === OF_A_NAME ? { name: figure } : figure;
      const id = await example().storesUnchanged('ContactCard', cardOf(members));
      expect(await example().destroy('ContactCard', id)).toBeUndefined();
    },
  );

  it('patches a card entry by entry', async () => {
    const { create, update, read } = example();
    const emails = { e1: { address: 'ada@example.com', contexts: { work: true }, pref: 1 } };
    const { id } = await create('ContactCard', cardOf({ emails, name: { full: 'Ada' } }));
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
    const card = cardOf({
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

  it.each<[rule: string, property: string, members: object]>([
    ['1.3.4: the type of an object', 'name', { name: { '@type': 'name', full: 'A' } }],
    ['1.5.2: the range of pref', 'emails', { emails: { a: { address: 'a@b.example', pref: 0 } } }],
    ['1.7.1: case of a property', 'Kind', { Kind: 'group' }],
    ['1.7.1: case within an object', 'phones', { phones: { p: { number: '1', Pref: 1 } } }],
    ['1.7.2: a reserved property', 'extra', { extra: 1 }],
    ['1.7.4: an enumerated value', 'kind', { kind: 'Individual' }],
    ['1.8.1: a name of nobody', 'a b', { 'a b': 1 }],
    ['2.1.2: the version', 'version', { version: '0.9' }],
    ['2.1.6: members of no group', 'members', { kind: 'org', members: { u: true } }],
    ['2.1.6: the value of a set', 'keywords', { keywords: { a: false } }],
    ['2.2.1: an empty name', 'name', { name: {} }],
    ['2.2.1: separators alone', 'name', { name: nameOf(true, 'separator') }],
    ['2.2.1: a separator without order', 'name', { name: nameOf(false, 'given', 'separator') }],
    [
      '2.2.1: two separators',
      'name',
      { name: nameOf(true, 'given', 'separator', 'separator', 'surname') },
    ],
    [
      '2.2.1: sortAs of no component',
      'name',
      { name: { ...nameOf(true, 'given'), sortAs: { surname: 'A' } } },
    ],
    ['2.2.3: an organization without name', 'organizations', { organizations: { o: {} } }],
    ['2.2.4: no way to speak', 'speakToAs', { speakToAs: { '@type': 'SpeakToAs' } }],
    ['2.3.1: no address', 'emails', { emails: { a: { address: 'Ann <a@b.example>' } } }],
    [
      '2.3.2: a service without user',
      'onlineServices',
      { onlineServices: { a: { service: 'X' } } },
    ],
    ['2.3.4: no language', 'preferredLanguages', { preferredLanguages: { a: { language: '?' } } }],
    ['2.4.1: the kind of a calendar', 'calendars', { calendars: { a: { uri: 'a:b' } } }],
    ['2.5.1: an empty address', 'addresses', { addresses: { a: { isOrdered: true } } }],
    ['2.5.1: the country', 'addresses', { addresses: { a: { countryCode: 'USA' } } }],
    ['2.5.1: the time zone', 'addresses', { addresses: { a: { timeZone: 'Mars/Base' } } }],
    [
      '2.6.2: listAs',
      'directories',
      { directories: { a: { kind: 'entry', uri: 'a:b', listAs: 0 } } },
    ],
    ['2.6.4: neither uri nor blob', 'media', { media: { a: { kind: 'logo' } } }],
    ['2.7.1: no language', 'localizations', { localizations: { '?': {} } }],
    [
      '2.7.1: a patch of patches',
      'localizations',
      { localizations: { de: { localizations: {} } } },
    ],
    [
      '2.7.1: a path to nowhere',
      'localizations',
      { localizations: { de: { 'titles/t/name': 'A' } } },
    ],
    [
      '2.7.1: a card that is wrong',
      'localizations',
      { localizations: { de: { name: { isOrdered: true } } } },
    ],
    ['2.8.1: a day without month', 'anniversaries', { anniversaries: { a: birth({ day: 1 }) } }],
    ['2.8.1: a month alone', 'anniversaries', { anniversaries: { a: birth({ month: 1 }) } }],
    [
      '2.8.1: no such day',
      'anniversaries',
      { anniversaries: { a: birth({ year: 2023, month: 2, day: 29 }) } },
    ],
    ['2.8.1: a moment', 'anniversaries', { anniversaries: { a: birth({ '@type': 'Timestamp' }) } }],
    ['2.8.3: an author who says nothing', 'notes', { notes: { a: { note: 'A', author: {} } } }],
  ])('RFC 9553 %s is refused', async (_rule, property, members) => {
    expect(await refusal(members)).toMatchObject({
      type: 'invalidProperties',
      properties: [property],
      description: expect.stringContaining(property),
    });
  });

  describe('RFC 9610', () => {
    it('1.4.1: the session has the capability, and the account its members', async () => {
      const { client, accountId } = example();
      const session: Answer = await client.session();
      const name = 'urn:ietf:params:jmap:contacts';
      expect(session.capabilities[name]).toEqual({});
      const limits = { maxAddressBooksPerCard: 100, mayCreateAddressBook: true };
      expect(session.accounts[accountId].accountCapabilities[name]).toEqual(limits);
    });

    it('2: a book has its defaults, and the rights of its owner', async () => {
      const { create, read, destroy } = example();
      const { id, ...told } = await create('AddressBook', { name: 'Autosaved', sortOrder: 1 });
      const unset = { description: null, isDefault: false, isSubscribed: true };
      expect(told).toEqual(unset);
      expect(await read('AddressBook', id)).toEqual({
        ...{ id, name: 'Autosaved', sortOrder: 1, ...unset },
        ...{ shareWith: null, myRights: RIGHTS },
      });
      expect(await destroy('AddressBook', id)).toBeUndefined();
    });

    it('2: a name has 255 octets at most', async () => {
      const { update } = example();
      expect(await update('AddressBook', home, { name: 'é'.repeat(128) })).toMatchObject({
        properties: ['name'],
      });
      expect(await update('AddressBook', home, { name: `${'é'.repeat(127)}e` })).toBeNull();
    });

    it('2.3: a book with cards stays, or takes the cards along that are in no other', async () => {
      const { create, read, call } = example();
      const { id: book } = await create('AddressBook', { name: 'Work' });
      const { id: lone } = await create(
        'ContactCard',
        cardOf({ addressBookIds: { [book]: true } }),
      );
      const both = { addressBookIds: { [book]: true, [home]: true } };
      const { id: shared } = await create('ContactCard', cardOf(both));
      const kept = await call('AddressBook/set', { destroy: [book] });
      expect(kept.notDestroyed[book].type).toBe('addressBookHasContents');
      const { state } = await call('ContactCard/get', { ids: [] });
      const gone = await call('AddressBook/set', {
        destroy: [book],
        onDestroyRemoveContents: true,
      });
      expect(gone).toMatchObject({ destroyed: [book], notDestroyed: null });
      expect(await call('ContactCard/changes', { sinceState: state })).toMatchObject({
        updated: [shared],
        destroyed: [lone],
      });
      expect((await read('ContactCard', shared)).addressBookIds).toEqual({ [home]: true });
    });

    it('2.3 and 4.2: a call without errors makes another book the default', async () => {
      const { create, call } = example();
      const set = (args: object): Promise<Answer> => call('AddressBook/set', args);
      const { id: other } = await create('AddressBook', { name: 'Autosaved' });
      const changed = await set({ onSuccessSetIsDefault: other });
      expect(changed.updated).toEqual({
        [other]: { isDefault: true },
        [home]: { isDefault: false },
      });
      expect(changed.newState).not.toBe(changed.oldState);
      expect(await defaults()).toEqual([other]);
      // What isn't there, and a call that refused something, change nothing.
      expect((await set({ onSuccessSetIsDefault: 'nobody' })).updated).toBeNull();
      const refused = await set({ onSuccessSetIsDefault: home, create: { k: { name: '' } } });
      expect(refused).toMatchObject({ updated: null, notCreated: { k: { properties: ['name'] } } });
      const made = await set({ onSuccessSetIsDefault: '#k', create: { k: { name: 'New' } } });
      expect(made.created.k.isDefault).toBe(true);
      expect(made.updated).toEqual({ [other]: { isDefault: false } });
      // Without a default the first book is.
      const ended = await set({ destroy: [made.created.k.id, other] });
      expect(ended.updated).toEqual({ [home]: { isDefault: true } });
    });

    it('3: a card has a book and a uid of its own', async () => {
      const { create } = example();
      const uid = crypto.randomUUID();
      const { id } = await create('ContactCard', cardOf({ uid }));
      expect(await refusal({ uid })).toMatchObject({ type: 'alreadyExists', existingId: id });
      expect(await refusal({ addressBookIds: {} })).toMatchObject({
        properties: ['addressBookIds'],
      });
      expect(await refusal({ uid: undefined })).toMatchObject({ properties: ['uid'] });
    });

    it('3: data within a URI become a blob, and a blob has its media type', async () => {
      const { create, read, call, client, accountId } = example();
      const { blobId } = await client.upload(accountId, 'a song', 'audio/ogg');
      const uri = `data:image/png;base64,${Buffer.from('a photo').toString('base64')}`;
      const media = { a: { kind: 'photo', uri, pref: 1 }, b: { kind: 'sound', blobId } };
      const told = await create('ContactCard', cardOf({ media }));
      const photo = { kind: 'photo', mediaType: 'image/png', pref: 1 };
      const stored = {
        a: { ...photo, blobId: expect.any(String) },
        b: { kind: 'sound', mediaType: 'audio/ogg', blobId },
      };
      expect(told.media).toEqual(stored);
      const card = await read('ContactCard', told.id);
      expect(card.media).toEqual(stored);
      const { list } = await call('Blob/get', { ids: [card.media.a.blobId] });
      expect(list[0]['data:asText']).toBe('a photo');
    });

    it('3.5: a photo is an image', async () => {
      const { client, accountId } = example();
      const { blobId } = await client.upload(accountId, 'a text', 'text/plain');
      for (const photo of [{ blobId }, { uri: 'data:text/plain;base64,YQ==' }])
        expect(await refusal({ media: { a: { kind: 'photo', ...photo } } })).toMatchObject({
          properties: ['media'],
          description: expect.stringContaining('text/plain'),
        });
    });

    queryCases(example, (members) => example().create('ContactCard', cardOf(members)));
  });
}

/** RFC 9610 3.3: each condition and sort. */
function queryCases(example: () => Example, create: (members: object) => Promise<Answer>): void {
  let joe: string;
  let ann: string;

  beforeAll(async () => {
    ({ id: joe } = await create({
      ...JOE,
      uid: 'joe',
      kind: 'individual',
      created: '2020-01-01T00:00:00Z',
      updated: '2021-01-01T00:00:00Z',
      nicknames: { a: { name: 'Joey' } },
      organizations: { a: { name: 'Acme Tools', units: [{ name: 'Sales' }] } },
      phones: { a: { number: 'tel:+1-555', label: 'Boat' } },
      onlineServices: { a: { service: 'Mastodon', uri: 'https://social.example/@joe' } },
      addresses: { a: { components: [{ kind: 'locality', value: 'Reston' }], full: 'Oak St' } },
      notes: { a: { note: 'Plays the tuba on Sundays.' } },
      titles: { a: { name: 'Plumber' } },
    }));
    ({ id: ann } = await create({
      uid: 'ann',
      kind: 'group',
      created: '2020-02-01T00:00:00Z',
      updated: '2020-12-01T00:00:00Z',
      members: { joe: true },
      name: {
        full: "Ann Joe O'Brien van Gogh",
        components: [
          { kind: 'surname2', value: 'Zed' },
          { kind: 'given', value: 'Ann' },
          { kind: 'given', value: 'Joe' },
          { kind: 'surname', value: "O'Brien" },
        ],
      },
    }));
  });

  it.each<[filter: object, found: string]>([
    [{ uid: 'joe' }, 'joe'],
    [{ uid: 'Joe' }, ''],
    [{ hasMember: 'joe' }, 'ann'],
    [{ kind: 'group' }, 'ann'],
    [{ createdBefore: '2020-02-01T00:00:00Z' }, 'joe'],
    [{ createdAfter: '2020-02-01T00:00:00Z' }, 'ann'],
    [{ updatedBefore: '2021-01-01T00:00:00Z' }, 'ann'],
    [{ updatedAfter: '2021-01-01T00:00:00Z' }, 'joe'],
    [{ text: 'plumber bloggs' }, 'joe'],
    [{ text: 'tuba social.example Sales' }, 'joe'],
    [{ name: 'JOE' }, 'joe,ann'],
    [{ name: '"van gogh"' }, 'ann'],
    [{ name: '"ann gogh"' }, ''],
    [{ name: "o'brien" }, 'ann'],
    [{ 'name/given': 'joe' }, 'joe,ann'],
    [{ 'name/given': 'bloggs' }, ''],
    [{ 'name/surname': 'blog' }, 'joe'],
    [{ 'name/surname2': 'zed' }, 'ann'],
    [{ nickname: 'joey' }, 'joe'],
    [{ organization: 'tools' }, 'joe'],
    [{ email: 'joe.bloggs@EXAMPLE' }, 'joe'],
    [{ phone: '555 boat' }, 'joe'],
    [{ onlineService: 'mastodon social.example' }, 'joe'],
    [{ address: 'reston "oak st"' }, 'joe'],
    [{ note: '"tuba on sundays"' }, 'joe'],
  ])('3.3.1: %j finds "%s"', async (filter, found) => {
    const names = new Map([
      [joe, 'joe'],
      [ann, 'ann'],
    ]);
    const sort = [{ property: 'created' }];
    const ids = await example().ids('ContactCard', { filter, sort });
    expect(ids.flatMap((id) => names.get(id) ?? []).join()).toBe(found);
  });

  it.each([
    ['created', true],
    ['updated', false],
    ['name/given', false],
    ['name/surname', true],
    ['name/surname2', true],
  ])('3.3.2: the order by %s', async (property, isJoeFirst) => {
    const filter = { operator: 'OR', conditions: [{ uid: 'joe' }, { uid: 'ann' }] };
    const ids = await example().ids('ContactCard', { filter, sort: [{ property }] });
    expect(ids).toEqual(isJoeFirst ? [joe, ann] : [ann, joe]);
  });
}

/** A name of components of these kinds. */
function nameOf(isOrdered: boolean, ...kinds: readonly string[]): object {
  return { isOrdered, components: kinds.map((kind) => ({ kind, value: kind })) };
}

function birth(date: object): object {
  return { kind: 'birth', date };
}
