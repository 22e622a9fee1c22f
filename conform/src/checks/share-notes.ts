import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { asMap, type Item, type Json, type JsonMap } from '../client/json.js';
import { at, ID } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { findDirectory } from '../subject/directory.js';
import { NOTIFICATION, type Sharing, withSharing } from '../subject/sharing.js';

/** RFC 9670 3: what users are told of changed rights. */

const NEEDS = { methods: ['get', 'set'], room: 3 } as const;

/** Returns the rights of a map that are true, sorted; null for no map. */
const listGiven = (rights: Json | undefined): readonly string[] | null => {
  if (rights === null || rights === undefined) return null;
  const all = Object.entries(asMap(rights)).flatMap(([name, is]) => (is === true ? [name] : []));
  return all.sort();
};

/** Tells whether rights are none: null, or each of them false. */
const areNone = (rights: Json | undefined): boolean => (listGiven(rights) ?? []).length === 0;

/** Returns the newest note of an object. Throws NotApplicable where the server makes none. */
async function takeNote(sharing: Sharing, id: string, is?: (note: Item) => boolean): Promise<Item> {
  const note = (await sharing.awaitNotes(id, is)).at(-1);
  // A note should be made: the check `share-notification-made` tells.
  if (note === undefined) throw new NotApplicable('The server made no ShareNotification.');
  return note;
}

/** Returns the ids that the other user's query of notes finds. */
async function find({ directory }: Sharing, args: object): Promise<readonly string[]> {
  const { accountId, client } = directory;
  return (await client.query(NOTIFICATION, { accountId, ...args })).ids;
}

/** Returns all notes of the other user. */
async function listAll({ directory }: Sharing): Promise<readonly Item[]> {
  const { accountId, client } = directory;
  return (await client.get(NOTIFICATION, { accountId, ids: null })).list;
}

/** Expects a condition to find exactly the notes that a function says yes to. */
async function expectFound(
  sharing: Sharing,
  filter: JsonMap,
  matches: (note: Item) => boolean,
): Promise<void> {
  const wanted = (await listAll(sharing)).filter(matches).map(({ id }) => id);
  const ids = [...(await find(sharing, { filter }))].sort();
  expect({ filter, ids }).toEqual({ filter, ids: wanted.sort() });
}

const timeOf = ({ created }: Item): number => Date.parse(String(created));

