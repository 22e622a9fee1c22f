import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import {
  findAcyclicLinks,
  findLinks,
  forEachLink,
  NEEDS,
  needLink,
} from '../../../conform/src/checks/described-links.js';
import { matchRefusal } from '../../../conform/src/checks/refusal.js';
import type { JsonMap } from '../../../conform/src/client/json.js';
import { wrapIds } from '../../../conform/src/subject/links.js';
import type { Subject } from '../../../conform/src/subject/subject.js';

/** Returns the values that a second copy of one object must have of its own. */
function another(subject: Subject): JsonMap {
  const own = subject.profile.given.filter(
    ({ references, blobs }) => references.length === 0 && blobs.length === 0,
  );
  return Object.fromEntries(own.map(({ name }) => [name, subject.drawDiffering(name)]));
}

export const describedLinkDecisions = typeChecks('5.3', NEEDS, [
  {
    id: 'described-links-acyclic',
    level: 'must',
    rule:
      'Where a descriptor wants no cycles an object refers neither to itself nor to what refers ' +
      'to it, over any number of others: invalidProperties.',
    needs: { singleton: undefined },
    applies: (subject) =>
      findAcyclicLinks(subject).length > 0 ? null : 'The type has no reference without cycles.',
    async run(subject) {
      await forEachLink(subject, findAcyclicLinks(subject), async ({ name, reference }) => {
        const top = await subject.putOne({});
        const middle = await subject.putOne({ [name]: wrapIds(reference, top) });
        const leaf = await subject.putOne({ [name]: wrapIds(reference, middle) });
        for (const id of [top, middle, leaf]) {
          const { refused } = await subject.update(top, { [name]: wrapIds(reference, id) });
          expect({ name, refused }).toEqual({
            name,
            refused: subject.matchSetError('invalidProperties', [name]),
          });
        }
        await subject.set({ destroy: [leaf, middle, top] });
      });
    },
  },
  {
    id: 'described-links-copied',
    section: '5.4',
    level: 'must',
    rule:
      'A copied reference into the source is invalidProperties, unless the client ' +
      'gives another.',
    needs: { methods: ['copy'], singleton: undefined },
    applies: needLink,
    async run(subject) {
      await forEachLink(
        subject,
        findLinks(subject),
        async ({ name, reference, targets, property }) => {
          const { type } = reference;
          const near = await targets.make(type, subject.A1, 'near');
          const id = await subject.putOne({ [name]: wrapIds(reference, near) });
          const { [name]: _, ...rest } = subject.readPrepared();
          const copy = async (more: JsonMap) =>
            await subject.client.copy(subject.type, {
              fromAccountId: subject.A1,
              accountId: subject.A2,
              create: { k: { id, ...rest, ...more } },
            });
          const refused = await copy({});
          expect({ name, ...refused.notCreated }).toEqual({ name, k: matchRefusal(subject, name) });
          const far = await targets.make(type, subject.A2, 'far');
          const { notCreated } = await copy({ [name]: wrapIds(reference, far) });
          expect({ name, notCreated }).toEqual({ name, notCreated: null });
          if (!property.required && property.nullable)
            expect((await copy({ [name]: null, ...another(subject) })).notCreated).toBeNull();
        },
      );
    },
  },
]);
