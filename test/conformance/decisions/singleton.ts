import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { get, ID, needDefault, withChange } from '../../../conform/src/checks/singleton.js';
import { utcDate } from '../../../conform/src/expected.js';

export const singletonDecisions = typeChecks(
  '5.3',
  { methods: ['get', 'set'], singleton: 'only', room: 0 },
  [
    {
      id: 'singleton-unwritten',
      level: 'must',
      section: '5.1',
      rule: 'A singleton that was never written has its defaults, and its state is 0.',
      async run(subject) {
        const { defaults, text, textDefault } = subject.profile;
        const { list, ...rest } = await get(subject, subject.A2);
        const initial = { ...defaults, ...(text === '' ? {} : { [text]: textDefault }) };
        expect(list).toEqual([{ id: ID, ...subject.times, ...initial }]);
        expect(rest).toMatchObject({ accountId: subject.A2, state: '0', notFound: [] });
      },
    },
    {
      id: 'singleton-no-op',
      level: 'must',
      rule:
        'An update of a singleton tells when it was; one that changes nothing is null and no ' +
        'change.',
      applies: needDefault,
      async run(subject) {
        await withChange(subject, async (property) => {
          const { default: value = null } = subject.profile.defaulted ?? {};
          const { set } = await subject.update(ID, { [property]: null });
          expect(set).toEqual(expect.objectContaining({ updated: utcDate, [property]: value }));
          const state = await subject.readState(subject.A1);
          expect(await subject.update(ID, { [property]: value })).toEqual({
            set: null,
            refused: null,
          });
          expect(await subject.readState(subject.A1)).toBe(state);
        });
      },
    },
  ],
);
