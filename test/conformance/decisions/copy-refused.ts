import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { copy, NEEDS, tryCopy } from '../../../conform/src/checks/copies.js';

export const copyRefusedDecisions = typeChecks('5.4', NEEDS, [
  {
    id: 'copy-same-account',
    level: 'must',
    rule: 'A copy within one account is invalidArguments.',
    needs: { room: 0 },
    async run(subject) {
      const answer = await tryCopy(subject, { accountId: subject.A1, create: {} });
      expect(answer).toEqual(subject.matchError('invalidArguments'));
    },
  },
  {
    id: 'copy-id-required-each',
    level: 'must',
    rule:
      'An object without the id of an original is invalidProperties by itself; the call is no ' +
      'error.',
    needs: { room: 0 },
    async run(subject) {
      const create = { k: { [subject.profile.text]: 'a' }, n: { id: null }, m: { id: 5 } };
      const { created, notCreated } = await copy(subject, { create });
      const error = subject.matchSetError('invalidProperties', ['id']);
      expect([created, notCreated]).toEqual([null, { k: error, n: error, m: error }]);
    },
  },
]);
