import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import { NEEDS } from '../../../conform/src/checks/described-values.js';
import { matchRefusal } from '../../../conform/src/checks/refusal.js';
import { type Json, type JsonMap, same } from '../../../conform/src/client/json.js';
import { isUnique, listGivable, listWritable } from '../../../conform/src/subject/described.js';
import type { Subject } from '../../../conform/src/subject/subject.js';
import { countOctets, listValues } from '../../../conform/src/subject/values.js';

/** Creates of one call. */
const AT_ONCE = 20;

interface Tried {
  readonly value: Json;
  readonly id: string;
  readonly refused: JsonMap | null;
}

/** Half of what an object may be: the rest of it takes some, too. */
const fitting = (subject: Subject, values: readonly Json[]): readonly Json[] =>
  values.filter((value) => countOctets(value) < subject.profile.octets / 2);

const hasValues = (subject: Subject): string | null =>
  listGivable(subject.described).length > 0 ? null : 'The type has nothing that a client may set.';

/** Tries to create an object with each of some values. */
async function created(
  subject: Subject,
  name: string,
  values: readonly Json[],
): Promise<readonly Tried[]> {
  const create = Object.fromEntries(
    values.map((value, n) => [`k${n}`, { ...subject.create('put'), [name]: value }]),
  );
  const answer = await subject.set({ create });
  return values.map((value, n) => ({
    value,
    id: answer.created?.[`k${n}`]?.id ?? '',
    refused: answer.notCreated?.[`k${n}`] ?? null,
  }));
}

async function inParts<T>(all: readonly T[], most: number, act: (part: readonly T[]) => unknown) {
  for (let at = 0; at < all.length; at += most) await act(all.slice(at, at + most));
}

/** Each value must be taken, and be there afterwards. */
async function stored(subject: Subject, name: string, tried: readonly Tried[]): Promise<void> {
  for (const { value, refused } of tried)
    expect({ name, value, refused }).toEqual({ name, value, refused: null });
  const ids = tried.map(({ id }) => id);
  const args = { accountId: subject.A1, ids, ...subject.stored };
  const { list } = await subject.client.get(subject.type, args);
  const found = new Map(list.map((item) => [item.id, item[name] ?? null]));
  for (const { id, value } of tried)
    expect({ name, value: found.get(id) }).toEqual({ name, value });
}

export const describedValueDecisions = typeChecks('5.3', NEEDS, [
  {
    id: 'described-values-stored',
    level: 'must',
    rule:
      'Of each property the values that its descriptor allows, those at its bounds among them, ' +
      'are stored and read as they were given.',
    applies: hasValues,
    async run(subject) {
      const { profile, described } = subject;
      for (const property of listGivable(described)) {
        const { name } = property;
        const there = isUnique(described, property) ? [...subject.listForeign().values()] : [];
        const good = fitting(subject, listValues(property).good).filter(
          (value) => !there.some((item) => same(item[name] ?? null, value)),
        );
        const isAlone = isUnique(described, property) || profile.count < 100;
        await inParts(good, isAlone || profile.singleton ? 1 : AT_ONCE, async (part) => {
          if (profile.singleton) {
            const [value = null] = part;
            await stored(subject, name, [{ value, ...(await subject.put({ [name]: value })) }]);
            return;
          }
          const tried = await created(subject, name, part);
          await stored(subject, name, tried);
          await subject.set({ destroy: tried.map(({ id }) => id) });
        });
      }
    },
  },
  {
    id: 'described-values-refused',
    level: 'must',
    rule:
      'Of each property a value of another type, or one past a bound of its descriptor, is ' +
      'invalidProperties, in a create and in an update.',
    applies: hasValues,
    async run(subject) {
      const { profile, described } = subject;
      const id = await subject.putOne({});
      for (const property of listGivable(described)) {
        const { name, required } = property;
        const bad = fitting(subject, listValues(property).bad);
        for (const value of bad) {
          // A null restores the default of what need not be given.
          if (value === null && (profile.singleton || !required)) continue;
          const { refused } = await subject.update(id, { [name]: value });
          expect({ name, value, refused }).toEqual({
            name,
            value,
            refused: matchRefusal(subject, name),
          });
        }
        if (profile.singleton) continue;
        await inParts(bad, AT_ONCE, async (part) => {
          for (const { value, refused } of await created(subject, name, part))
            expect({ name, value, refused }).toEqual({
              name,
              value,
              refused: matchRefusal(subject, name),
            });
        });
      }
    },
  },
  {
    id: 'described-values-null-created',
    level: 'must',
    rule:
      'In a create null is a value as any other: of a property that may not be null it is ' +
      'invalidProperties, also where it need not be given.',
    needs: { singleton: undefined },
    applies: (subject) =>
      neverNull(subject).length > 0 ? null : 'Every property of the type may be null.',
    async run(subject) {
      for (const { name } of neverNull(subject)) {
        const { refused } = await subject.put({ [name]: null });
        expect({ name, refused }).toEqual({ name, refused: matchRefusal(subject, name) });
      }
    },
  },
]);

const neverNull = ({ described }: Subject) =>
  listWritable(described).filter(({ nullable }) => !nullable);
