import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { callChanges, update } from '../../../conform/src/checks/changes.js';
import { sameMembers } from '../../../conform/src/expected.js';

export const changesDecisions = typeChecks(
  '5.2',
  { methods: ['get', 'set', 'changes'], text: true },
  [
    {
      id: 'changes-no-op-update',
      level: 'must',
      rule: 'An update that changes nothing is no change: the state stays.',
      async run(subject) {
        const id = await subject.makeOne(subject.A1, 'same');
        const state = await subject.readState(subject.A1);
        await update(subject, id, 'same');
        expect(await subject.readState(subject.A1)).toBe(state);
        expect((await callChanges(subject, state)).updated).toEqual([]);
      },
    },
    {
      id: 'changes-exactly-max-changes',
      level: 'must',
      rule:
        'As many changes as maxChanges are told at once and leave no more: hasMoreChanges is ' +
        'false (the RFC lets a server return fewer).',
      needs: { room: 3 },
      async run(subject) {
        const start = await subject.readState(subject.A1);
        const ids = await subject.make(subject.A1, 'a', 'b', 'c');
        const answer = await callChanges(subject, start, { maxChanges: 3 });
        expect(answer).toMatchObject({ hasMoreChanges: false, created: sameMembers(ids) });
        expect((await callChanges(subject, start, { maxChanges: 2 })).hasMoreChanges).toBe(true);
      },
    },
    {
      id: 'changes-state-ahead',
      level: 'must',
      rule:
        'A state is a decimal counter; one that lies ahead of it, or is written in another way, ' +
        'is cannotCalculateChanges.',
      async run(subject) {
        const state = await subject.readState(subject.A1);
        const ahead = [String(Number(state) + 1), '999999999999', '9'.repeat(23)];
        const odd = ['-1', '+1', '01', '00', '1.0', '1e0', ' 0', '0 ', 'NaN', 'Infinity', '0x1'];
        for (const sinceState of [...ahead, ...odd]) {
          const args = { accountId: subject.A1, sinceState };
          expect(await subject.client.call(`${subject.type}/changes`, args)).toEqual(
            subject.matchError('cannotCalculateChanges'),
          );
        }
      },
    },
  ],
);
