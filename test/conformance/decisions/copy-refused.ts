import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { NEEDS, refused } from '../../../conform/src/checks/copies.js';
export const copyRefusedDecisions = typeChecks('5.4', NEEDS, [
  {
    id: 'copy-same-account',
    level: 'must',
    rule: 'A copy within one account is invalidArguments.',
    needs: { room: 0 },
    async run(subject) {
      const answer = await refused(subject, { accountId: subject.A1, create: {} });
      expect(answer).toEqual(subject.err('invalidArguments'));
    },
  },
]);
