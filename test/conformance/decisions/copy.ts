import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { buildCopy, buildCopyCall, copy, NEEDS } from '../../../conform/src/checks/copies.js';
import { buildGetCall, readCreated } from '../../../conform/src/checks/requests.js';
import { findAnswer } from '../../../conform/src/client/answers.js';
import { entry, serverId } from '../../../conform/src/expected.js';
export const copyDecisions = typeChecks('5.4', NEEDS, [
  {
    id: 'copy-response-exact',
    level: 'must',
    rule:
      'created has the copy’s new id, its times and what only the server sets, and nothing else; ' +
      'the target’s state counts one on.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'original');
      const oldState = await subject.readState(subject.A2);
      const answer = await copy(subject, { create: { k: buildCopy(subject, id) } });
      const { serverSet } = subject.profile;
      expect(answer).toEqual({
        fromAccountId: subject.A1,
        accountId: subject.A2,
        oldState,
        newState: String(Number(oldState) + 1),
        created: { k: { id: serverId, ...subject.times, ...serverSet } },
        notCreated: null,
      });
      const made = entry(answer.created, 'k');
      expect(made.id).not.toBe(id);
      const args = { accountId: subject.A2, ids: [made.id], ...subject.stored };
      expect(await subject.client.get(subject.type, args)).toEqual({
        accountId: subject.A2,
        state: answer.newState,
        list: [{ ...subject.buildShown('original', subject.A2), ...made }],
        notFound: [],
      });
    },
  },
  {
    id: 'copy-creation-id-in-get',
    level: 'must',
    rule: 'A later /get of the request finds a copy by its creation id.',
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'copied');
      const response = await subject.client.api([
        buildCopyCall(subject, id),
        buildGetCall(subject, { accountId: subject.A2, ids: ['#k'], properties: [text] }, 'g'),
      ]);
      const { id: made } = readCreated(response, 'c');
      expect(findAnswer(response, 'g')['list']).toEqual([{ id: made, [text]: 'copied' }]);
    },
  },
]);
