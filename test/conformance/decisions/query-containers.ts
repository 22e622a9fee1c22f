import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { findFreeMaps, isSet } from '../../../conform/src/checks/patch-places.js';
import type { Json, JsonMap } from '../../../conform/src/client/json.js';
import { sameMembers } from '../../../conform/src/expected.js';
import { isUnique, listGivable } from '../../../conform/src/subject/described.js';
import { populate } from '../../../conform/src/subject/populated.js';
import { queryOwn } from '../../../conform/src/subject/queries.js';
import type { Subject } from '../../../conform/src/subject/subject.js';
import { listSchemaValues, toSchema } from '../../../conform/src/subject/values.js';
import { normalizationsOf } from '../../../src/descriptor/model/text-rules.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';

/** RFC 8620 5.5: conditions that take values as they are: one of a list, a key, an item. */

export const queryContainerDecisions = typeChecks(
  '5.5',
  { methods: ['get', 'set', 'query'], room: 3 },
  [
    {
      id: 'query-condition-in',
      level: 'must',
      rule:
        'in takes a list: a value that is in it twice counts once, their order says nothing, and ' +
        'an empty list finds nothing.',
      applies: ({ described }) =>
        described.filters.some(({ operator }) => operator === 'in')
          ? null
          : 'The type declares no filter by in.',
      async run(subject) {
        await populate(subject, async (items) => {
          for (const { name, operator, property } of subject.described.filters) {
            if (operator !== 'in') continue;
            const stored = items.map((item) => item[property.name] ?? null);
            const some = [...new Set(stored.filter((value) => value !== null))].slice(0, 3);
            const has = (values: readonly Json[]) =>
              items.flatMap(({ id, [property.name]: value = null }) =>
                values.includes(value) ? [id] : [],
              );
            for (const values of [some, [...some, ...some], some.toReversed(), []]) {
              const filter = { [name]: values };
              expect({ filter, ids: await queryOwn(subject, { filter }) }).toEqual({
                filter,
                ids: sameMembers(has(values)),
              });
            }
          }
        });
      },
    },
    {
      id: 'query-condition-keys',
      level: 'must',
      rule:
        'hasKey and hasItem take a value as it is, whole and in its own case, whatever it looks ' +
        'like.',
      applies: (subject) =>
        containers(subject).length > 0
          ? null
          : 'The type declares no hasKey or hasItem of free texts.',
      async run(subject) {
        for (const { name, property, isMap } of containers(subject)) {
          await subject.empty(subject.A1);
          const values = WORDS.map((word) => (isMap ? mapOf(property, word) : [word, 'z']));
          const ids: string[] = [];
          for (const value of values) ids.push(await subject.putOne({ [property.name]: value }));
          for (const [index, word] of [...WORDS, 're', 'a/b', '%', 'x'].entries()) {
            const filter = { [name]: word };
            expect({ filter, ids: await queryOwn(subject, { filter }) }).toEqual({
              filter,
              ids: index < WORDS.length ? [ids[index]] : [],
            });
          }
        }
      },
      needs: { room: 8 },
    },
  ],
);

const WORDS = ['red', 'Red', 'a/b"c', '__proto__', "it's", '%x', 'a\\b', '$.x'] as const;

/** A map with one key, as an object has it: also one that a program may have a meaning for. */
function mapOf({ schema }: ModelProperty, key: string): JsonMap {
  const value = listSchemaValues(toSchema(schema.additionalProperties)).good[0] ?? true;
  return Object.fromEntries([[key, isSet(toSchema(schema.additionalProperties)) ? true : value]]);
}

interface Container {
  readonly name: string;
  readonly property: ModelProperty;
  readonly isMap: boolean;
}

/** Filters on keys of maps and on items of lists, where these are free texts. */
function containers(subject: Subject): readonly Container[] {
  const maps = findFreeMaps(subject).map(({ property }) => property);
  return subject.described.filters.flatMap(({ name, operator, property }): Container[] => {
    const { items, maxItems = 2 } = property.schema;
    const { type, maxLength = 10, enum: only, pattern, format } = toSchema(items);
    const isFree =
      only === undefined &&
      pattern === undefined &&
      format === undefined &&
      normalizationsOf(toSchema(items)) === undefined;
    const isList = type === 'string' && isFree && maxLength >= 10 && maxItems >= 2;
    const isGiven = listGivable(subject.described).includes(property);
    if (!isGiven || isUnique(subject.described, property)) return [];
    if (operator === 'hasKey' && maps.includes(property)) return [{ name, property, isMap: true }];
    return operator === 'hasItem' && isList ? [{ name, property, isMap: false }] : [];
  });
}
