import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import {
  findOwnLinks,
  forEachLink,
  needOwnLink,
} from '../../../conform/src/checks/creation-references.js';
import { matchInvalid } from '../../../conform/src/checks/patch-places.js';
import { wrapIds } from '../../../conform/src/subject/links.js';

export const creationReferenceDecisions = typeChecks('5.3', { methods: ['get', 'set'] }, [
  {
    id: 'creation-references-circle',
    level: 'must',
    rule:
      'Creates that refer to each other in a circle are each invalidProperties, and so is what ' +
      'refers to one of them; the others are made.',
    needs: { room: 5 },
    applies: needOwnLink,
    async run(subject) {
      await forEachLink(subject, findOwnLinks(subject), async ({ name, reference }) => {
        const to = (key: string) => ({
          ...subject.create('c'),
          [name]: wrapIds(reference, `#${key}`),
        });
        const { created, notCreated } = await subject.set({
          create: {
            a: to('b'),
            b: to('a'),
            self: to('self'),
            hangs: to('a'),
            fine: subject.create('fine'),
          },
        });
        expect(Object.keys(created ?? {})).toEqual(['fine']);
        const refusal = matchInvalid(name);
        expect(notCreated).toEqual({ a: refusal, b: refusal, self: refusal, hangs: refusal });
      });
    },
  },
]);
