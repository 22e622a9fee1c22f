import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import {
  buildTooManyIds,
  getReferred,
  needLowLimit,
  queryByReference,
  referToEcho,
} from '../../../conform/src/checks/references-of-types.js';
import { needClosed } from '../../../conform/src/subject/type-view.js';

export const referencesOfTypesDecisions = typeChecks(
  '3.7',
  { methods: ['get', 'set'], text: true, room: 3 },
  [
    {
      id: 'references-inside-create-named',
      level: 'must',
      rule: 'The SetError names the property with its # and no other.',
      applies: needClosed,
      async run(subject) {
        const hash = `#${subject.profile.text}`;
        const create = { k: { ...subject.create('a'), [hash]: referToEcho('/t') } };
        const { notCreated } = await subject.set({ create });
        expect(notCreated).toEqual({ k: subject.matchSetError('invalidProperties', [hash]) });
      },
    },
    {
      id: 'references-inside-filter-unsupported',
      level: 'must',
      rule:
        'A name that begins with # in a filter is a condition that the type does not have: ' +
        'unsupportedFilter.',
      needs: { methods: ['query'] },
      async run(subject) {
        expect(await queryByReference(subject)).toEqual([
          ...subject.matchError('unsupportedFilter'),
          'q',
        ]);
      },
    },
    {
      id: 'references-limit-refused',
      level: 'must',
      rule: 'More ids than maxObjectsInGet are requestTooLarge, by reference too.',
      applies: needLowLimit,
      async run(subject) {
        expect(await getReferred(subject, buildTooManyIds(subject))).toEqual(
          subject.matchError('requestTooLarge'),
        );
      },
    },
  ],
);
