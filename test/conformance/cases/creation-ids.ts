import { expect } from 'vitest';
import { asSet } from '../../support/client.js';
import { at, entry, setError } from '../../support/expected.js';
import type { Suite } from '../suite.js';

/** Section F of cases.md: creation ids and createdIds (RFC 8620 3.3, 5.3). */
export function creationIdCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name } = profile;

  describe(`${name}: F. creation ids`, () => {
    it('case 138, 3.4: createdIds is answered only where it was sent', async () => {
      const create = { k: suite.create('a') };
      const answer = await suite.client.api([
        [`${name}/set`, { accountId: suite.A1, create }, 'c'],
      ]);
      expect(answer).not.toHaveProperty('createdIds');
      const empty = await suite.client.api([], { createdIds: {} });
      expect(empty).toEqual({
        methodResponses: [],
        createdIds: {},
        sessionState: answer.sessionState,
      });
    });

    it('case 140, 3.4: given createdIds are kept, new ones are added', async () => {
      const calls = [
        [`${name}/set`, { accountId: suite.A1, create: { k: suite.create('a') } }, 'c'],
      ] as const;
      const answer = await suite.client.api(calls, { createdIds: { x: 'id1' } });
      const { created } = asSet(at(answer.methodResponses, 0)[1]);
      expect(answer.createdIds).toEqual({ x: 'id1', k: entry(created, 'k').id });
    });

    it('case 141, 3.3: given createdIds resolve in update keys, destroy and get', async () => {
      const id = await suite.one(suite.A1, 'before');
      const answer = await suite.client.api(
        [
          [
            `${name}/set`,
            { accountId: suite.A1, update: { '#x': { [profile.text]: 'after' } } },
            'u',
          ],
          [`${name}/get`, { accountId: suite.A1, ids: ['#x'], properties: [profile.text] }, 'g'],
          [`${name}/set`, { accountId: suite.A1, destroy: ['#x'] }, 'd'],
        ],
        { createdIds: { x: id } },
      );
      expect(at(answer.methodResponses, 0)[1]['updated']).toEqual({ [id]: expect.any(Object) });
      expect(at(answer.methodResponses, 1)[1]).toEqual({
        accountId: suite.A1,
        state: expect.any(String),
        list: [{ id, [profile.text]: 'after' }],
        notFound: [],
      });
      expect(at(answer.methodResponses, 2)[1]['destroyed']).toEqual([id]);
      expect(answer.createdIds).toEqual({ x: id });
    });

    it('case 143, 5.3: of one creation id used twice the later object wins', async () => {
      const set = (text: string) => ({ accountId: suite.A1, create: { k: suite.create(text) } });
      const answer = await suite.client.api(
        [
          [`${name}/set`, set('first'), 'a'],
          [`${name}/set`, set('second'), 'b'],
          [`${name}/get`, { accountId: suite.A1, ids: ['#k'], properties: [profile.text] }, 'g'],
        ],
        { createdIds: {} },
      );
      const { created } = asSet(at(answer.methodResponses, 1)[1]);
      const { id } = entry(created, 'k');
      expect(at(answer.methodResponses, 2)[1]['list']).toEqual([{ id, [profile.text]: 'second' }]);
      expect(answer.createdIds).toEqual({ k: id });
    });

    it('case 148, 5.3: update and destroy by the creation id of an earlier call', async () => {
      const { methodResponses } = await suite.client.api([
        [`${name}/set`, { accountId: suite.A1, create: { k: suite.create('a') } }, 'a'],
        [`${name}/set`, { accountId: suite.A1, update: { '#k': { [profile.text]: 'b' } } }, 'b'],
        [`${name}/set`, { accountId: suite.A1, destroy: ['#k'] }, 'c'],
      ]);
      const { id } = entry(asSet(at(methodResponses, 0)[1]).created, 'k');
      expect(asSet(at(methodResponses, 1)[1])).toEqual(
        expect.objectContaining({ updated: { [id]: expect.any(Object) }, notUpdated: null }),
      );
      expect(asSet(at(methodResponses, 2)[1])).toEqual(
        expect.objectContaining({ destroyed: [id], notDestroyed: null }),
      );
    });

    it('5.3: update by the creation id of the same call: created as updated', async () => {
      const answer = await suite.client.set(name, {
        accountId: suite.A1,
        create: { k: suite.create('a') },
        update: { '#k': { [profile.text]: 'b' } },
      });
      const { id } = entry(answer.created, 'k');
      expect(answer.updated).toEqual({ [id]: expect.anything() });
      // Decision 8: created and updated in one call is one record.
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 1);
      const { list } = await suite.client.get(name, { accountId: suite.A1, ids: [id] });
      expect(list).toEqual([expect.objectContaining({ id, [profile.text]: 'b' })]);
    });

    it('case 150, 5.3: created and destroyed in one call; /changes omits it', async () => {
      const answer = await suite.client.set(name, {
        accountId: suite.A1,
        create: { k: suite.create('a') },
        destroy: ['#k'],
      });
      const { id } = entry(answer.created, 'k');
      expect(answer.destroyed).toEqual([id]);
      // Decision 8: two records.
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 2);
      expect(
        await suite.client.changes(name, { accountId: suite.A1, sinceState: answer.oldState }),
      ).toEqual({
        accountId: suite.A1,
        oldState: answer.oldState,
        newState: answer.newState,
        hasMoreChanges: false,
        created: [],
        updated: [],
        destroyed: [],
      });
    });

    it('case 151, decision 12: creation ids resolve in /get; unknown ones are notFound', async () => {
      const { methodResponses } = await suite.client.api([
        [`${name}/set`, { accountId: suite.A1, create: { k: suite.create('a') } }, 'a'],
        [
          `${name}/get`,
          { accountId: suite.A1, ids: ['#k', '#nope'], properties: [profile.text] },
          'g',
        ],
      ]);
      const { id } = entry(asSet(at(methodResponses, 0)[1]).created, 'k');
      expect(at(methodResponses, 1)[1]).toEqual({
        accountId: suite.A1,
        state: expect.any(String),
        list: [{ id, [profile.text]: 'a' }],
        notFound: ['#nope'],
      });
    });

    it('case 153, 5.3: an unknown creation id is notFound under the string that was sent', async () => {
      const answer = await suite.client.set(name, {
        accountId: suite.A1,
        update: { '#unknown': { [profile.text]: 'x' } },
        destroy: ['#nobody'],
      });
      expect(answer.updated).toBeNull();
      expect(answer.destroyed).toBeNull();
      expect(answer.notUpdated).toEqual({ '#unknown': setError('notFound') });
      expect(answer.notDestroyed).toEqual({ '#nobody': setError('notFound') });
      expect(answer.newState).toBe(answer.oldState);
    });

    it('case 158, 5.3: `#` in a plain String property is text', async () => {
      const { methodResponses } = await suite.client.api([
        [`${name}/set`, { accountId: suite.A1, create: { '1': suite.create('#1 priority') } }, 'a'],
        [`${name}/set`, { accountId: suite.A1, create: { b: suite.create('#1') } }, 'b'],
        [
          `${name}/get`,
          { accountId: suite.A1, ids: ['#1', '#b'], properties: [profile.text] },
          'g',
        ],
      ]);
      const list = at(methodResponses, 2)[1]['list'];
      expect(list).toHaveLength(2);
      expect(list).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ [profile.text]: '#1 priority' }),
          expect.objectContaining({ [profile.text]: '#1' }),
        ]),
      );
    });

    it('case 161, 5.8: a request split in two with createdIds handed over ends the same', async () => {
      const first = await suite.client.api(
        [[`${name}/set`, { accountId: suite.A1, create: { k: suite.create('one') } }, 'a']],
        { createdIds: {} },
      );
      const second = await suite.client.api(
        [
          [
            `${name}/set`,
            {
              accountId: suite.A1,
              create: { m: suite.create('two') },
              update: { '#k': { [profile.text]: 'changed' } },
            },
            'b',
          ],
          [
            `${name}/get`,
            { accountId: suite.A1, ids: ['#k', '#m'], properties: [profile.text] },
            'g',
          ],
        ],
        { createdIds: first.createdIds ?? {} },
      );
      expect(Object.keys(second.createdIds ?? {}).sort()).toEqual(['k', 'm']);
      expect(at(second.methodResponses, 1)[1]['list']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ [profile.text]: 'changed' }),
          expect.objectContaining({ [profile.text]: 'two' }),
        ]),
      );
    });

    it('3.3: creation ids that are names of Object.prototype are plain keys', async () => {
      const create = JSON.parse(
        JSON.stringify({
          toString: suite.create('a'),
          constructor: suite.create('b'),
          __proto_: suite.create('c'),
        }).replace('__proto_', '__proto__'),
      ) as object;
      const answer = await suite.client.api(
        [[`${name}/set`, { accountId: suite.A1, create }, 'a']],
        { createdIds: {} },
      );
      const names = ['__proto__', 'constructor', 'toString'];
      const { created } = asSet(at(answer.methodResponses, 0)[1]);
      expect(Object.getOwnPropertyNames(created).sort()).toEqual(names);
      expect(Object.getOwnPropertyNames(answer.createdIds).sort()).toEqual(names);
    });
  });
}
