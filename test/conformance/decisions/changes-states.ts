import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { chained, parallel } from '../../../conform/src/checks/changes-states.js';

export const changesStateDecisions = [
  ...typeChecks('5.2', { methods: ['get', 'changes'], room: 0, singleton: 'both' }, []),
  ...typeChecks('5.2', { methods: ['get', 'set', 'changes'], room: 5 }, []),
  ...typeChecks('3.10', { methods: ['get', 'set', 'changes'], room: 14 }, []),
  ...typeChecks('3.10', { methods: ['get', 'set', 'changes'], room: 50 }, [
    {
      id: 'changes-parallel-steps',
      level: 'must',
      rule: 'Each create steps the counter by one, in the order in which they were committed.',
      async run(subject) {
        const start = await subject.state(subject.A1);
        const answers = await parallel(subject, 20);
        const numbers = chained(answers, start).map(({ newState }) => Number(newState));
        expect(numbers).toEqual(numbers.map((_, index) => Number(start) + index + 1));
      },
    },
  ]),
];
