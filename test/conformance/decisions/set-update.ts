import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { matchSetErrors } from '../../../conform/src/checks/requests.js';
import {
  findDefaulted,
  findOtherValue,
  needDefaulted,
  update,
} from '../../../conform/src/checks/set-update.js';
import { NOTHING_SET } from '../../../conform/src/client/answers.js';
import { anyString } from '../../../conform/src/expected.js';
import { needClosed } from '../../../conform/src/subject/type-view.js';

export const setUpdateDecisions = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-update-answer-exact',
    level: 'must',
    rule:
      'An update is one step of the state, moves updated on and reports it, and leaves created ' +
      'as it is.',
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'before');
      const before = await subject.read(id);
      const oldState = await subject.readState(subject.A1);
      const answer = await update(subject, { [id]: { [text]: 'after' } });
      expect(answer).toEqual({
        ...subject.pickDeclared('set', answer),
        ...NOTHING_SET,
        accountId: subject.A1,
        oldState,
        newState: String(Number(oldState) + 1),
        updated: { [id]: expect.objectContaining({ updated: anyString }) },
      });
      const computed = subject.described.properties.some((one) => one.computed?.kind === 'from');
      if (!computed) expect(Object.keys(answer.updated?.[id] ?? {})).toEqual(['updated']);
      const after = await subject.read(id);
      expect(after['created']).toBe(before['created']);
      expect(after['updated']).toBe(answer.updated?.[id]?.['updated']);
      const [was = 0, is = 0] = [before, after].map((one) => Date.parse(String(one['updated'])));
      expect(is).toBeGreaterThanOrEqual(was);
    },
  },
  {
    id: 'set-update-no-op',
    level: 'must',
    rule: 'An update that changes nothing succeeds with null: neither updated nor the state moves.',
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'same');
      const object = await subject.read(id);
      for (const patch of [{}, object, { [text]: 'same' }]) {
        const answer = await update(subject, { [id]: patch });
        expect([answer.updated, answer.notUpdated]).toEqual([{ [id]: null }, null]);
        expect(answer.newState).toBe(answer.oldState);
      }
      expect(await subject.read(id)).toEqual(object);
    },
  },
  {
    id: 'set-update-default-reported',
    level: 'must',
    rule: 'An update by null that restores a default reports the default.',
    needs: { text: false },
    applies: needDefaulted,
    async run(subject) {
      const id = await subject.putOne({});
      for (const property of findDefaulted(subject)) {
        const { name, default: initial = null } = property;
        const other = findOtherValue(subject, property);
        if (other === undefined) continue;
        await subject.update(id, { [name]: other });
        const { set } = await subject.update(id, { [name]: null });
        expect({ name, set }).toEqual({ name, set: expect.objectContaining({ [name]: initial }) });
      }
    },
  },
  {
    id: 'set-update-no-id',
    level: 'must',
    rule: 'A key of update that can be no id is notFound like one that is nobody’s.',
    async run(subject) {
      const wrong = ['', 'é', '__proto__', 'a b'];
      const patches = Object.fromEntries(wrong.map((id) => [id, {}]));
      const { updated, notUpdated } = await update(subject, patches);
      expect(updated).toBeNull();
      expect(notUpdated).toEqual(matchSetErrors(subject, wrong, 'notFound'));
    },
  },
  {
    id: 'set-update-unknown-null',
    level: 'must',
    rule:
      'An unknown property of a patch is invalidProperties also where its value is null, and all ' +
      'of them are listed.',
    applies: needClosed,
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      const object = await subject.read(id);
      const patch = { [subject.profile.text]: 'after', nope: 1, other: null };
      const answer = await update(subject, { [id]: patch });
      expect(answer.notUpdated).toEqual({
        [id]: subject.matchSetError('invalidProperties', ['nope', 'other']),
      });
      expect(answer.newState).toBe(answer.oldState);
      expect(await subject.read(id)).toEqual(object);
    },
  },
  {
    id: 'set-update-will-destroy',
    level: 'must',
    rule: 'An update of an object that the same call destroys is willDestroy.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      const answer = await subject.set({
        update: { [id]: { [subject.profile.text]: 'after' } },
        destroy: [id],
      });
      expect(answer.updated).toBeNull();
      expect(answer.notUpdated).toEqual({ [id]: subject.matchSetError('willDestroy') });
      expect(answer.destroyed).toEqual([id]);
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 1);
    },
  },
]);
