import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { at, sameMembers } from '../expected.js';
import { cacheQuery, query, queryAll, sortByText, spliceChanges } from '../subject/queries.js';
import { buildReference } from './references-of-types.js';

/** RFC 8620 5.7: what a client does with the methods together. */

export const querySyncChecks = typeChecks(
  '5.7',
  { methods: ['get', 'set', 'query'], text: true, room: 3 },
  [
    {
      id: 'query-sync-first',
      level: 'must',
      rule:
        'A page of a query and its objects come in one request: /get takes the ids of /query by ' +
        'reference.',
      /**
       * Repeats the query alone to learn which ids the request should have found. /get may list
       * them in any order.
       */
      async run(subject) {
        await subject.make(subject.A1, 'a', 'b', 'c');
        const { type, A1: accountId } = subject;
        const args = { accountId, sort: sortByText(subject), position: 0, limit: 2 };
        const { methodResponses } = await subject.client.api([
          [`${type}/query`, args, '0'],
          [`${type}/get`, { accountId, '#ids': buildReference('0', `${type}/query`, '/ids') }, '1'],
        ]);
        const [found = {}, got = {}] = methodResponses.map(([, response]) => response);
        const ids = (await query(subject, { sort: args.sort, limit: 2 })).ids;
        expect(found['ids']).toEqual(ids);
        expect((got['list'] as { id: string }[]).map(({ id }) => id)).toEqual(sameMembers(ids));
        expect(got['notFound']).toEqual([]);
      },
    },
    {
      id: 'query-sync-changes',
      level: 'must',
      rule:
        'A client brings its list and its objects up to date in one request: /queryChanges, ' +
        '/changes, and /get of what was created and updated, by reference, agree with each ' +
        'other.',
      needs: { methods: ['changes', 'queryChanges'] },
      /**
       * Sends the four calls of RFC 8620 5.7 in one request. No write can fall between them, so
       * their answers must agree.
       */
      async run(subject) {
        const { type, profile, A1: accountId } = subject;
        const [a = '', b = ''] = await subject.make(accountId, 'a', 'b');
        const sinceState = await subject.readState(accountId);
        const before = await cacheQuery(subject);
        const c = await subject.makeOne(accountId, 'c');
        await subject.set({ update: { [a]: { [profile.text]: 'a changed' } }, destroy: [b] });
        const since = { accountId, sinceQueryState: before.queryState };
        const referToChanges = (path: string) => buildReference('1', `${type}/changes`, path);
        const { methodResponses } = await subject.client.api([
          [`${type}/queryChanges`, since, '0'],
          [`${type}/changes`, { accountId, sinceState }, '1'],
          [`${type}/get`, { accountId, '#ids': referToChanges('/created') }, '2'],
          [
            `${type}/get`,
            { accountId, '#ids': referToChanges('/updated'), properties: [profile.text] },
            '3',
          ],
        ]);
        const responses = methodResponses.map(([, response]) => response);
        expect(spliceChanges(before.ids, at(responses, 0) as never)).toEqual(
          await queryAll(subject),
        );
        expect(at(responses, 0)['removed']).toEqual(expect.arrayContaining([b]));
        expect(at(responses, 1)).toMatchObject({ created: [c], updated: [a], destroyed: [b] });
        expect(at(responses, 2)['list']).toEqual([expect.objectContaining({ id: c })]);
        expect(at(responses, 3)['list']).toEqual([{ id: a, [profile.text]: 'a changed' }]);
        expect(at(responses, 2)['state']).toBe(at(responses, 1)['newState']);
      },
    },
  ],
);
