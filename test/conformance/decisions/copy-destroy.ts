import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { buildCopy, NEEDS, readArgs } from '../../../conform/src/checks/copies.js';
import { listNames, moveObject } from '../../../conform/src/checks/copy-destroy.js';
import { NOTHING_SET } from '../../../conform/src/client/answers.js';

export const copyDestroyDecisions = typeChecks('5.4', NEEDS, [
  {
    id: 'copy-destroy-response-exact',
    level: 'must',
    rule:
      'The implicit /set has every member of a /set response, null where there is nothing, and ' +
      'the source’s state counts one on.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const oldState = await subject.readState(subject.A1);
      const responses = await moveObject(subject, id, { k: buildCopy(subject, id) });
      expect(readArgs(responses, 1)).toEqual({
        ...NOTHING_SET,
        accountId: subject.A1,
        oldState,
        newState: String(Number(oldState) + 1),
        destroyed: [id],
      });
    },
  },
  {
    id: 'copy-destroy-nothing-copied',
    level: 'must',
    rule: 'Where nothing was copied there are no originals to destroy, and no implicit /set.',
    needs: { room: 0 },
    async run(subject) {
      const responses = await moveObject(subject, 'x1', { k: { id: 'x1' } });
      expect(listNames(responses)).toEqual([
        [`${subject.type}/copy`, 'c'],
        [`${subject.type}/get`, 'g'],
      ]);
    },
  },
]);
