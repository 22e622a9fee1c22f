import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { ChangesAnswer } from '../client/answers.js';
import type { JsonMap } from '../client/json.js';
import { type Sharing, withSharing } from '../subject/sharing.js';
import type { Subject } from '../subject/subject.js';

/**
 * RFC 8620 5: a user who sees some objects of an account follows these, and hears of no others. The
 * checks of level `should` ask more than the RFC says: nothing tells of what a user can't see.
 */

const NEEDS = { methods: ['get', 'set', 'changes'], text: true, room: 5 } as const;

/** Returns what /changes names, in an order that can be compared. */
const pickNamed = ({ created, updated, destroyed }: ChangesAnswer) => ({
  created: [...created].sort(),
  updated: [...updated].sort(),
  destroyed: [...destroyed].sort(),
});

const NOTHING = { created: [], updated: [], destroyed: [] };

/** Makes, changes and destroys objects that the other user doesn't see. Returns their ids. */
async function writeHidden({ subject, accountId }: Sharing): Promise<readonly string[]> {
  const ids = await subject.make(accountId, 'hidden', 'hidden too');
  const [first = '', second = ''] = ids;
  await subject.set({ update: { [first]: { [subject.profile.text]: 'hidden still' } } });
  await subject.set({ destroy: [second] });
  return ids;
}

/** Returns the SetErrors of the other user's update and destroy of an id. */
async function tryToChange(
  { subject, accountId, client }: Sharing,
  id: string,
): Promise<readonly (JsonMap | undefined)[]> {
  const update = { [id]: { [subject.profile.text]: 'changed' } };
  const { notUpdated } = await client.set(subject.type, { accountId, update });
  const { notDestroyed } = await client.set(subject.type, { accountId, destroy: [id] });
  return [notUpdated?.[id], notDestroyed?.[id]];
}

/** Returns an id of the form of another one that no object has. */
async function takeGoneId(subject: Subject): Promise<string> {
  const id = await subject.makeOne(subject.A1, 'gone');
  await subject.set({ destroy: [id] });
  return id;
}

export const viewChecks = typeChecks('5.2', NEEDS, [
  {
    id: 'view-share-created',
    level: 'must',
    rule: 'An object that is shared with a user is created in the user’s /changes, and in /get.',
    ...withSharing(async ({ subject, sharing }) => {
      const id = await subject.makeOne(sharing.accountId, 'late');
      const state = await sharing.readState();
      await sharing.share(id);
      expect(pickNamed(await sharing.changes(state))).toEqual({ ...NOTHING, created: [id] });
      expect([...(await sharing.look()).view.keys()]).toContain(id);
    }),
  },
  {
    id: 'view-revoke-destroyed',
    level: 'must',
    rule: 'An object that a user may no longer see is destroyed in /changes, and notFound in /get.',
    ...withSharing(async ({ subject, sharing }) => {
      const id = await sharing.makeShared();
      const state = await sharing.readState();
      await sharing.revoke(id);
      expect(pickNamed(await sharing.changes(state))).toEqual({ ...NOTHING, destroyed: [id] });
      const { accountId, client } = sharing;
      const { list, notFound } = await client.get(subject.type, { accountId, ids: [id] });
      expect([list, notFound]).toEqual([[], [id]]);
    }),
  },
  {
    id: 'view-visible-changes',
    level: 'must',
    rule: 'Updates and destroys of objects that a user sees are in the user’s /changes.',
    ...withSharing(async ({ subject, sharing, door }) => {
      const id = await sharing.makeShared();
      const state = await sharing.readState();
      await subject.set({ update: { [door]: { [subject.profile.text]: 'other' } } });
      await subject.set({ destroy: [id] });
      expect(pickNamed(await sharing.changes(state))).toEqual({
        ...{ created: [], updated: [door], destroyed: [id] },
      });
    }),
  },
  {
    id: 'view-hidden-not-found',
    section: '5.1',
    level: 'must',
    rule: 'An object that a user doesn’t see is notFound, and not in the list of all objects.',
    ...withSharing(async ({ subject, sharing }) => {
      const id = await subject.makeOne(sharing.accountId, 'hidden');
      const { accountId, client } = sharing;
      const { list, notFound } = await client.get(subject.type, { accountId, ids: [id] });
      expect([list, notFound]).toEqual([[], [id]]);
      expect([...(await sharing.look()).view.keys()]).not.toContain(id);
    }),
  },
  {
    id: 'view-hidden-untold',
    level: 'should',
    rule: 'Creates, updates and destroys of objects that a user doesn’t see are in no /changes.',
    ...withSharing(async ({ sharing }) => {
      const state = await sharing.readState();
      await writeHidden(sharing);
      expect(pickNamed(await sharing.changes(state))).toEqual(NOTHING);
    }),
  },
  {
    id: 'view-hidden-state',
    section: '5.1',
    level: 'should',
    rule: 'The state of a user stays while objects change that the user doesn’t see.',
    ...withSharing(async ({ subject, sharing, door }) => {
      const state = await sharing.readState();
      await writeHidden(sharing);
      expect(await sharing.readState()).toBe(state);
      const { accountId, client } = sharing;
      // RFC 8620 5.3: nothing that the user knows of has changed.
      const update = { [door]: {} };
      const args = { accountId, ifInState: state, update };
      const { updated } = await client.set(subject.type, args);
      expect(Object.keys(updated ?? {})).toEqual([door]);
    }),
  },
  {
    id: 'view-hidden-writes',
    section: '5.3',
    level: 'should',
    rule:
      'An update or a destroy of an object that the user doesn’t see is notFound, in the same ' +
      'words as for one that is gone.',
    ...withSharing(async ({ subject, sharing }) => {
      const id = await subject.makeOne(sharing.accountId, 'hidden');
      const gone = await takeGoneId(subject);
      const [hidden, nobody] = [
        await tryToChange(sharing, id),
        await tryToChange(sharing, gone),
      ].map((errors, index) => JSON.stringify(errors).replaceAll(index === 0 ? id : gone, 'ID'));
      expect(hidden).toBe(nobody);
      expect(hidden).toContain('"notFound"');
      expect(await subject.read(id)).toMatchObject({ [subject.profile.text]: 'hidden' });
    }),
  },
]);

/** Needs a type whose queries can be followed. */
const QUERY = { methods: ['query', 'queryChanges'] } as const;

export const viewQueryChecks = typeChecks('5.5', { ...NEEDS, ...QUERY }, [
  {
    id: 'view-query-visible',
    level: 'must',
    rule: 'A query finds and counts the objects that the user sees, and no others.',
    ...withSharing(async ({ subject, sharing }) => {
      await sharing.makeShared();
      await writeHidden(sharing);
      const { accountId, client } = sharing;
      const args = { accountId, calculateTotal: true };
      const { ids, total } = await client.query(subject.type, args);
      const seen = [...(await sharing.look()).view.keys()].sort();
      expect({ ids: [...ids].sort(), total }).toEqual({ ids: seen, total: seen.length });
    }),
  },
  {
    id: 'view-query-anchor',
    level: 'must',
    rule: 'An anchor that the user doesn’t see is anchorNotFound.',
    ...withSharing(async ({ subject, sharing }) => {
      const anchor = await subject.makeOne(sharing.accountId, 'hidden');
      const { accountId, client } = sharing;
      expect(await client.call(`${subject.type}/query`, { accountId, anchor })).toEqual(
        subject.matchError('anchorNotFound'),
      );
    }),
  },
]);
