import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { wrapped } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { withEvents } from './event-source.js';
import { stateOf } from './event-states.js';
import { Targets } from './targets.js';

/** `computed: { count }`: properties that count objects of this type or another one. */

/**
 * Returns the counted properties of a type: the objects of another type that refer to each object.
 */
export const countsOf = ({ described }: Subject) =>
  described.properties.flatMap(({ name, computed, access }) =>
    computed?.kind === 'count' && access !== 'internal' ? [{ name, computed }] : [],
  );

/** Of another type than their own: a change of that one alone is told as two. */
const countsOfOthers = (subject: Subject) =>
  countsOf(subject).filter(({ computed }) => computed.type !== subject.type);
const inEvents = typeChecks('7.1', { methods: ['get', 'set'], room: 1 }, [
  {
    id: 'described-counts-told',
    level: 'must',
    restsOn: 'That the property counts objects of another type.',
    rule:
      'A create or destroy of an object that another type counts is told as a change of both ' +
      'types.',
    applies: (subject) =>
      countsOfOthers(subject).length > 0 ? null : 'The type counts nothing of another one.',
    async run(subject) {
      const { A1, type, server } = subject;
      const targets = new Targets(subject);
      try {
        for (const { name, computed } of countsOfOthers(subject)) {
          const child = await targets.of(computed.type);
          const by = child.described.properties.find((one) => one.name === computed.by);
          const top = await subject.one(A1, 'counts');
          const hold = { [computed.by]: wrapped(by?.reference?.form ?? 'single', top) };
          await withEvents(server, { types: `${type},${child.type}` }, async (stream) => {
            const states = async () => ({
              [type]: await subject.state(A1),
              [child.type]: await child.state(A1),
            });
            const expectEvents = async (act: () => Promise<unknown>): Promise<void> => {
              const before: Readonly<Record<string, string>> = await states();
              await act();
              const heard: Record<string, unknown> = {};
              // In one event or in two; one that is late tells what was before.
              while (Object.keys(heard).length < 2) {
                const { data } = await stream.state();
                for (const one of Object.keys(before)) {
                  const state = stateOf(data, A1, one);
                  if (state !== undefined && state !== before[one]) heard[one] = state;
                }
              }
              expect({ name, heard }).toEqual({ name, heard: await states() });
            };
            let id = '';
            await expectEvents(async () => {
              id = await child.put1(hold);
            });
            await expectEvents(() => child.set({ destroy: [id] }));
          });
          await subject.set({ destroy: [top] });
        }
      } finally {
        await targets.tidy();
      }
    },
  },
]);

export const describedCountChecks = Object.freeze([...inEvents]);
