import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { entry } from '../../../conform/src/expected.js';
import { needClosed } from '../../../conform/src/subject/type-view.js';
export const setBatchDecisions = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-error-described',
    level: 'must',
    rule: 'Each SetError has a description, which names each property that it is about.',
    applies: needClosed,
    async run(subject) {
      const { notCreated, notUpdated, notDestroyed } = await subject.set({
        create: { bad: { ...subject.create('a'), first: 1, second: 2 } },
        update: { x1: {} },
        destroy: ['x2'],
      });
      expect(String(entry(notCreated, 'bad')['description'])).toMatch(/first.*second/s);
      for (const error of [entry(notUpdated, 'x1'), entry(notDestroyed, 'x2')])
        expect(String(error['description'] ?? '')).toMatch(/\w+ \w+/);
    },
  },
  {
    id: 'set-illegal-creation-id',
    level: 'must',
    rule: 'A creation id that is no Id is invalidArguments, and nothing of the call is done.',
    async run(subject) {
      const before = await subject.takeSnapshot(subject.A1);
      for (const key of ['', 'a b', '#a', 'é', 'a/b', 'x'.repeat(256)]) {
        const create = { good: subject.create('a'), [key]: subject.create('b') };
        const args = { accountId: subject.A1, create };
        expect(await subject.client.call(`${subject.type}/set`, args)).toEqual(
          subject.matchError('invalidArguments'),
        );
      }
      expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
    },
  },
]);
