import { expect } from 'vitest';
import { asSet } from '../../support/client.js';
import { at, err, setError } from '../../support/expected.js';
import type { Suite } from '../suite.js';

/** Section K of cases.md: destroy, ifInState, order (RFC 8620 5.3). */
export function setDestroyCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, text } = profile;
  const set = (args: object) => suite.client.set(name, { accountId: suite.A1, ...args });

  describe(`${name}: K. destroy, ifInState, order`, () => {
    it('5.3: the whole response of one destroy', async () => {
      const id = await suite.one(suite.A1);
      const oldState = await suite.state(suite.A1);
      const answer = await set({ destroy: [id] });
      expect(answer).toEqual({
        accountId: suite.A1,
        oldState,
        newState: String(Number(oldState) + 1),
        created: null,
        updated: null,
        destroyed: [id],
        notCreated: null,
        notUpdated: null,
        notDestroyed: null,
      });
      const got = await suite.client.get(name, { accountId: suite.A1, ids: [id] });
      expect(got).toEqual({
        accountId: suite.A1,
        state: answer.newState,
        list: [],
        notFound: [id],
      });
    });

    it('cases 293 and 295, 5.3: what is not there (any more) is notFound', async () => {
      const id = await suite.one(suite.A1);
      const foreign = await suite.one(suite.A2);
      await set({ destroy: [id] });
      const answer = await set({ destroy: ['x1', id, foreign] });
      expect(answer.destroyed).toBeNull();
      expect(answer.notDestroyed).toEqual({
        x1: setError('notFound'),
        [id]: setError('notFound'),
        [foreign]: setError('notFound'),
      });
      expect(answer.newState).toBe(answer.oldState);
    });

    it('decision 13: a repeated id counts once', async () => {
      const id = await suite.one(suite.A1);
      const answer = await set({ destroy: [id, id, 'x', 'x'] });
      expect(answer.destroyed).toEqual([id]);
      expect(answer.notDestroyed).toEqual({ x: setError('notFound') });
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 1);
    });

    it('decision 7: an id is never used again', async () => {
      const id = await suite.one(suite.A1);
      await set({ destroy: [id] });
      const ids = await suite.make(suite.A1, 'a', 'b', 'c');
      expect(ids).not.toContain(id);
    });

    it('case 300, 5.3: ifInState lets a call pass or stops all of it', async () => {
      const [id = ''] = await suite.make(suite.A1, 'before');
      const state = await suite.state(suite.A1);
      const passed = await set({ ifInState: state, update: { [id]: { [text]: 'after' } } });
      expect(passed.oldState).toBe(state);
      const before = await suite.snapshot(suite.A1);
      expect(
        await suite.client.call(`${name}/set`, {
          accountId: suite.A1,
          ifInState: state,
          create: { k: suite.create('a') },
          update: { [id]: { [text]: 'again' } },
          destroy: [id],
        }),
      ).toEqual(err('stateMismatch'));
      expect(await suite.snapshot(suite.A1)).toEqual(before);
    });

    it('case 301, 5.3: ifInState null is no check; any other string must match', async () => {
      const state = await suite.state(suite.A1);
      await set({ ifInState: null, create: { k: suite.create('a') } });
      for (const wrong of ['', String(Number(state) + 100), 'abc', `0${Number(state) + 1}`]) {
        expect(
          await suite.client.call(`${name}/set`, { accountId: suite.A1, ifInState: wrong }),
        ).toEqual(err('stateMismatch'));
      }
    });

    it('case 303, 5.3: of two calls with the starting state the second fails', async () => {
      const state = await suite.state(suite.A1);
      const create = { k: suite.create('a') };
      const { methodResponses } = await suite.client.api([
        [`${name}/set`, { accountId: suite.A1, ifInState: state, create }, 'a'],
        [`${name}/set`, { accountId: suite.A1, ifInState: state, create }, 'b'],
      ]);
      expect(at(methodResponses, 0)[0]).toBe(`${name}/set`);
      expect(at(methodResponses, 1)).toEqual([
        'error',
        { type: 'stateMismatch', description: expect.any(String) },
        'b',
      ]);
    });

    it('case 305, 5.3: the state is looked at before any record', async () => {
      expect(
        await suite.client.call(`${name}/set`, {
          accountId: suite.A1,
          ifInState: 'no',
          create: { k: { nope: 1 } },
          update: { x: 5 },
          destroy: ['x'],
        }),
      ).toEqual(err('stateMismatch'));
    });

    it('case 306, decision 8: the state steps by one for each change record', async () => {
      const [updated = '', same = '', gone = ''] = await suite.make(suite.A1, 'a', 'b', 'c');
      const { methodResponses } = await suite.client.api([
        [
          `${name}/set`,
          {
            accountId: suite.A1,
            create: { k: suite.create('new'), bad: { nope: 1 } },
            update: { [updated]: { [text]: 'x' }, [same]: { [text]: 'b' }, nobody: {} },
            destroy: [gone, 'nobody'],
          },
          's',
        ],
        [`${name}/get`, { accountId: suite.A1, ids: [] }, 'g'],
      ]);
      const answer = asSet(at(methodResponses, 0)[1]);
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 3);
      expect(at(methodResponses, 1)[1]['state']).toBe(answer.newState);
      const changes = await suite.client.changes(name, {
        accountId: suite.A1,
        sinceState: answer.oldState,
      });
      expect([changes.created.length, changes.updated, changes.destroyed]).toEqual([
        1,
        [updated],
        [gone],
      ]);
    });

    it('decision 8: states of two accounts move apart from each other', async () => {
      const other = await suite.state(suite.A2);
      await suite.one(suite.A1);
      expect(await suite.state(suite.A2)).toBe(other);
    });
  });
}
