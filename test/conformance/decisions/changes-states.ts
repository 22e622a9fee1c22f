import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { chainAnswers, createAtOnce } from '../../../conform/src/checks/changes-states.js';

/** Pages of two changes that five creates and what hooks make of them come to at the most. */
const MOST_PAGES = 50;

export const changesStateDecisions = [
  ...typeChecks('5.2', { methods: ['get', 'changes'], room: 0, singleton: 'both' }, [
    {
      id: 'changes-state-kept',
      level: 'must',
      rule: 'The state stays the same while nothing changes: newState is sinceState.',
      async run(subject) {
        const { session } = subject.server.user;
        for (const accountId of session.listOffering(subject.profile.capability)) {
          const { state } = await subject.client.get(subject.type, { accountId, ids: [] });
          const args = { accountId, sinceState: state };
          const { oldState, newState } = await subject.client.changes(subject.type, args);
          expect({ accountId, oldState, newState }).toEqual({
            accountId,
            oldState: state,
            newState: state,
          });
        }
      },
    },
  ]),
  ...typeChecks('5.2', { methods: ['get', 'set', 'changes'], room: 5 }, [
    {
      id: 'changes-pages-end',
      level: 'must',
      rule: 'The last page of changes leads to the state that /get tells.',
      async run(subject) {
        const { A1: accountId, type } = subject;
        const start = await subject.readState(accountId);
        for (const text of ['a', 'b', 'c', 'd', 'e']) await subject.makeOne(accountId, text);
        let page = await subject.client.changes(type, {
          ...{ accountId, sinceState: start, maxChanges: 2 },
        });
        for (let count = 0; page.hasMoreChanges && count < MOST_PAGES; count += 1)
          page = await subject.client.changes(type, {
            ...{ accountId, sinceState: page.newState, maxChanges: 2 },
          });
        expect([page.hasMoreChanges, page.newState]).toEqual([
          false,
          await subject.readState(accountId),
        ]);
      },
    },
  ]),
  ...typeChecks('3.10', { methods: ['get', 'set', 'changes'], room: 50 }, [
    {
      id: 'changes-parallel-steps',
      level: 'must',
      rule: 'Each create steps the counter by one, in the order in which they were committed.',
      async run(subject) {
        const start = await subject.readState(subject.A1);
        const answers = await createAtOnce(subject, 20);
        const numbers = chainAnswers(answers, start).map(({ newState }) => Number(newState));
        expect(numbers).toEqual(numbers.map((_, index) => Number(start) + index + 1));
      },
    },
  ]),
];
