import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { needTextSort } from '../../../conform/src/checks/applies.js';
import { find, findSorts, needSort } from '../../../conform/src/checks/query-sort.js';
import { listVisible } from '../../../conform/src/subject/described.js';
import { compare } from '../../../conform/src/subject/operators.js';
import { populate } from '../../../conform/src/subject/populated.js';
import { tryQuery } from '../../../conform/src/subject/queries.js';

export const querySortDecisions = typeChecks('5.5', { methods: ['get', 'set', 'query'], room: 3 }, [
  {
    id: 'query-sort-none-by-creation',
    level: 'must',
    rule: 'Without a sort the order is that of creation.',
    needs: { room: 5 },
    async run(subject) {
      await subject.empty(subject.A1);
      const first = await subject.make(subject.A1, 'z', 'a', 'm');
      const second = await subject.make(subject.A1, 'b', 'y');
      expect(await find(subject, null)).toEqual([...first, ...second]);
    },
  },
  {
    id: 'query-sort-undeclared',
    level: 'must',
    rule:
      'A property that the descriptor doesn’t declare a sort by is unsupportedSort, whether the ' +
      'type has it or not; names are case-sensitive.',
    needs: { room: 0 },
    async run(subject) {
      const declared = subject.profile.sorts;
      const names = [
        ...listVisible(subject.described).map(({ name }) => name),
        ...subject.hidden,
        '',
        'accountId',
        ...declared.map((name) => name.toUpperCase()),
      ];
      for (const property of names.filter((one) => !declared.includes(one)))
        expect({ property, answer: await tryQuery(subject, { sort: [{ property }] }) }).toEqual({
          property,
          answer: subject.matchError('unsupportedSort'),
        });
    },
  },
  {
    id: 'query-sort-unknown-member',
    level: 'must',
    rule: 'A comparator’s member that is not declared is unsupportedSort.',
    needs: { room: 0 },
    applies: needSort,
    async run(subject) {
      for (const property of subject.profile.sorts)
        expect(await tryQuery(subject, { sort: [{ property, more: 1 }] })).toEqual(
          subject.matchError('unsupportedSort'),
        );
    },
  },
  {
    id: 'query-sort-last-tie',
    level: 'must',
    rule:
      'The last tie goes by id, in the direction of the last comparator; created is the order of ' +
      'creation.',
    needs: { text: true, repeats: true, room: 4 },
    applies: needTextSort,
    async run(subject) {
      const { text: property, sorts: names } = subject.profile;
      await subject.empty(subject.A1);
      const [b1 = '', a1 = '', b2 = '', a2 = ''] = await subject.make(
        subject.A1,
        'b',
        'a',
        'b',
        'a',
      );
      const down = { isAscending: false };
      expect(await find(subject, [{ property }])).toEqual([a1, a2, b1, b2]);
      expect(await find(subject, [{ property, ...down }])).toEqual([b2, b1, a2, a1]);
      if (!names.includes('created')) return;
      const created = { property: 'created' };
      expect(await find(subject, [{ property }, { ...created, ...down }])).toEqual([
        a2,
        a1,
        b2,
        b1,
      ]);
      expect(await find(subject, [{ property, ...down }, created])).toEqual([b1, b2, a1, a2]);
    },
  },
  {
    id: 'query-sort-described',
    level: 'must',
    rule:
      'Each declared sort orders by value or i;unicode-casemap, nulls first ascending and last ' +
      'descending, then by id: one direction is the other reversed.',
    applies: needSort,
    async run(subject) {
      await populate(subject, async (items) => {
        for (const { name, property } of findSorts(subject)) {
          const wanted = [...items].sort((a, b) => compare(a, b, property)).map(({ id }) => id);
          const up = await find(subject, [{ property: name, isAscending: true }]);
          expect({ name, ids: up }).toEqual({ name, ids: wanted });
          const down = await find(subject, [{ property: name, isAscending: false }]);
          expect({ name, ids: down }).toEqual({ name, ids: wanted.reverse() });
        }
      });
    },
  },
]);
