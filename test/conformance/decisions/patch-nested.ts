import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { forEachObject } from '../../../conform/src/checks/patch-holding.js';
import { findRichest, needObjects } from '../../../conform/src/checks/patch-places.js';

/**
 * RFC 8620 5.3: PatchObject, at each place within objects, maps and sets that the descriptor has.
 */

export const nestedPatchDecisions = typeChecks(
  '5.3',
  { methods: ['get', 'set'], singleton: 'both' },
  [
    {
      id: 'patch-equal-values',
      level: 'must',
      rule:
        'Equal values, in whatever order their members come and by whichever pointer, are no ' +
        'change.',
      applies: needObjects,
      run: (subject) =>
        forEachObject(subject, findRichest, async ({ id, name, start, places }) => {
          const nothing = { set: null, refused: null };
          const before = await subject.read(id);
          const turned = Object.fromEntries(Object.entries(start).reverse());
          for (const patch of [
            { [name]: turned },
            before,
            ...places.map(({ pointer, value }) => ({ [pointer]: value })),
          ])
            expect(await subject.update(id, patch)).toEqual(nothing);
          for (const { pointer, value } of places.filter(({ required }) => !required).slice(0, 1)) {
            await subject.update(id, { [pointer]: null });
            expect(await subject.update(id, { [pointer]: null })).toEqual(nothing);
            await subject.update(id, { [pointer]: value });
          }
        }),
    },
  ],
);
