import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { buildNonPointers } from '../../../conform/src/checks/patch.js';
import { expectAllRefused, invalidPatch } from '../../../conform/src/checks/patch-holding.js';

export const patchDecisions = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'patch-escapes-invalid',
    level: 'must',
    rule:
      'A pointer in which a tilde stands before neither 0 nor 1 is invalidPatch, for a removal ' +
      'as for a value.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      const patches = buildNonPointers(subject).flatMap((one) => [{ [one]: 'x' }, { [one]: null }]);
      await expectAllRefused(subject, id, invalidPatch, patches);
    },
  },
  {
    id: 'patch-not-object',
    level: 'must',
    rule: 'A patch that is no object is invalidPatch by itself, other updates are done.',
    needs: { room: 2 },
    async run(subject) {
      const { text } = subject.profile;
      const [id = '', good = ''] = await subject.make(subject.A1, 'before', 'other');
      for (const [n, patch] of [null, 5, 'x', [], [{}], true].entries()) {
        const update = { [id]: patch, [good]: { [text]: `changed ${n}` } };
        const answer = await subject.set({ update });
        expect(answer.notUpdated).toEqual({ [id]: subject.matchSetError('invalidPatch') });
        expect(Object.keys(answer.updated ?? {})).toEqual([good]);
      }
      expect((await subject.read(id))[text]).toBe('before');
    },
  },
]);
