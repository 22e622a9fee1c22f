import { expect } from 'expect';
import { type TypeNeeds, typeChecks } from '../check.js';
import { entry } from '../expected.js';
import { listWritable } from '../subject/described.js';
/**
 * Checks of what a type's descriptor says of its values, each key by the answers that it leads to.
 */

/** Needs no more than objects that can be made and read. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({
  methods: ['get', 'set'],
  singleton: 'both',
});
export const describedValueChecks = typeChecks('5.3', NEEDS, [
  {
    id: 'described-values-required',
    level: 'must',
    rule:
      'A create without a property that must be given is invalidProperties, which tells each ' +
      'that is missing.',
    restsOn: 'which properties must be given',
    needs: { singleton: undefined, room: 0 },
    applies: ({ profile }) => (profile.required.length > 0 ? null : 'Nothing must be given.'),
    async run(subject) {
      const { required } = subject.profile;
      const { notCreated } = await subject.set({ create: { k: {} } });
      expect(notCreated).toEqual({ k: subject.matchSetError('invalidProperties', required) });
      for (const name of required) {
        const { [name]: _, ...rest } = subject.create('t');
        const answer = await subject.set({ create: { k: rest } });
        expect({ name, notCreated: answer.notCreated }).toEqual({
          name,
          notCreated: { k: subject.matchSetError('invalidProperties', [name]) },
        });
      }
    },
  },
  {
    id: 'described-values-defaults',
    level: 'must',
    rule: 'A property that a create leaves out has its default.',
    restsOn: 'the defaults of properties',
    needs: { singleton: undefined },
    async run(subject) {
      const { profile, described } = subject;
      const isGiven = (name: string) => profile.given.some((one) => one.name === name);
      const answer = await subject.set({ create: { k: subject.createLeast('put') } });
      const item = await subject.read(entry(answer.created, 'k').id);
      for (const { name, default: value } of listWritable(described))
        if (value !== undefined && name !== profile.text && !isGiven(name))
          expect({ [name]: item[name] }).toEqual({ [name]: value });
    },
  },
]);
