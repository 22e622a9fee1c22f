import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { entry, satisfying } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { listGivable } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { findLargeText, needReachableCount } from './described-limits.js';
import {
  findChangeable,
  forEachCopiedKey,
  forEachKey,
  needChangeable,
  needCopiedKey,
  needKey,
} from './described-unique.js';

/**
 * RFC 8620 5.3 and 5.4: rules of unique values, limits and sets that each of the allowed answers
 * keeps.
 */

/** Says what of a descriptor the checks of unique values rest on. */
const UNIQUE = 'which values no two objects may share';

/** Counts the objects that have all values of a key. */
async function countHolders(subject: Subject, key: JsonMap): Promise<number> {
  const has = (item: JsonMap) =>
    Object.entries(key).every(([name, value]) => same(item[name] ?? null, value));
  return (await subject.listOwn(subject.A1)).filter(has).length;
}

/** Lists the keys of a map; none of null. */
const listKeys = (map: object | null): string[] => Object.keys(map ?? {});

/** Matches a SetError of none of these types. A type may have errors of its own (RFC 8620 5.3). */
const matchErrorBut = (...others: readonly string[]) =>
  satisfying(`a SetError, and none of ${others.join(', ')}`, (value) => {
    const type = (value as JsonMap | null)?.['type'];
    return typeof type === 'string' && !others.includes(type);
  });

/** Lists SetErrors that RFC 8620 5.3 defines for other reasons than a limit. */
const ELSE = ['notFound', 'invalidPatch', 'willDestroy', 'invalidProperties', 'singleton'];

