import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { buildHuge } from '../../../conform/src/checks/query-filter.js';
import type { Json, JsonMap } from '../../../conform/src/client/json.js';
import { queryOwn, tryQuery } from '../../../conform/src/subject/queries.js';

export const queryFilterDecisions = typeChecks(
  '5.5',
  { methods: ['get', 'set', 'query'], room: 3 },
  [
    {
      id: 'query-filter-empty-operators',
      level: 'must',
      rule: 'AND and NOT without conditions match all, OR matches none.',
      async run(subject) {
        await subject.empty(subject.A1);
        const ids = await subject.make(subject.A1, 'a', 'b');
        const find = async (operator: string, ...conditions: Json[]) =>
          await queryOwn(subject, { filter: { operator, conditions } });
        expect(await find('AND')).toEqual(ids);
        expect(await find('OR')).toEqual([]);
        expect(await find('NOT')).toEqual(ids);
        const none = { operator: 'OR', conditions: [] };
        expect(await find('NOT', none)).toEqual(ids);
        expect(await find('NOT', {})).toEqual([]);
        expect(await find('AND', {}, none)).toEqual([]);
        expect(await find('OR', {}, none)).toEqual(ids);
      },
    },
    {
      id: 'query-filter-beside-operator',
      level: 'must',
      rule: 'A member beside operator and conditions is invalidArguments.',
      needs: { room: 0 },
      async run(subject) {
        const filter = { operator: 'AND', conditions: [], done: true };
        const error = subject.matchError('invalidArguments', 'filter');
        expect(await tryQuery(subject, { filter })).toEqual(error);
      },
    },
    {
      id: 'query-filter-undeclared-type',
      level: 'must',
      rule:
        'A filter property that the type doesn’t declare is unsupportedFilter, whatever else it ' +
        'is a name of, also beside one that is declared.',
      needs: { room: 0 },
      async run(subject) {
        const names = [
          'nope',
          'accountId',
          'conditions',
          'toString',
          '__proto__',
          'constructor',
          '',
          ...subject.hidden,
        ];
        const declared = subject.described.filters.map(({ name }) => name);
        for (const name of names.filter((one) => !declared.includes(one))) {
          const condition = JSON.parse(`{${JSON.stringify(name)}:"x"}`) as JsonMap;
          const nested = { operator: 'AND', conditions: [condition] };
          const beside = Object.fromEntries([...declared.map((one) => [one, null]), ['nope', 1]]);
          for (const filter of [condition, nested, beside])
            expect({ name, answer: await tryQuery(subject, { filter }) }).toEqual({
              name,
              answer: subject.matchError('unsupportedFilter'),
            });
        }
      },
    },
    {
      id: 'query-filter-too-large',
      level: 'must',
      rule: 'A filter of 10,000 conditions, or 1,000 levels deep, is unsupportedFilter.',
      needs: { room: 0 },
      async run(subject) {
        for (const filter of buildHuge())
          expect(await tryQuery(subject, { filter })).toEqual(
            subject.matchError('unsupportedFilter'),
          );
      },
    },
  ],
);
