import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Json, JsonMap } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { findRead, listMade, type Made, makeOf } from '../subject/aggregates.js';
import { listWritable } from '../subject/described.js';
import { wrapIds } from '../subject/links.js';
import type { Subject } from '../subject/subject.js';
import { listValues } from '../subject/values.js';
import { findCounted } from './described-counts.js';
import { Targets } from './targets.js';

/** `computed: { count, sum, min, max }`: values that the server makes of other objects. */

/** Returns values for an object that is a part of the aggregate, as far as a check can tell. */
function partValues(made: Made, child: Subject, at: number): JsonMap {
  const values: Record<string, Json> = {};
  const writable = new Map(listWritable(child.described).map((one) => [one.name, one]));
  for (const { property, path, values: given, isNot = false } of made.computed.where ?? []) {
    const value = given.find((one) => one !== null);
    if (path === undefined && !isNot && value !== undefined && writable.has(property))
      values[property] = value as Json;
  }
  const read = findRead(made, child.described);
  if (read === null || !writable.has(read.name) || read.references.length > 0) return values;
  const good = listValues(read).good.filter((one) => one !== null);
  const value = good[at % Math.max(1, good.length)];
  return value === undefined || read.name in values ? values : { ...values, [read.name]: value };
}

/** Tells whether a client can make an object that is a part of the aggregate. */
function canMakePart(made: Made, child: Subject): boolean {
  const values = partValues(made, child, 0);
  return (
    child.profile.methods.has('set') &&
    child.described.properties.every(({ name, schema }) => {
      const { enum: legal } = schema;
      const value = values[name];
      return legal === undefined || value === undefined || legal.includes(value);
    })
  );
}

const inValues = typeChecks('1.1', { methods: ['get', 'set'], room: 1 }, [
  {
    id: 'described-aggregates',
    level: 'must',
    restsOn: 'That the property is made of these objects.',
    rule:
      'A property that is a count, a sum, the least or the greatest value of other objects is ' +
      'what these objects give, whenever they come, change and go.',
    applies: ({ described }) =>
      listMade(described).length > 0 ? null : 'The type has no property that is made of others.',
    async run(subject) {
      const { A1 } = subject;
      const targets = new Targets(subject);
      let tried = 0;
      try {
        for (const made of listMade(subject.described)) {
          const { name } = made.property;
          const child = await targets.prepareType(made.computed.type);
          if (!canMakePart(made, child)) continue;
          tried += 1;
          const by = findCounted(child, made.computed.by);
          const top = await subject.makeOne(A1, 'is made of others');
          const ids: string[] = [];
          const expectRight = async (): Promise<void> => {
            const { list } = await child.client.get(child.type, { accountId: A1, ids });
            const right = makeOf(made, child.described, list);
            expect({ name, value: (await subject.read(top))[name] }).toEqual({
              name,
              value: right,
            });
          };
          await expectRight();
          for (const at of [0, 1]) {
            const values = { ...partValues(made, child, at), [by.property.name]: wrapIds(by, top) };
            const id = await child.putOne(values);
            ids.push(id);
            targets.add(child, A1, id);
            await expectRight();
          }
          for (const id of ids.splice(0, 1)) await child.set({ destroy: [id] });
          await expectRight();
          for (const id of ids.splice(0, 1)) await child.set({ destroy: [id] });
          await expectRight();
          await subject.set({ destroy: [top] });
        }
        if (tried === 0) throw new NotApplicable('No client can make objects that are counted.');
      } finally {
        await targets.tidy();
      }
    },
  },
]);

export const describedAggregateChecks = Object.freeze([...inValues]);
