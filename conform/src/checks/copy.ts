import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Json } from '../client/json.js';
import { entry, satisfying } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { listGivable, listWritable } from '../subject/described.js';
import { populate } from '../subject/populated.js';
import { buildCopy, buildCopyCall, copy, copyOne, NEEDS } from './copies.js';
import { buildSetCall, readCreated, readSet } from './requests.js';

/** RFC 8620 5.4: what a /copy makes. */

const anId = satisfying('an Id', (value) => typeof value === 'string' && value !== '');

/** Matches the oldState of a copy, which RFC 8620 5.4 lets a server leave null. */
const matchOldState = (state: string) =>
  satisfying(`${state}, or null`, (value) => value === state || value === null);

export const copyChecks = typeChecks('5.4', NEEDS, [
  {
    id: 'copy-response',
    level: 'must',
    rule:
      'The response names both accounts, the target’s state before and after, and what the ' +
      'server set of each copy under its creation id; where nothing failed notCreated is null.',
    /**
     * Compares the states with those that /get tells right after. oldState may be null where a
     * server doesn't know it.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'original');
      const oldState = await subject.readState(subject.A2);
      const answer = await copy(subject, { create: { k: buildCopy(subject, id) } });
      expect(answer).toMatchObject({
        fromAccountId: subject.A1,
        accountId: subject.A2,
        oldState: matchOldState(oldState),
        newState: await subject.readState(subject.A2),
        created: { k: expect.objectContaining({ id: anId }) },
        notCreated: null,
      });
      expect(answer.newState).not.toBe(oldState);
    },
  },
  {
    id: 'copy-values',
    level: 'must',
    rule:
      'The copy has the values of its original, but for what the client gave and what created ' +
      'reports.',
    /**
     * Lays the client's and the reported values over the original. The result must be exactly what
     * /get shows in the target.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'original');
      const original = await subject.read(id);
      const made = await copyOne(subject, id);
      const merged = { ...original, ...subject.readPrepared(), ...made };
      expect(await subject.read(made.id, subject.A2)).toEqual(merged);
    },
  },
  {
    id: 'copy-original-stays',
    level: 'must',
    rule:
      'The source is as it was, its state too, unless the client asks for the originals to be ' +
      'destroyed.',
    /**
     * Tries the default and an explicit false, and removes each copy, since unique values may
     * forbid two of them.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'original');
      const before = await subject.takeSnapshot(subject.A1);
      for (const more of [{}, { onSuccessDestroyOriginal: false }]) {
        const { created } = await copy(subject, {
          create: { k: buildCopy(subject, id) },
          ...more,
        });
        expect(created).toEqual({ k: expect.anything() });
        expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
        // Where two copies of one original would collide.
        await subject.set({ accountId: subject.A2, destroy: [entry(created, 'k').id] });
      }
    },
  },
  {
    id: 'copy-overrides',
    level: 'must',
    rule:
      'A property that is given with a copy is used in place of the original’s; the others stay ' +
      'those of the original.',
    /**
     * Reads the original again as well: a server that patches the shared object changes it, too.
     */
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'original');
      const original = await subject.read(id);
      const made = await copyOne(subject, id, { [text]: 'changed' });
      const merged = { ...original, ...subject.readPrepared(), [text]: 'changed', ...made };
      expect(await subject.read(made.id, subject.A2)).toEqual(merged);
      expect(await subject.read(id)).toEqual(original);
    },
  },
  {
    id: 'copy-each-alone',
    level: 'must',
    rule: 'Each object is copied or refused by itself, and told under its creation id.',
    needs: { room: 2 },
    /**
     * Puts the object that fails between two good ones, so that a server which stops at it leaves
     * the last one out.
     */
    async run(subject) {
      const { text } = subject.profile;
      const [a = '', b = ''] = await subject.make(subject.A1, 'a', 'b');
      const { created, notCreated } = await copy(subject, {
        create: { a: buildCopy(subject, a), bad: { id: 'x1' }, b: buildCopy(subject, b) },
      });
      expect(Object.keys(created ?? {}).sort()).toEqual(['a', 'b']);
      expect(notCreated).toEqual({ bad: subject.matchSetError('notFound') });
      for (const key of ['a', 'b'] as const) {
        const { id } = entry(created, key);
        expect((await subject.read(id, subject.A2))[text]).toBe(key);
      }
    },
  },
  {
    id: 'copy-in-changes',
    level: 'must',
    rule: 'For /changes of the target a copy is an object that was created.',
    needs: { methods: ['changes'] },
    /**
     * Takes the state of the target before the copy, since the source's state says nothing of it.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const sinceState = await subject.readState(subject.A2);
      const made = await copyOne(subject, id);
      const args = { accountId: subject.A2, sinceState };
      const changes = await subject.client.changes(subject.type, args);
      expect(changes).toMatchObject({ created: [made.id], updated: [], destroyed: [] });
    },
  },
  {
    id: 'copy-in-query-changes',
    level: 'must',
    rule: 'For /queryChanges of the target a copy is an object that was added.',
    needs: { methods: ['query', 'queryChanges'] },
    /**
     * Throws NotApplicable where the query says that its changes can't be calculated (RFC 8620
     * 5.5).
     */
    async run(subject) {
      const { A2: accountId, client, type } = subject;
      const id = await subject.makeOne(subject.A1);
      const { queryState, canCalculateChanges } = await client.query(type, { accountId });
      if (!canCalculateChanges)
        throw new NotApplicable('The query says that its changes can’t be calculated.');
      const made = await copyOne(subject, id);
      const args = { accountId, sinceQueryState: queryState };
      const { added } = await client.queryChanges(type, args);
      expect(added.map((item) => item.id)).toEqual([made.id]);
    },
  },
  {
    id: 'copy-created-ids',
    level: 'must',
    rule:
      'Creation ids of copies are creation ids: where the client gave createdIds, the response’s ' +
      'has them.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'copied');
      const response = await subject.client.api([buildCopyCall(subject, id)], { createdIds: {} });
      expect(response.createdIds).toEqual({ k: readCreated(response, 'c').id });
    },
  },
  {
    id: 'copy-creation-id-in-later-call',
    level: 'must',
    rule: 'A later call of the request may destroy a copy by its creation id.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'copied');
      const response = await subject.client.api([
        buildCopyCall(subject, id),
        buildSetCall(subject, { accountId: subject.A2, destroy: ['#k'] }, 's'),
      ]);
      expect(readSet(response, 's').destroyed).toEqual([readCreated(response, 'c').id]);
    },
  },
  {
    id: 'copy-every-value',
    level: 'must',
    rule: 'A copy has all values of its original, whatever they are.',
    needs: { methods: ['query'], text: false, room: 3 },
    /**
     * Copies objects with all values at their bounds in one call. References are set to their
     * defaults, for their objects stay in the source.
     */
    async run(subject) {
      const { A1: fromAccountId, A2: accountId, type, described, profile } = subject;
      const properties = listGivable(described);
      const links = listWritable(described).filter(
        (one) => one.references.length > 0 && !profile.given.includes(one),
      );
      // The objects that they refer to are not in the target.
      const none = Object.fromEntries(
        links.map(({ name, default: value }) => [name, (value ?? null) as Json]),
      );
      await populate(subject, async (items) => {
        const create = Object.fromEntries(
          items.map(({ id }) => [id, { id, ...none, ...subject.readPrepared() }]),
        );
        const answer = await subject.client.copy(type, { fromAccountId, accountId, create });
        expect(answer.notCreated).toBeNull();
        const made = new Map(items.map(({ id }) => [id, entry(answer.created, id)]));
        const ids = [...made.values()].map((copy) => copy.id);
        const { list } = await subject.client.get(type, { accountId, ids });
        const copies = new Map(list.map((copy) => [copy.id, copy]));
        for (const original of items) {
          const told = made.get(original.id);
          const copy = copies.get(told?.id ?? '');
          for (const { name } of properties)
            expect({ [name]: copy?.[name] }).toEqual({ [name]: told?.[name] ?? original[name] });
        }
        await subject.set({ accountId, destroy: ids });
      });
    },
  },
]);
