import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { buildCalls } from '../../../conform/src/checks/dispatch.js';
import { WRONG_TYPES } from '../../../conform/src/checks/dispatch-arguments.js';

export const dispatchDecisions = typeChecks(
  '3.6.2',
  { methods: ['get'], singleton: 'both', room: 0 },
  [
    {
      id: 'dispatch-read-only-nothing-to-do',
      level: 'must',
      rule: 'A /set of a read-only account is accountReadOnly even where it has nothing to do.',
      needs: { methods: ['set'] },
      async run(subject) {
        const { AR: accountId, type } = subject;
        for (const args of [{}, { destroy: [] }, { create: {} }])
          expect(await subject.client.call(`${type}/set`, { accountId, ...args })).toEqual(
            subject.matchError('accountReadOnly'),
          );
      },
    },
    {
      id: 'dispatch-account-same-words',
      level: 'must',
      rule: 'An account out of reach is refused in the same words as one that does not exist.',
      async run(subject) {
        const { AX, unknownAccount } = subject;
        const others = buildCalls(subject, { accountId: unknownAccount });
        const masked = (answer: unknown): string =>
          JSON.stringify(answer).replaceAll(AX, '-').replaceAll(unknownAccount, '-');
        for (const [index, [method, args]] of buildCalls(subject, { accountId: AX }).entries()) {
          const [, unknown = {}] = others[index] ?? [];
          const [theirs, nobodys] = [
            await subject.client.call(method, args),
            await subject.client.call(method, unknown),
          ];
          expect([method, masked(theirs)]).toEqual([method, masked(nobodys)]);
        }
      },
    },
    {
      id: 'dispatch-types-before-accounts',
      level: 'must',
      rule: 'An argument of the wrong type is told before an account that does not exist.',
      needs: { methods: ['copy'] },
      async run(subject) {
        const { A1: accountId, unknownAccount: fromAccountId, type } = subject;
        for (const [verb, argument, wrong] of WRONG_TYPES) {
          if (verb !== 'copy') continue;
          const args = { accountId, fromAccountId, ...wrong };
          const answer = await subject.client.call(`${type}/copy`, args);
          const expected = subject.matchError('invalidArguments', argument);
          expect({ wrong, answer }).toEqual({ wrong, answer: expected });
        }
      },
    },
    {
      id: 'dispatch-unknown-arguments-named',
      level: 'must',
      rule: 'All unknown arguments are named.',
      async run(subject) {
        for (const [method, args] of buildCalls(subject)) {
          const answer = await subject.client.call(method, { ...args, foo: 1, 'other name': null });
          expect(answer).toEqual(subject.matchError('invalidArguments', 'foo', 'other name'));
        }
      },
    },
    {
      id: 'dispatch-snake-case',
      level: 'must',
      rule:
        'A type that opts in takes argument names in snake_case, too, not both spellings of one; ' +
        'another type takes camelCase alone.',
      async run(subject) {
        const { A1: accountId, client, type } = subject;
        const snake = { account_id: accountId, ids: [] };
        const both = await client.call(`${type}/get`, { ...snake, accountId });
        if (!subject.profile.snakeCase) {
          expect(both).toEqual(subject.matchError('invalidArguments', 'account_id'));
          return;
        }
        expect(both).toEqual(subject.matchError('invalidArguments'));
        expect(await client.get(type, snake)).toEqual(
          await client.get(type, { accountId, ids: [] }),
        );
        if (!subject.has('query')) return;
        const query = await client.query(type, { account_id: accountId, calculate_total: true });
        expect(query.total).toEqual(expect.any(Number));
      },
    },
  ],
);
