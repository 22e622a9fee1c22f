import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { NOTHING_SET } from '../../../conform/src/client/answers.js';
/** RFC 8620 5.3: /set, what a destroy leaves. */

export const setDestroyDecisions = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-destroy-answer-exact',
    level: 'must',
    rule: 'A destroy is one step of the state.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const oldState = await subject.readState(subject.A1);
      const answer = await subject.set({ destroy: [id] });
      expect(answer).toEqual({
        ...subject.pickDeclared('set', answer),
        ...NOTHING_SET,
        accountId: subject.A1,
        oldState,
        newState: String(Number(oldState) + 1),
        destroyed: [id],
      });
    },
  },
  {
    id: 'set-destroy-unchanged-state',
    level: 'must',
    rule: 'A call of which nothing succeeds leaves the state as it was.',
    async run(subject) {
      const answer = await subject.set({
        create: { k: subject.unfit },
        update: { x1: {} },
        destroy: ['x1'],
      });
      expect(answer.newState).toBe(answer.oldState);
    },
  },
  {
    id: 'set-destroy-repeated',
    level: 'must',
    rule: 'An id that destroy has twice counts once.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const answer = await subject.set({ destroy: [id, id, 'x', 'x'] });
      expect(answer.destroyed).toEqual([id]);
      expect(answer.notDestroyed).toEqual({ x: subject.matchSetError('notFound') });
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 1);
    },
  },
  {
    id: 'set-destroy-id-not-reused',
    level: 'must',
    rule: 'An id is never used again.',
    needs: { room: 3 },
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      await subject.set({ destroy: [id] });
      expect(await subject.make(subject.A1, 'a', 'b')).not.toContain(id);
    },
  },
]);
