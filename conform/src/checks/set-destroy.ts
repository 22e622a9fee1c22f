import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { NOTHING_SET } from '../client/answers.js';
import { sameMembers } from '../expected.js';
import { matchSetErrors } from './requests.js';

/** RFC 8620 5.3: /set, what a destroy leaves. */

export const setDestroyChecks = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-destroy-answer',
    level: 'must',
    rule:
      'destroyed lists the id, /get finds it no more, and the others are as they were. The other ' +
      'members are null.',
    needs: { room: 2 },
    /**
     * Reads the other object before and after, so that a destroy that reaches too far is noticed.
     */
    async run(subject) {
      const { A1, type } = subject;
      const [id = '', other = ''] = await subject.make(A1, 'gone', 'stays');
      const stays = await subject.read(other);
      const before = await subject.readState(A1);
      const { oldState, newState, ...rest } = await subject.set({ destroy: [id] });
      expect([before, null]).toContain(oldState);
      expect(newState).not.toBe(before);
      expect(rest).toMatchObject({
        ...NOTHING_SET,
        accountId: A1,
        destroyed: [id],
      });
      const args = { accountId: A1, ids: [id, other], ...subject.stored };
      const got = await subject.client.get(type, args);
      expect(got).toMatchObject({ state: newState, list: [stays], notFound: [id] });
    },
  },
  {
    id: 'set-destroy-unknown-id',
    level: 'must',
    rule:
      'A destroy of what the account does not have, or has no more, is notFound; another ' +
      'account’s object stays.',
    /**
     * Takes an id of another account among the unknown ones. A snapshot of that account shows that
     * nothing went.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const foreign = await subject.makeElsewhere();
      await subject.set({ destroy: [id] });
      const before = await subject.takeSnapshot(subject.A2);
      const answer = await subject.set({ destroy: ['x1', id, foreign] });
      expect(answer.destroyed).toBeNull();
      expect(answer.notDestroyed).toEqual(matchSetErrors(subject, ['x1', id, foreign], 'notFound'));
      expect(answer.newState).toBe(await subject.readState(subject.A1));
      expect(await subject.takeSnapshot(subject.A2)).toEqual(before);
    },
  },
  {
    id: 'set-destroy-many',
    level: 'must',
    rule: 'destroyed lists each object that is gone by its own call, and no other one.',
    needs: { room: 3 },
    /**
     * Leaves one object in the middle of the list, where a server that destroys a range would take
     * it.
     */
    async run(subject) {
      const ids = await subject.make(subject.A1, 'a', 'b', 'c');
      const [, second = '', ...others] = ids;
      const rest = ids.filter((id) => id !== second);
      const { destroyed } = await subject.set({ destroy: rest });
      expect(others).toHaveLength(1);
      expect(destroyed).toEqual(sameMembers(rest));
      const { list } = await subject.client.get(subject.type, { accountId: subject.A1, ids });
      expect(list.map(({ id }) => id)).toEqual([second]);
    },
  },
]);