export const shareNoteChecks = typeChecks(
  '3',
  NEEDS,
  [
    {
      id: 'share-notification-made',
      level: 'should',
      rule: 'A user whose rights at an object change gets a ShareNotification.',
      ...withSharing(async ({ sharing, door }) => {
        expect((await sharing.awaitNotes(door)).length).toBeGreaterThan(0);
      }),
    },
    {
      id: 'share-notification-properties',
      level: 'must',
      rule:
        'It names the object by type, account, id and name, who made the change, and the rights ' +
        'before and after it, which are those of myRights.',
      ...withSharing(async ({ subject, sharing, door }) => {
        const note = await takeNote(sharing, door);
        const { accountId, client } = sharing;
        const { list } = await client.get(subject.type, { accountId, ids: [door] });
        expect(note).toMatchObject({
          ...{ objectType: subject.type, objectAccountId: accountId, objectId: door },
        });
        expect([note.id, typeof note['name']]).toEqual([expect.stringMatching(ID), 'string']);
        expect(Number.isNaN(timeOf(note))).toBe(false);
        const { name, email, principalId } = asMap(note['changedBy'] ?? null);
        expect(typeof name).toBe('string');
        expect(email === null || typeof email === 'string').toBe(true);
        expect(principalId === null || ID.test(String(principalId))).toBe(true);
        expect(areNone(note['oldRights'])).toBe(true);
        expect(listGiven(note['newRights'])).toEqual(listGiven(list[0]?.['myRights']));
      }),
    },
    {
      id: 'share-notification-current',
      level: 'must',
      rule: 'After several changes the newest ShareNotification has the rights of now.',
      ...withSharing(async ({ sharing, door }) => {
        await takeNote(sharing, door);
        await sharing.share(door, sharing.least);
        const isCurrent = (note: Item) =>
          String(listGiven(note['newRights'])) === String(listGiven(sharing.least));
        const notes = await sharing.awaitNotes(door, isCurrent);
        expect(listGiven(at(notes, -1)['newRights'])).toEqual(listGiven(sharing.least));
        // Of notes that were put together the rights before are those of before the first one.
        const before = notes.length === 1 ? null : listGiven(at(notes, -2)['newRights']);
        const told = at(notes, -1)['oldRights'];
        expect(areNone(told) ? null : listGiven(told)).toEqual(before);
      }),
    },
    {
      id: 'share-notification-revoked',
      level: 'should',
      rule: 'A user who loses all rights at an object is told so, with its name.',
      ...withSharing(async ({ sharing, door }) => {
        const id = await sharing.makeShared('revoked');
        const first = await takeNote(sharing, id);
        const { accountId, client } = sharing.directory;
        // Otherwise the two changes may cancel each other out.
        await client.set(NOTIFICATION, { accountId, destroy: [String(first.id)] });
        await sharing.revoke(id);
        const gone = (note: Item) => note.id !== first.id && areNone(note['newRights']);
        const notes = await sharing.awaitNotes(id, gone);
        if (notes.length === 0) return;
        const newest = at(notes, -1);
        expect([areNone(newest['newRights']), newest['name']]).toEqual([true, first['name']]);
        expect(door).not.toBe(id);
      }),
    },
    {
      id: 'share-notification-not-own',
      level: 'must',
      rule: 'The user who shares an object gets no ShareNotification: its own rights stay.',
      ...withSharing(async ({ subject, sharing, door }) => {
        await sharing.awaitNotes(door);
        const { user } = subject.server;
        const own = findDirectory(user);
        if (own === null) throw new NotApplicable('The user has no principals.');
        const { accountId, client } = own;
        const { list } = await client.get(NOTIFICATION, { accountId, ids: null });
        expect(list.filter(({ objectId }) => objectId === door)).toEqual([]);
      }),
    },
    {
      id: 'share-notification-changes',
      section: '3.2',
      level: 'must',
      rule: '/changes tells a new ShareNotification as created, and a dismissed one as destroyed.',
      ...withSharing(async ({ sharing, door }) => {
        await takeNote(sharing, door);
        const { accountId, client } = sharing.directory;
        const { state } = await client.get(NOTIFICATION, { accountId, ids: [] });
        const note = await takeNote(sharing, await sharing.makeShared('told'));
        const since = await client.changes(NOTIFICATION, { accountId, sinceState: state });
        expect(since.created).toContain(note.id);
        await client.set(NOTIFICATION, { accountId, destroy: [note.id] });
        const sinceState = since.newState;
        const then = await client.changes(NOTIFICATION, { accountId, sinceState });
        expect(then.destroyed).toContain(note.id);
      }),
    },
    {
      id: 'share-notification-update-refused',
      section: '3.3',
      level: 'must',
      rule: 'An update of a ShareNotification is forbidden.',
      ...withSharing(async ({ sharing, door }) => {
        const note = await takeNote(sharing, door);
        const { accountId, client } = sharing.directory;
        const update = { [note.id]: { name: 'changed' } };
        const { updated, notUpdated } = await client.set(NOTIFICATION, { accountId, update });
        expect([updated, notUpdated?.[note.id]?.['type']]).toEqual([null, 'forbidden']);
      }),
    },
    {
      id: 'share-notification-destroy',
      section: '3.3',
      level: 'must',
      rule: 'A user dismisses a ShareNotification by a destroy: it is gone.',
      ...withSharing(async ({ sharing, door }) => {
        const { id } = await takeNote(sharing, door);
        const { accountId, client } = sharing.directory;
        const { destroyed } = await client.set(NOTIFICATION, { accountId, destroy: [id] });
        expect(destroyed).toEqual([id]);
        const { list, notFound } = await client.get(NOTIFICATION, { accountId, ids: [id] });
        expect([list, notFound]).toEqual([[], [id]]);
      }),
    },
    {
      id: 'share-notification-query',
      section: '3.4.1',
      level: 'must',
      rule:
        'A query filters by after (at that time or later), before (earlier), objectType and ' +
        'objectAccountId.',
      ...withSharing(async ({ subject, sharing, door }) => {
        await takeNote(sharing, door);
        const { created } = await takeNote(sharing, await sharing.makeShared('later'));
        const now = Date.parse(String(created));
        await expectFound(sharing, {}, () => true);
        await expectFound(sharing, { after: created ?? null }, (one) => timeOf(one) >= now);
        await expectFound(sharing, { before: created ?? null }, (one) => timeOf(one) < now);
        for (const objectType of [subject.type, 'NoSuchType'])
          await expectFound(sharing, { objectType }, (one) => one['objectType'] === objectType);
        for (const objectAccountId of [sharing.accountId, 'a-nobody'])
          await expectFound(
            sharing,
            { objectAccountId },
            (one) => one['objectAccountId'] === objectAccountId,
          );
      }),
    },
    {
      id: 'share-notification-sort',
      section: '3.4.2',
      level: 'must',
      rule: 'Notifications are sorted by created, in both directions.',
      ...withSharing(async ({ sharing, door }) => {
        await takeNote(sharing, door);
        await takeNote(sharing, await sharing.makeShared('later'));
        const times = new Map((await listAll(sharing)).map((one) => [one.id, timeOf(one)]));
        for (const isAscending of [true, false]) {
          const ids = await find(sharing, { sort: [{ property: 'created', isAscending }] });
          const found = ids.map((id) => times.get(id) ?? 0);
          const sorted = [...times.values()].sort((a, b) => (isAscending ? a - b : b - a));
          expect({ isAscending, found }).toEqual({ isAscending, found: sorted });
        }
      }),
    },
    {
      id: 'share-notification-query-changes',
      section: '3.5',
      level: 'must',
      rule: '/queryChanges adds a new ShareNotification to an old list.',
      ...withSharing(async ({ sharing, door }) => {
        await takeNote(sharing, door);
        const { accountId, client } = sharing.directory;
        const before = await client.query(NOTIFICATION, { accountId });
        if (!before.canCalculateChanges) throw new NotApplicable('Changes can’t be calculated.');
        const { id } = await takeNote(sharing, await sharing.makeShared('later'));
        const since = { accountId, sinceQueryState: before.queryState };
        const { added } = await client.queryChanges(NOTIFICATION, since);
        expect(added.map((one) => one.id)).toContain(id);
      }),
    },
  ],
  'RFC 9670',
);
