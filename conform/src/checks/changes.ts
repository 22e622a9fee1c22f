import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { ChangesAnswer } from '../client/answers.js';
import { anyString, sameMembers } from '../expected.js';
import { matchAnyError } from '../subject/limits.js';
import { listIds } from '../subject/queries.js';
import type { Subject } from '../subject/subject.js';
import { UnexpectedError } from '../unexpected.js';

/** RFC 8620 5.2: /changes. */

/** Calls /changes in the first account from a state. Throws where the server refuses it. */
export const callChanges = (
  subject: Subject,
  sinceState: string,
  more: object = {},
): Promise<ChangesAnswer> =>
  subject.client.changes(subject.type, { accountId: subject.A1, sinceState, ...more });

/** Gives an object of the first account another text. */
export const update = (subject: Subject, id: string, value: string) =>
  subject.set({ update: { [id]: { [subject.profile.text]: value } } });

/**
 * Follows hasMoreChanges to the end and returns each page. Throws UnexpectedError after 200 pages,
 * where a client would ask for ever.
 */
export async function followPages(
  subject: Subject,
  sinceState: string,
  maxChanges: number | null,
): Promise<readonly ChangesAnswer[]> {
  const all: ChangesAnswer[] = [];
  for (let state = sinceState; all.length < 200; ) {
    const page = await callChanges(subject, state, { maxChanges });
    expect(page.oldState).toBe(state);
    if (maxChanges !== null) expect(listIds(page).length).toBeLessThanOrEqual(maxChanges);
    all.push(page);
    if (!page.hasMoreChanges) return all;
    // A client that is sent on from where it stands would ask for ever.
    expect(page.newState).not.toBe(state);
    state = page.newState;
  }
  throw new UnexpectedError('/changes has more after 200 pages.');
}

