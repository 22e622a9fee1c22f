import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { findLargeText, needReachableCount } from '../../../conform/src/checks/described-limits.js';
import { entry } from '../../../conform/src/expected.js';

export const describedLimitDecisions = typeChecks('5.3', { methods: ['get', 'set'] }, [
  {
    id: 'described-limits-count',
    level: 'must',
    rule:
      'Objects beyond the count that an account may have are overQuota, each by itself; one that ' +
      'goes in the same call makes room.',
    applies: needReachableCount,
    async run(subject) {
      await subject.clear(subject.A1);
      const count = subject.profile.count - subject.listForeign().size;
      const create = Object.fromEntries(
        Array.from({ length: count + 2 }, (_, index) => [`k${index}`, subject.create('a')]),
      );
      const { created, notCreated } = await subject.set({
        create: { ...create, wrong: subject.unfit },
      });
      expect(Object.keys(created ?? {})).toHaveLength(count);
      expect(notCreated).toEqual({
        [`k${count}`]: subject.matchSetError('overQuota'),
        [`k${count + 1}`]: subject.matchSetError('overQuota'),
        wrong: expect.objectContaining({ type: 'invalidProperties' }),
      });
      const exchanged = await subject.set({
        create: { k: subject.create('b') },
        destroy: [entry(created, 'k0').id],
      });
      expect(exchanged.notCreated).toBeNull();
      expect(await subject.listOwn(subject.A1)).toHaveLength(count);
      await subject.clear(subject.A1);
    },
  },
  {
    id: 'described-limits-octets',
    level: 'must',
    rule:
      'An object of more octets than its type allows is tooLarge, in a create and ' +
      'in an update.',
    needs: { room: 2 },
    applies: (subject) =>
      findLargeText(subject) === undefined ? 'No text of the type goes beyond its octets.' : null,
    async run(subject) {
      const { name = '' } = findLargeText(subject) ?? {};
      const value = '\u{1F600}'.repeat(Math.ceil(subject.profile.octets / 4));
      const { created, notCreated } = await subject.set({
        create: { big: { ...subject.create('a'), [name]: value }, k: subject.create('b') },
      });
      expect(notCreated).toEqual({ big: subject.matchSetError('tooLarge') });
      const { id } = entry(created, 'k');
      const before = await subject.read(id);
      const { refused } = await subject.update(id, { [name]: value });
      expect(refused).toEqual(subject.matchSetError('tooLarge'));
      expect(await subject.read(id)).toEqual(before);
    },
  },
]);