export const describedFinalChecks = typeChecks('5.3', { methods: ['get', 'set'], room: 2 }, [
  {
    id: 'described-unique-valid',
    level: 'must',
    rule:
      'After a /set no two objects share what is unique: of two creates, and of two updates, ' +
      'that want the same not both are done.',
    restsOn: UNIQUE,
    applies: needKey,
    /**
     * Counts the objects that hold the value afterwards, and compares with what the answer says was
     * done.
     */
    async run(subject) {
      await forEachKey(subject, async (unique, key) => {
        const create = {
          a: { ...subject.create('a'), ...key },
          b: { ...subject.create('b'), ...key },
        };
        const { created, notCreated } = await subject.set({ create });
        expect([...listKeys(created), ...listKeys(notCreated)].sort()).toEqual(['a', 'b']);
        expect(listKeys(notCreated)).not.toEqual([]);
        expect(await countHolders(subject, key)).toBe(listKeys(created).length);
        const name = findChangeable(unique)?.name;
        if (name === undefined) return;
        // Not all there is: a key may refer to objects of the type itself.
        await subject.set({ destroy: listKeys(created).map((one) => entry(created, one).id) });
        const value = subject.drawDiffering(name);
        const [a, b] = [
          await subject.putOne({ ...key, [name]: subject.drawDiffering(name) }),
          await subject.putOne({ ...key, [name]: subject.drawDiffering(name) }),
        ];
        const patch = { [name]: value };
        const { updated, notUpdated } = await subject.set({ update: { [a]: patch, [b]: patch } });
        expect([...listKeys(updated), ...listKeys(notUpdated)].sort()).toEqual([a, b].sort());
        expect(listKeys(notUpdated)).not.toEqual([]);
        expect(await countHolders(subject, { ...key, [name]: value })).toBe(
          listKeys(updated).length,
        );
      });
    },
  },
  {
    id: 'described-unique-swap',
    level: 'must',
    rule: 'Two objects may swap what is unique in one call: its final state is valid.',
    restsOn: UNIQUE,
    applies: needChangeable,
    async run(subject) {
      await forEachKey(subject, async (unique, first) => {
        const name = findChangeable(unique)?.name;
        if (name === undefined) return;
        const [one, two] = [first[name] ?? null, subject.drawDiffering(name)];
        const [a, b] = [
          await subject.putOne(first),
          await subject.putOne({ ...first, [name]: two }),
        ];
        const { notUpdated } = await subject.set({
          update: { [a]: { [name]: two }, [b]: { [name]: one } },
        });
        expect({ name, notUpdated }).toEqual({ name, notUpdated: null });
        const now = [(await subject.read(a))[name], (await subject.read(b))[name]];
        expect({ name, now }).toEqual({ name, now: [two, one] });
      });
    },
  },
  {
    id: 'described-unique-sequential',
    level: 'should',
    rule:
      'Creates of one call that can’t all be done are done one after the other: of two that want ' +
      'the same unique value one is made.',
    restsOn: UNIQUE,
    applies: needKey,
    async run(subject) {
      await forEachKey(subject, async (_, key) => {
        const create = {
          a: { ...subject.create('a'), ...key },
          b: { ...subject.create('b'), ...key },
        };
        const { created, notCreated } = await subject.set({ create });
        expect([listKeys(created).length, listKeys(notCreated).length]).toEqual([1, 1]);
        expect(await countHolders(subject, key)).toBe(1);
      });
    },
  },
  {
    id: 'described-unique-copied',
    section: '5.4',
    level: 'must',
    rule:
      'A copy of what the target has already, where its type forbids that, is not made; an ' +
      'alreadyExists has the id of the other as existingId.',
    restsOn: UNIQUE,
    needs: { methods: ['copy'] },
    applies: needCopiedKey,
    async run(subject) {
      await forEachCopiedKey(subject, (answer, existingId) => {
        expect([listKeys(answer.created), listKeys(answer.notCreated)]).toEqual([[], ['k']]);
        const error = answer.notCreated?.['k'] ?? {};
        if (error['type'] === 'alreadyExists')
          expect(error).toMatchObject({ type: 'alreadyExists', existingId });
      });
    },
  },
  {
    id: 'described-limits-over-quota',
    level: 'must',
    rule:
      'Creates beyond the count of objects that an account may have are refused each by itself, ' +
      'as overQuota or an error of the type’s own. All objects that are told as created are ' +
      'there.',
    restsOn: 'how many objects an account may have',
    needs: { room: 0 },
    applies: needReachableCount,
    async run(subject) {
      await subject.clear(subject.A1);
      try {
        const count = subject.profile.count - subject.listForeign().size + 2;
        const create = Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`k${index}`, subject.create('a')]),
        );
        const { created, notCreated } = await subject.set({ create });
        expect(listKeys(created).length + listKeys(notCreated).length).toBe(count);
        expect(await subject.listOwn(subject.A1)).toHaveLength(listKeys(created).length);
        for (const error of Object.values(notCreated ?? {}))
          expect(error).toEqual(matchErrorBut(...ELSE, 'tooLarge'));
        if (notCreated === null) throw new NotApplicable('The account takes more of them.');
      } finally {
        await subject.clear(subject.A1);
      }
    },
  },
  {
    id: 'described-limits-too-large',
    level: 'must',
    rule:
      'An object of more octets than its type allows is refused as tooLarge, overQuota or an ' +
      'error of the type’s own, in a create and in an update. A change that is told as done is ' +
      'there.',
    restsOn: 'how many octets an object may have',
    applies: (subject) =>
      findLargeText(subject) === undefined ? 'No text of the type goes beyond its octets.' : null,
    async run(subject) {
      const { name = '' } = findLargeText(subject) ?? {};
      const value = '\u{1F600}'.repeat(Math.ceil(subject.profile.octets / 4));
      const refused = matchErrorBut(...ELSE);
      const { id, refused: error } = await subject.put({ [name]: value });
      if (error === null) expect((await subject.read(id))[name]).toBe(value);
      else expect(error).toEqual(refused);
      const small = await subject.putOne({});
      const before = await subject.read(small);
      const update = await subject.update(small, { [name]: value });
      const now = await subject.read(small);
      if (update.refused === null) expect(now[name]).toBe(value);
      else expect([update.refused, now]).toEqual([refused, before]);
    },
  },
  {
    id: 'described-sets-true',
    section: '5.7',
    level: 'must',
    rule:
      'Where an object stands for a set each value is true: another value is refused, or at ' +
      'least never shown.',
    restsOn: 'which properties are sets',
    applies: (subject) => (findSets(subject).length > 0 ? null : 'The type has no set.'),
    async run(subject) {
      for (const name of findSets(subject))
        for (const value of [false, null, 'true', 1]) {
          const { id, refused } = await subject.put({ [name]: { a: value } });
          if (refused !== null) continue;
          const { list } = await subject.client.get(subject.type, {
            accountId: subject.A1,
            ids: [id],
          });
          const shown = list.map((item) => Object.values(item[name] ?? {}));
          expect({ name, value, shown }).toEqual({ name, value, shown: [expect.anything()] });
          expect(shown.flat().filter((one) => one !== true)).toEqual([]);
        }
    },
  },
]);

/** Returns the names of the properties that hold a set (a map whose values are all true). */
const findSets = ({ described }: Subject): readonly string[] =>
  listGivable(described).flatMap(({ name, schema: { additionalProperties: of } }) =>
    typeof of === 'object' && same((of.enum ?? []) as Json, [true]) ? [name] : [],
  );
