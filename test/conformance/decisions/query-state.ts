import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { buildQueries } from '../../../conform/src/checks/query-state.js';
import { populate } from '../../../conform/src/subject/populated.js';
import { query } from '../../../conform/src/subject/queries.js';
import { buildFilters } from '../../../conform/src/subject/trees.js';

export const queryStateDecisions = typeChecks(
  '5.5',
  { methods: ['get', 'set', 'query'], room: 3 },
  [
    {
      id: 'query-can-calculate-all',
      level: 'must',
      rule: 'Changes can be calculated for every filter and sort that a type declares.',
      needs: { methods: ['queryChanges'] },
      async run(subject) {
        await populate(subject, async (items) => {
          for (const args of buildQueries(subject, items)) {
            const { canCalculateChanges } = await query(subject, args);
            expect({ args, canCalculateChanges }).toEqual({ args, canCalculateChanges: true });
          }
          const conditions = buildFilters(subject, items).slice(0, 2);
          const filter = { operator: 'NOT', conditions };
          const sort = subject.profile.sorts.map((property) => ({ property, isAscending: false }));
          expect((await query(subject, { filter, sort })).canCalculateChanges).toBe(true);
        });
      },
    },
  ],
);