export const changesChecks = typeChecks('5.2', { methods: ['get', 'set', 'changes'], text: true }, [
  {
    id: 'changes-none',
    level: 'must',
    rule:
      'Without a change since sinceState, oldState is sinceState, the three lists are empty and ' +
      'hasMoreChanges is false.',
    async run(subject) {
      const state = await subject.readState(subject.A1);
      expect(await callChanges(subject, state)).toMatchObject({
        accountId: subject.A1,
        oldState: state,
        // That states stay where nothing changes is a SHOULD (5.1).
        newState: anyString,
        hasMoreChanges: false,
        created: [],
        updated: [],
        destroyed: [],
      });
    },
  },
  {
    id: 'changes-kinds',
    level: 'must',
    rule:
      'Ids of objects created, updated and destroyed since sinceState are each in the list of ' +
      'their kind. The client has newState once it has applied them. Where a page has ' +
      'updatedProperties (RFC 8621 2.2), it is null or names all that changed in updated.',
    needs: { room: 3 },
    /**
     * Follows all pages: RFC 8620 5.2 lets a server give fewer changes at once than there are, even
     * where no maxChanges is given.
     */
    async run(subject) {
      const [updated = '', destroyed = ''] = await subject.make(subject.A1, 'a', 'b');
      const state = await subject.readState(subject.A1);
      const created = await subject.makeOne(subject.A1);
      await update(subject, updated, 'changed');
      await subject.set({ destroy: [destroyed] });
      // How many come at once is the server's affair, where nothing is said and where something is.
      const all = await followPages(subject, state, null);
      for (const page of all) {
        expect(page.accountId).toBe(subject.A1);
        const { updatedProperties = null } = page;
        if (updatedProperties === null || page.updated.length === 0) continue;
        expect(updatedProperties).toContain(subject.profile.text);
      }
      expect({
        newState: all.at(-1)?.newState,
        created: all.flatMap((page) => page.created),
        updated: all.flatMap((page) => page.updated),
        destroyed: all.flatMap((page) => page.destroyed),
      }).toEqual({
        newState: await subject.readState(subject.A1),
        created: [created],
        updated: [updated],
        destroyed: [destroyed],
      });
    },
  },
  {
    id: 'changes-merged',
    level: 'should',
    rule:
      'An object that changed several times is told once: created and updated as created, ' +
      'updated and destroyed as destroyed, created and destroyed not at all.',
    needs: { room: 3 },
    /**
     * Makes every pair of changes: create and update, update and destroy, create and destroy. RFC
     * 8620 5.2 asks for the merging with a SHOULD.
     */
    async run(subject) {
      const [kept = ''] = await subject.make(subject.A1, 'a');
      const state = await subject.readState(subject.A1);
      const gone = await subject.makeOne(subject.A1);
      const updated = await subject.makeOne(subject.A1);
      await update(subject, updated, 'created, then updated');
      await update(subject, kept, 'updated');
      await subject.set({ destroy: [kept] });
      await update(subject, gone, 'updated');
      await subject.set({ destroy: [gone] });
      const answer = await callChanges(subject, state);
      expect([answer.created, answer.updated, answer.destroyed]).toEqual([[updated], [], [kept]]);
    },
  },
  {
    id: 'changes-max-changes-invalid',
    level: 'must',
    rule:
      'A maxChanges that is no integer above 0 is invalidArguments; null is as if it were left ' +
      'out.',
    async run(subject) {
      const sinceState = await subject.readState(subject.A1);
      for (const maxChanges of [0, -1, 1.5, '3', true, []]) {
        const args = { accountId: subject.A1, sinceState, maxChanges };
        expect(await subject.client.call(`${subject.type}/changes`, args)).toEqual(
          subject.matchError('invalidArguments', 'maxChanges'),
        );
      }
      const all = await callChanges(subject, sinceState);
      expect(await callChanges(subject, sinceState, { maxChanges: null })).toEqual(all);
      expect(await callChanges(subject, sinceState, { maxChanges: 2 ** 53 - 1 })).toEqual(all);
    },
  },
  {
    id: 'changes-pages',
    level: 'must',
    rule:
      'A page has at most maxChanges ids over its three lists; asked again from its newState ' +
      'while hasMoreChanges, the client gets every change and arrives at the current state.',
    needs: { room: 7 },
    async run(subject) {
      const start = await subject.readState(subject.A1);
      const ids = await subject.make(subject.A1, ...'abcdefg');
      const all = await followPages(subject, start, 3);
      expect(all.flatMap(listIds)).toEqual(sameMembers(ids));
      expect(all.at(-1)?.newState).toBe(await subject.readState(subject.A1));
    },
  },
  {
    id: 'changes-merged-pages',
    level: 'must',
    rule:
      'Pages tell each object that changed, with any maxChanges, also where one changed many ' +
      'times in between others.',
    needs: { room: 4 },
    /**
     * Changes one object early and late, with others between. A server that tells it on one page
     * alone must tell it after the last change.
     */
    async run(subject) {
      const [first = ''] = await subject.make(subject.A1, 'a');
      const start = await subject.readState(subject.A1);
      for (const value of ['b', 'c', 'd']) await update(subject, first, value);
      const others = await subject.make(subject.A1, 'x', 'y', 'z');
      await update(subject, first, 'e');
      for (const maxChanges of [1, 2, 3, 4]) {
        const seen = new Set((await followPages(subject, start, maxChanges)).flatMap(listIds));
        expect([...seen]).toEqual(sameMembers([first, ...others]));
      }
    },
  },
  {
    id: 'changes-write-between-pages',
    level: 'must',
    rule:
      'A change between two pages is part of the later ones, in an order that a client can ' +
      'apply: an object is created before it is updated, and destroyed last.',
    needs: { room: 4 },
    /**
     * Writes after the first page was read, then follows again from the start. Only impossible
     * orders fail, since the server may merge or repeat.
     */
    async run(subject) {
      const start = await subject.readState(subject.A1);
      const [first = '', second = ''] = await subject.make(subject.A1, 'a', 'b', 'c', 'd');
      const page = await callChanges(subject, start, { maxChanges: 2 });
      await update(subject, first, 'changed');
      await subject.set({ destroy: [second] });
      const order = (await followPages(subject, start, 2)).flatMap((one) => [
        ...one.created.map((id) => `created ${id}`),
        ...one.updated.map((id) => `updated ${id}`),
        ...one.destroyed.map((id) => `destroyed ${id}`),
      ]);
      expect(order).not.toContain(`destroyed ${first}`);
      const created = order.indexOf(`created ${first}`);
      expect(created).toBeGreaterThanOrEqual(0);
      const updated = order.indexOf(`updated ${first}`);
      if (updated !== -1) expect(updated).toBeGreaterThan(created);
      const secondCreated = order.lastIndexOf(`created ${second}`);
      const secondDestroyed = order.indexOf(`destroyed ${second}`);
      if (secondCreated !== -1) expect(secondDestroyed).toBeGreaterThan(secondCreated);

      const rest = await callChanges(subject, page.newState);
      expect(rest.newState).toBe(await subject.readState(subject.A1));
      const tell = (id: string) => (page.created.includes(id) ? 'told' : 'not told');
      if (tell(first) === 'told') expect(rest.updated).toContain(first);
      if (tell(second) === 'told') expect(rest.destroyed).toContain(second);
    },
  },
  {
    id: 'changes-unknown-state',
    level: 'must',
    rule:
      'From a state that the server never issued changes can’t be calculated: ' +
      'cannotCalculateChanges, or invalidArguments of what no state looks like, never a list ' +
      'that is silently wrong.',
    /** Tries an Arabic digit among others, which number parsers of some languages take for a 3. */
    async run(subject) {
      for (const sinceState of ['', 'never issued', '٣', 'x'.repeat(300)]) {
        const args = { accountId: subject.A1, sinceState };
        expect(await subject.client.call(`${subject.type}/changes`, args)).toEqual(
          matchAnyError(subject, 'cannotCalculateChanges', 'invalidArguments'),
        );
      }
    },
  },
  {
    id: 'changes-since-state-required',
    level: 'must',
    rule: 'sinceState is required, and may not be null: invalidArguments.',
    needs: { room: 0 },
    async run(subject) {
      for (const given of [{}, { sinceState: null }]) {
        const args = { accountId: subject.A1, ...given };
        expect(await subject.client.call(`${subject.type}/changes`, args)).toEqual(
          subject.matchError('invalidArguments', 'sinceState'),
        );
      }
    },
  },
]);
