import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { findCounted, findCounts } from '../../../conform/src/checks/described-counts.js';
import { Targets } from '../../../conform/src/checks/targets.js';
import { sameMembers } from '../../../conform/src/expected.js';
import { wrapIds } from '../../../conform/src/subject/links.js';
import type { Subject } from '../../../conform/src/subject/subject.js';

/** Finds the counts of what has a text to change. */
const findCountsOfTexts = (subject: Subject) =>
  findCounts(subject).filter(
    ({ computed }) => subject.selectType(computed.type).profile.text !== '',
  );

/** An object that counts has this number, and an act that changes it is a change of its. */
const inChanges = typeChecks('5.2', { methods: ['get', 'set', 'changes'], room: 4 }, [
  {
    id: 'described-counts',
    level: 'must',
    rule:
      'A property that counts follows what comes, moves and goes, and each step is an update of ' +
      'the object that counts.',
    applies: (subject) => (findCounts(subject).length > 0 ? null : 'The type counts nothing.'),
    async run(subject) {
      const targets = new Targets(subject);
      try {
        for (const { name, computed } of findCounts(subject)) {
          const child = await targets.prepareType(computed.type);
          const by = findCounted(child, computed.by);
          const [a = '', b = ''] = await subject.make(subject.A1, 'counts', 'other');
          const hold = (id: string) => ({ [by.property.name]: wrapIds(by, id) });
          /**
           * Returns the changes of an act: the numbers of both, and that these are among the
           * updated.
           */
          const step = async (
            act: () => Promise<unknown>,
            numbers: readonly [number, number],
            ...changed: readonly string[]
          ) => {
            const args = { accountId: subject.A1, sinceState: await subject.readState(subject.A1) };
            await act();
            const { updated } = await subject.client.changes(subject.type, args);
            const now = [(await subject.read(a))[name], (await subject.read(b))[name]];
            expect({ name, now }).toEqual({ name, now: numbers });
            const told = updated.filter((id) => id === a || id === b);
            expect({ name, told }).toEqual({ name, told: sameMembers(changed) });
          };
          const ids: string[] = [];
          const add = async () => {
            const id = await child.putOne(hold(a));
            ids.push(id);
            targets.add(child, subject.A1, id);
          };
          await step(add, [1, 0], a);
          await step(add, [2, 0], a);
          const [first = '', second = ''] = ids;
          if (by.property.access === 'mutable') {
            await step(() => child.update(first, hold(b)), [1, 1], a, b);
            await step(() => child.update(first, hold(a)), [2, 0], a, b);
          }
          await step(() => child.set({ destroy: [first] }), [1, 0], a);
          await step(() => child.set({ destroy: [second] }), [0, 0], a);
          await subject.set({ destroy: [a, b] });
        }
      } finally {
        await targets.tidy();
      }
    },
  },
  {
    id: 'described-counts-unmoved',
    level: 'must',
    rule:
      'An update of what is counted that leaves the count as it is is no change of the object ' +
      'that counts.',
    applies: (subject) =>
      findCountsOfTexts(subject).length > 0 ? null : 'The type counts nothing that has a text.',
    async run(subject) {
      const targets = new Targets(subject);
      try {
        for (const { name, computed } of findCountsOfTexts(subject)) {
          const child = await targets.prepareType(computed.type);
          const { text } = child.profile;
          const by = findCounted(child, computed.by);
          const top = await subject.makeOne(subject.A1, 'counts');
          const id = await child.putOne({
            [by.property.name]: wrapIds(by, top),
          });
          targets.add(child, subject.A1, id);
          const args = { accountId: subject.A1, sinceState: await subject.readState(subject.A1) };
          const { refused } = await child.update(id, { [text]: 'another' });
          expect({ name, refused }).toEqual({ name, refused: null });
          const { updated } = await subject.client.changes(subject.type, args);
          const ofBoth = updated.filter((one) => one === top || one === id);
          expect(ofBoth).toEqual(child.type === subject.type ? [id] : []);
          expect((await subject.read(top))[name]).toBe(1);
          await child.set({ destroy: [id] });
          await subject.set({ destroy: [top] });
        }
      } finally {
        await targets.tidy();
      }
    },
  },
]);
export const describedCountDecisions = Object.freeze([...inChanges]);
