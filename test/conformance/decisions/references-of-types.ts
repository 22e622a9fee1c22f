import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { echoed } from '../../../conform/src/checks/references-of-types.js';

export const referencesOfTypesDecisions = typeChecks(
  '3.7',
  { methods: ['get', 'set'], text: true, room: 3 },
  [
    {
      id: 'references-inside-create-named',
      level: 'must',
      rule: 'The SetError names the property with its # and no other.',
      async run(subject) {
        const hash = `#${subject.profile.text}`;
        const create = { k: { ...subject.create('a'), [hash]: echoed('/t') } };
        const { notCreated } = await subject.set({ create });
        expect(notCreated).toEqual({ k: subject.setError('invalidProperties', [hash]) });
      },
    },
  ],
);
