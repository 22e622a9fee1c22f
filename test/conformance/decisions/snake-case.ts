import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { matchRefusal } from '../../../conform/src/checks/refusal.js';
import type { Json, JsonMap } from '../../../conform/src/client/json.js';
import { isUnique, listGivable } from '../../../conform/src/subject/described.js';
import { listOperands } from '../../../conform/src/subject/operators.js';
import { populate } from '../../../conform/src/subject/populated.js';
import { type Query, query, queryOwn, tryQuery } from '../../../conform/src/subject/queries.js';
import type { Subject } from '../../../conform/src/subject/subject.js';
import { countOctets, listValues } from '../../../conform/src/subject/values.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';

/** The names that a type that opts in takes in snake_case beside the names of arguments. */

const snake = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names of one word are the same in both spellings. */
const isLong = (name: string): boolean => /[A-Z]/.test(name);

const optsIn = ({ profile }: Subject): string | null =>
  profile.snakeCase ? null : 'The type takes camelCase alone.';

const longProperties = ({ described }: Subject): readonly ModelProperty[] =>
  listGivable(described).filter(
    (one) => isLong(one.name) && one.access === 'mutable' && !isUnique(described, one),
  );

const longFilters = ({ described }: Subject) =>
  described.filters.filter(({ name }) => isLong(name));

const longSorts = ({ profile }: Subject): readonly string[] => profile.sorts.filter(isLong);

export const snakeCaseDecisions = [
  ...typeChecks('5.3', { methods: ['get', 'set'], room: 1 }, [
    {
      id: 'snake-case-objects',
      level: 'must',
      rule:
        'A type that opts in takes names of properties in snake_case, too, in creates, patches ' +
        'and the properties of a /get, not both spellings of one; answers have camelCase alone.',
      applies: (subject) =>
        optsIn(subject) ??
        (longProperties(subject).length > 0 ? null : 'No property’s name is of two words.'),
      async run(subject) {
        for (const property of longProperties(subject)) {
          const { name } = property;
          const { A1: accountId, type, client } = subject;
          const [first = null, second = first] = listValues(property).good.filter(
            (value) => countOctets(value) < subject.profile.octets / 4,
          );
          const spelled = (value: Json): JsonMap => ({ [snake(name)]: value });
          const { id, reported, refused } = await subject.put(spelled(first));
          expect({ name, refused }).toEqual({ name, refused: null });
          const { set, refused: patched } = await subject.update(id, spelled(second));
          expect({ name, patched }).toEqual({ name, patched: null });
          const item = await subject.read(id);
          expect({ name, value: item[name] }).toEqual({ name, value: second });
          for (const told of [reported, set ?? {}, item])
            expect(Object.keys(told)).not.toContain(snake(name));
          const args = { accountId, ids: [id], properties: [snake(name)] };
          expect((await client.get(type, args)).list).toEqual([{ id, [name]: second }]);
          const both = { ...spelled(first), [name]: first };
          expect((await subject.update(id, both)).refused).toEqual(matchRefusal(subject, name));
          await subject.set({ destroy: [id] });
          expect((await subject.put(both)).refused).toEqual(matchRefusal(subject, name));
        }
      },
    },
  ]),
  ...typeChecks('5.5', { methods: ['get', 'set', 'query'], room: 4 }, [
    {
      id: 'snake-case-queries',
      level: 'must',
      rule:
        'Names of conditions and of properties to sort by may be in snake_case there, too: the ' +
        'same query as in camelCase, with the same queryState. Both spellings of one name are ' +
        'invalidArguments.',
      applies: (subject) =>
        optsIn(subject) ??
        (longFilters(subject).length + longSorts(subject).length > 0
          ? null
          : 'No filter’s and no sort’s name is of two words.'),
      run: (subject) =>
        populate(subject, async (items) => {
          const same = async (camel: Query, spelled: Query): Promise<void> => {
            const told = [
              await queryOwn(subject, spelled),
              (await query(subject, spelled)).queryState,
            ];
            expect([spelled, ...told]).toEqual([
              spelled,
              await queryOwn(subject, camel),
              (await query(subject, camel)).queryState,
            ]);
          };
          for (const filter of longFilters(subject)) {
            const { name } = filter;
            const values = listOperands(filter, items).filter((value) => value !== null);
            for (const value of values.slice(0, 3))
              await same({ filter: { [name]: value } }, { filter: { [snake(name)]: value } });
            const both = { [name]: values[0] ?? null, [snake(name)]: values[0] ?? null };
            expect(await tryQuery(subject, { filter: both })).toEqual(
              subject.matchError('invalidArguments', name),
            );
          }
          for (const property of longSorts(subject)) {
            const camel = { sort: [{ property, isAscending: false }] };
            await same(camel, { sort: [{ property: snake(property), is_ascending: false }] });
          }
        }),
    },
  ]),
];
