import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { findOwnLinks } from '../../../conform/src/checks/creation-references.js';
import { forEachKey } from '../../../conform/src/checks/described-unique.js';
import { entry } from '../../../conform/src/expected.js';
import { wrapIds } from '../../../conform/src/subject/links.js';
import type { Subject } from '../../../conform/src/subject/subject.js';
import type { ModelUnique } from '../../../src/descriptor/model.js';

/** In which order creates, and copies, of one call are judged that refer to one another. */

/** References to the type itself that are no part of a key. */
const linksBeside = (subject: Subject, { properties }: ModelUnique) =>
  findOwnLinks(subject).filter(({ property }) => !properties.includes(property));

const hasOrder = (subject: Subject): string | null =>
  subject.described.uniques.some((unique) => linksBeside(subject, unique).length > 0)
    ? null
    : 'Nothing of the type is unique where its objects refer to one another.';

/** Keys whose values mean the same in another account. */
const movable = ({ properties }: ModelUnique): boolean =>
  properties.every(({ references, blobs }) => references.length === 0 && blobs.length === 0);

const inSets = typeChecks('5.3', { methods: ['get', 'set'], room: 2 }, [
  {
    id: 'described-unique-needed',
    level: 'must',
    rule:
      'An object that others of the call refer to is judged before them, wherever it stands. Of ' +
      'two creates that want the same unique value the one that the other needs is made; the ' +
      'other is alreadyExists.',
    applies: hasOrder,
    run: (subject) =>
      forEachKey(subject, async (unique, key) => {
        for (const { property, reference } of linksBeside(subject, unique)) {
          const link = { [property.name]: wrapIds(reference, '#needed') };
          const create = {
            needs: { ...subject.create('needs'), ...key, ...link },
            needed: { ...subject.create('needed'), ...key },
          };
          const { created, notCreated } = await subject.set({ create });
          const { id } = entry(created, 'needed');
          expect(Object.keys(created ?? {})).toEqual(['needed']);
          expect(notCreated).toEqual({
            needs: expect.objectContaining({ type: 'alreadyExists', existingId: id }),
          });
          await subject.set({ destroy: [id] });
        }
      }),
  },
]);

const inCopies = typeChecks('5.4', { methods: ['get', 'set', 'copy'], room: 2 }, [
  {
    id: 'described-unique-needed-copied',
    level: 'must',
    rule:
      'So it is with copies: of two that want what no two may share in their account, the one ' +
      'that the other needs is made.',
    applies: (subject) =>
      subject.described.uniques.some(
        (unique) => movable(unique) && linksBeside(subject, unique).length > 0,
      )
        ? null
        : 'No unique value of the type can be copied where its objects refer to one another.',
    async run(subject) {
      const { A1: fromAccountId, A2: accountId, type, client } = subject;
      await subject.prepare(accountId);
      try {
        await forEachKey(subject, async (unique, key) => {
          if (!movable(unique)) return;
          for (const { property, reference } of linksBeside(subject, unique)) {
            const [first, second] = [await subject.putOne({}), await subject.putOne({})];
            const link = { [property.name]: wrapIds(reference, '#needed') };
            const create = {
              needs: { id: first, ...subject.readPrepared(), ...key, ...link },
              needed: { id: second, ...subject.readPrepared(), ...key },
            };
            const answer = await client.copy(type, { fromAccountId, accountId, create });
            const { id } = entry(answer.created, 'needed');
            expect(Object.keys(answer.created ?? {})).toEqual(['needed']);
            expect(answer.notCreated).toEqual({
              needs: expect.objectContaining({ type: 'alreadyExists', existingId: id }),
            });
            await subject.set({ accountId, destroy: [id] });
            await subject.set({ destroy: [first, second] });
          }
        });
      } finally {
        await subject.clear(accountId);
      }
    },
  },
]);

export const describedOrderDecisions = Object.freeze([...inSets, ...inCopies]);
