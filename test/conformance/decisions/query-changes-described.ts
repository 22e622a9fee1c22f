import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { findImmutable } from '../../../conform/src/checks/query-changes-described.js';
import type { Json } from '../../../conform/src/client/json.js';
import { cacheQuery, query, queryAll, queryChanges } from '../../../conform/src/subject/queries.js';

export const queryChangesDescribedDecisions = typeChecks(
  '5.6',
  { methods: ['get', 'set', 'query', 'queryChanges'], room: 4 },
  [
    {
      id: 'query-changes-up-to-id-filtered',
      level: 'must',
      rule:
        'A filter on an immutable property alone, with no sort, lets upToId cut off what comes ' +
        'behind it; what the filter leaves out is never added.',
      needs: { room: 6 },
      applies: (subject) =>
        findImmutable(subject) === undefined
          ? 'The type has no equals or in on an immutable property.'
          : null,
      async run(subject) {
        const found = findImmutable(subject);
        if (found === undefined) throw new Error('The check does not apply.');
        const { filter, property, one, other } = found;
        const put = (value: Json) => subject.putOne({ [property.name]: value });
        await subject.empty(subject.A1);
        const first = await put(one);
        await put(one);
        await put(other);
        const args = { filter: { [filter.name]: filter.operator === 'in' ? [one] : one } };
        const before = await cacheQuery(subject, args);
        const id = await put(one);
        await put(other);
        const told = await queryChanges(subject, before);
        const ids = await queryAll(subject, args);
        expect(subject.pickOwn(ids).indexOf(id)).toBe(2);
        expect(told.added).toEqual([{ id, index: ids.indexOf(id) }]);
        const cut = await queryChanges(subject, before, { upToId: first });
        expect([cut.removed, cut.added]).toEqual([[], []]);
        const { queryState } = await query(subject, args);
        expect([told.newQueryState, cut.newQueryState]).toEqual([queryState, queryState]);
      },
    },
  ],
);
