import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from './calls.js';
import type { Cards } from './contact-cards.js';
import type { Example } from './example-project.js';

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

/** RFC 9610 3.3.1: conditions, and the cards that they find. */
const CONDITIONS: readonly (readonly [filter: object, found: string])[] = [
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
];

/** Tests RFC 9610 on whatever database serves it. */
export function jmapCases(example: () => Example, cards: Cards): void {
  describe('RFC 9610', () => {
    bookCases(example, cards);
    cardCases(example, cards);
    queryCases(example, cards);
  });
}

/** 1.4 and 2: the session, and address books. */
function bookCases(example: () => Example, cards: Cards): void {
  it('RFC 9610 1.4.1: the session has the capability, and the account its members', async () => {
    const { client, accountId } = example();
    const session: Answer = await client.session();
    const name = 'urn:ietf:params:jmap:contacts';
    expect(session.capabilities[name]).toEqual({});
    const limits = { maxAddressBooksPerCard: 100, mayCreateAddressBook: true };
    expect(session.accounts[accountId].accountCapabilities[name]).toEqual(limits);
  });

  it('RFC 9610 2: a book has its defaults, and the rights of its owner', async () => {
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

  it('RFC 9610 4.1: stores and returns the card unchanged', async () => {
    const id = await example().storesUnchanged('ContactCard', cards.build(JOE));
    expect(await example().destroy('ContactCard', id)).toBeUndefined();
  });

  it('RFC 9610 2: a name has 255 octets at most', async () => {
    const { update } = example();
    expect(await update('AddressBook', cards.home, { name: 'é'.repeat(128) })).toMatchObject({
      properties: ['name'],
    });
    expect(await update('AddressBook', cards.home, { name: `${'é'.repeat(127)}e` })).toBeNull();
  });

  it('RFC 9610 2.3: a book with cards stays, or takes along cards in no other book', async () => {
    const { create, read, call } = example();
    const { id: book } = await create('AddressBook', { name: 'Work' });
    const { id: lone } = await create(
      'ContactCard',
      cards.build({ addressBookIds: { [book]: true } }),
    );
    const both = { addressBookIds: { [book]: true, [cards.home]: true } };
    const { id: shared } = await create('ContactCard', cards.build(both));
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
    expect((await read('ContactCard', shared)).addressBookIds).toEqual({ [cards.home]: true });
  });

  it('RFC 9610 2.3: a call without errors makes another book the default', async () => {
    const { create, call } = example();
    const set = (args: object): Promise<Answer> => call('AddressBook/set', args);
    const { id: other } = await create('AddressBook', { name: 'Autosaved' });
    const changed = await set({ onSuccessSetIsDefault: other });
    expect(changed.updated).toEqual({
      [other]: { isDefault: true },
      [cards.home]: { isDefault: false },
    });
    expect(changed.newState).not.toBe(changed.oldState);
    expect(await cards.listDefaults()).toEqual([other]);
    // An unknown id, and a call that refused something, change nothing.
    expect((await set({ onSuccessSetIsDefault: 'nobody' })).updated).toBeNull();
    const refused = await set({ onSuccessSetIsDefault: cards.home, create: { k: { name: '' } } });
    expect(refused).toMatchObject({ updated: null, notCreated: { k: { properties: ['name'] } } });
    const made = await set({ onSuccessSetIsDefault: '#k', create: { k: { name: 'New' } } });
    expect(made.created.k.isDefault).toBe(true);
    expect(made.updated).toEqual({ [other]: { isDefault: false } });
    // Without a default the first book is.
    const ended = await set({ destroy: [made.created.k.id, other] });
    expect(ended.updated).toEqual({ [cards.home]: { isDefault: true } });
  });
}

/** 3: cards in books, and their media. */
function cardCases(example: () => Example, cards: Cards): void {
  it('RFC 9610 3: a card has a book and a uid of its own', async () => {
    const { create } = example();
    const uid = crypto.randomUUID();
    const { id } = await create('ContactCard', cards.build({ uid }));
    expect(await cards.refusal({ uid })).toMatchObject({ type: 'alreadyExists', existingId: id });
    expect(await cards.refusal({ addressBookIds: {} })).toMatchObject({
      properties: ['addressBookIds'],
    });
    expect(await cards.refusal({ uid: undefined })).toMatchObject({ properties: ['uid'] });
  });

  it('RFC 9610 3: data within a URI become a blob, and a blob has its media type', async () => {
    const { create, read, call, client, accountId } = example();
    const { blobId } = await client.upload(accountId, 'a song', 'audio/ogg');
    const uri = `data:image/png;base64,${Buffer.from('a photo').toString('base64')}`;
    const media = {
      a: { kind: 'photo', uri, pref: 1 },
      b: { kind: 'sound', blobId },
      c: { kind: 'logo', uri: 'data:image/svg+xml;x=y,%3Csvg/%3E' },
      d: { kind: 'logo', uri: 'data:image/png;base64,!' },
    };
    const told = await create('ContactCard', cards.build({ media }));
    const photo = { kind: 'photo', mediaType: 'image/png', pref: 1 };
    const stored = {
      a: { ...photo, blobId: expect.any(String) },
      b: { kind: 'sound', mediaType: 'audio/ogg', blobId },
      c: { kind: 'logo', mediaType: 'image/svg+xml', blobId: expect.any(String) },
      d: media.d,
    };
    expect(told.media).toEqual(stored);
    const card = await read('ContactCard', told.id);
    expect(card.media).toEqual(stored);
    const { list } = await call('Blob/get', { ids: [card.media.a.blobId] });
    expect(list[0]['data:asText']).toBe('a photo');
    const logo = await call('Blob/get', { ids: [card.media.c.blobId] });
    expect(logo.list[0]['data:asText']).toBe('<svg/>');
  });

  it('RFC 9610 3.5: a photo is an image', async () => {
    const { client, accountId } = example();
    const { blobId } = await client.upload(accountId, 'a text', 'text/plain');
    const picture = await client.upload(accountId, 'a picture', 'image/png');
    for (const photo of [
      { blobId },
      { blobId: picture.blobId, mediaType: 'text/plain' },
      { uri: 'data:text/plain;base64,YQ==' },
      { uri: 'data:,a' },
    ])
      expect(await cards.refusal({ media: { a: { kind: 'photo', ...photo } } })).toMatchObject({
        properties: ['media'],
        description: expect.stringContaining('text/plain'),
      });
  });
}

/** RFC 9610 3.3: each condition and sort. */
function queryCases(example: () => Example, cards: Cards): void {
  let joe: string;
  let ann: string;

  beforeAll(async () => {
    ({ id: joe } = await cards.create({
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
    ({ id: ann } = await cards.create({
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

  it.each(CONDITIONS)('RFC 9610 3.3.1: %j finds "%s"', async (filter, found) => {
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
  ])('RFC 9610 3.3.2: the order by %s', async (property, isJoeFirst) => {
    const filter = { operator: 'OR', conditions: [{ uid: 'joe' }, { uid: 'ann' }] };
    const ids = await example().ids('ContactCard', { filter, sort: [{ property }] });
    expect(ids).toEqual(isJoeFirst ? [joe, ann] : [ann, joe]);
  });
}
