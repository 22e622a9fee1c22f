import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { makeSix } from '../../../conform/src/checks/query-window.js';
import { at } from '../../../conform/src/expected.js';
import { query, queryAll, tryQuery } from '../../../conform/src/subject/queries.js';

export const queryWindowDecisions = typeChecks(
  '5.5',
  { methods: ['get', 'set', 'query'], room: 6 },
  [
    {
      id: 'query-window-position-as-asked',
      level: 'must',
      rule:
        'The response’s position behind the end is the one that was asked for; by an anchor it ' +
        'is the anchor’s and its offset’s sum.',
      async run(subject) {
        const ids = await makeSix(subject);
        for (const position of [ids.length, ids.length + 1, 2 ** 53 - 1])
          expect((await query(subject, { position })).position).toBe(position);
        const anchored = await query(subject, { anchor: at(ids, 2), anchorOffset: 999 });
        expect(anchored.position).toBe(1001);
      },
    },
    {
      id: 'query-window-server-limit',
      level: 'must',
      rule:
        'Without a limit, or with a higher one, 5,000 ids come at most and the response’s limit ' +
        'says so. There is no other member, and the order is that of creation.',
      async run(subject) {
        await subject.empty(subject.A1);
        const made = await subject.make(subject.A1, ...'abcdef');
        const ids = await queryAll(subject);
        expect(subject.pickOwn(ids)).toEqual(made);
        const answer = await query(subject);
        const members = {
          accountId: subject.A1,
          queryState: answer.queryState,
          canCalculateChanges: subject.has('queryChanges'),
          position: 0,
        };
        const more = subject.pickDeclared('query', answer);
        expect(answer).toEqual({ ...more, ...members, ids, limit: 5000 });
        const three = await query(subject, { limit: 3 });
        expect(three).toEqual({
          ...subject.pickDeclared('query', three),
          ...members,
          ids: ids.slice(0, 3),
        });
        expect((await query(subject, { limit: 5001 })).limit).toBe(5000);
        expect(await query(subject, { limit: 5000 })).not.toHaveProperty('limit');
      },
    },
    {
      id: 'query-window-anchor-elsewhere',
      level: 'must',
      rule:
        'An id of another account, and a string that is no id, are not found as anchors (ids are ' +
        'never used again).',
      async run(subject) {
        await makeSix(subject);
        const foreign = await subject.makeOne(subject.A2);
        for (const anchor of [foreign, '', 'é', 'x'.repeat(300)])
          expect(await tryQuery(subject, { anchor })).toEqual(subject.matchError('anchorNotFound'));
      },
    },
    {
      id: 'query-window-anchor-creation-id',
      level: 'must',
      rule: 'A creation id as anchor is resolved, or it is anchorNotFound.',
      async run(subject) {
        const ids = await makeSix(subject);
        const { methodResponses } = await subject.client.api(
          [[`${subject.type}/query`, { accountId: subject.A1, anchor: '#k', limit: 1 }, 'q']],
          { createdIds: { k: at(ids, 2) } },
        );
        const [answer, args] = at(methodResponses, 0);
        if (answer === 'error') expect(args['type']).toBe('anchorNotFound');
        else expect(args['ids']).toEqual([at(ids, 2)]);
      },
    },
  ],
);
