import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { buildGetCall, buildSetCall, readSet } from '../../../conform/src/checks/requests.js';
import { findAnswer } from '../../../conform/src/client/answers.js';

/** RFC 8620 5.3: /set, ifInState and the states that it answers. */

export const setStateDecisions = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-if-in-state-written',
    level: 'must',
    rule: 'A state is compared as it is written: a zero in front of its number makes it another.',
    async run(subject) {
      const state = await subject.readState(subject.A1);
      const others = [
        String(Number(state) + 100),
        `0${state}`,
        `${state}.0`,
        `+${state}`,
        `${state}e0`,
      ];
      for (const ifInState of others) {
        const args = { accountId: subject.A1, ifInState };
        expect(await subject.client.call(`${subject.type}/set`, args)).toEqual(
          subject.matchError('stateMismatch'),
        );
      }
    },
  },
  {
    id: 'set-states-counted',
    level: 'must',
    rule:
      'The state steps by one for each object that changed, none for what failed or stayed the ' +
      'same.',
    needs: { methods: ['changes'], room: 4 },
    async run(subject) {
      const { A1, type, profile } = subject;
      const [updated = '', same = '', gone = ''] = await subject.make(A1, 'a', 'b', 'c');
      const response = await subject.client.api([
        buildSetCall(
          subject,
          {
            create: { k: subject.create('new'), bad: subject.unfit },
            update: {
              [updated]: { [profile.text]: 'x' },
              [same]: { [profile.text]: 'b' },
              nobody: {},
            },
            destroy: [gone, 'nobody'],
          },
          's',
        ),
        buildGetCall(subject, { ids: [] }, 'g'),
      ]);
      const answer = readSet(response, 's');
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 3);
      expect(findAnswer(response, 'g')['state']).toBe(answer.newState);
      const changes = await subject.client.changes(type, {
        accountId: A1,
        sinceState: answer.oldState,
      });
      expect([changes.created.length, changes.updated, changes.destroyed]).toEqual([
        1,
        [updated],
        [gone],
      ]);
    },
  },
  {
    id: 'set-states-of-accounts',
    level: 'must',
    rule: 'States of two accounts move apart from each other.',
    async run(subject) {
      const other = await subject.readState(subject.A2);
      await subject.makeOne(subject.A1);
      expect(await subject.readState(subject.A2)).toBe(other);
    },
  },
]);
