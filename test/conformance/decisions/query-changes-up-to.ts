import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { NEEDS } from '../../../conform/src/checks/query-follow.js';
import { cacheQuery, queryChanges } from '../../../conform/src/subject/queries.js';

/**
 * RFC 8620 5.6: /queryChanges for clients that hold a part of the results, by upToId or without it.
 */

export const queryChangesUpToDecisions = typeChecks('5.6', NEEDS, [
  {
    id: 'query-changes-up-to-id-default-order',
    level: 'must',
    rule:
      'No filter and no sort count as immutable: upToId cuts off what comes behind it, unless it ' +
      'is not in the results.',
    needs: { room: 6 },
    async run(subject) {
      await subject.empty(subject.A1);
      const [, b = '', , d = ''] = await subject.make(subject.A1, 'a', 'b', 'c', 'd');
      const before = await cacheQuery(subject);
      const id = await subject.makeOne(subject.A1, 'new');
      const added = async (more: object) =>
        (await queryChanges(subject, before, more)).added.map((item) => item.id);
      expect(await added({})).toEqual([id]);
      expect(await added({ upToId: b })).toEqual([]);
      expect(await added({ upToId: 'x1' })).toEqual([id]);
      await subject.set({ destroy: [d] });
      expect((await queryChanges(subject, before)).removed).toEqual([d]);
      expect((await queryChanges(subject, before, { upToId: b })).removed).toEqual([]);
    },
  },
]);
