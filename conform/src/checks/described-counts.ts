import { expect } from 'expect';
import type {
  AggregateDefinition,
  ComputedDefinition,
} from '../../../src/capability/definition.js';
import { typeChecks } from '../check.js';
import { NotApplicable } from '../not-applicable.js';
import { type Link, listLinks, wrapIds } from '../subject/links.js';
import type { Subject } from '../subject/subject.js';
import { readState } from './awaited-states.js';
import { withEvents } from './event-source.js';
import { Targets } from './targets.js';

/** `computed: { count }`: properties that count objects of this type or another one. */

/**
 * Finds the counted properties of a type: all objects of another type that refer to each object.
 */
export const findCounts = ({ described }: Subject) =>
  described.properties.flatMap(({ name, computed, access }) =>
    isWholeCount(computed) && access !== 'internal' ? [{ name, computed }] : [],
  );

type WholeCount = AggregateDefinition & { readonly by: string };

function isWholeCount(computed: ComputedDefinition | undefined): computed is WholeCount {
  if (computed?.kind !== 'count') return false;
  return computed.by !== undefined && computed.of === undefined && computed.where === undefined;
}

/** Returns the reference by which objects of a type are counted. */
export function findCounted({ described, type }: Subject, name: string): Link {
  const link = described.properties.flatMap(listLinks).find((one) => one.name === name);
  if (link === undefined)
    throw new NotApplicable(`No value of ${type} can hold ${name} alone, by which it is counted.`);
  return link;
}

/**
 * Finds the properties that count objects of another type: a change of such an object is told as a
 * change of both types.
 */
const findCountsOfOthers = (subject: Subject) =>
  findCounts(subject).filter(({ computed }) => computed.type !== subject.type);
const inEvents = typeChecks('7.1', { methods: ['get', 'set'], room: 1 }, [
  {
    id: 'described-counts-told',
    level: 'must',
    restsOn: 'That the property counts objects of another type.',
    rule:
      'A create or destroy of an object that another type counts is told as a change of both ' +
      'types.',
    applies: (subject) =>
      findCountsOfOthers(subject).length > 0 ? null : 'The type counts nothing of another one.',
    async run(subject) {
      const { A1, type, server } = subject;
      const targets = new Targets(subject);
      try {
        for (const { name, computed } of findCountsOfOthers(subject)) {
          const child = await targets.prepareType(computed.type);
          const by = findCounted(child, computed.by);
          const top = await subject.makeOne(A1, 'counts');
          const hold = { [by.property.name]: wrapIds(by, top) };
          await withEvents(server, { types: `${type},${child.type}` }, async (stream) => {
            const readStates = async () => ({
              [type]: await subject.readState(A1),
              [child.type]: await child.readState(A1),
            });
            const expectEvents = async (act: () => Promise<unknown>): Promise<void> => {
              const before: Readonly<Record<string, string>> = await readStates();
              await act();
              const heard: Record<string, unknown> = {};
              // In one event or in two; one that is late tells what was before.
              while (Object.keys(heard).length < 2) {
                const { data } = await stream.takeState();
                for (const one of Object.keys(before)) {
                  const state = readState(data, A1, one);
                  if (state !== undefined && state !== before[one]) heard[one] = state;
                }
              }
              expect({ name, heard }).toEqual({ name, heard: await readStates() });
            };
            let id = '';
            await expectEvents(async () => {
              id = await child.putOne(hold);
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
