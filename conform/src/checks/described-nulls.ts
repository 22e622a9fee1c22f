import { expect } from 'expect';
import type { ModelProperty, ModelUnique } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import { type JsonMap, same } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import type { Subject } from '../subject/subject.js';
import { forEachKey, matchTaken } from './described-unique.js';

/** `unique` where a value is null: equal to another null, or to nothing. */

/** Returns the properties of a key that an object may have no value of. */
const findNullable = ({ properties }: ModelUnique): readonly ModelProperty[] =>
  properties.filter(({ nullable, optional }) => nullable || optional === true);

/** Tells whether a type has keys in which nulls are equal, or some in which they aren't. */
const hasKeys = ({ described }: Subject, areEqual: boolean): boolean =>
  described.uniques.some(
    (one) => (one.nullsEqual === true) === areEqual && findNullable(one).length > 0,
  );

/** The result of a create without a value of one property of a key. */
interface Tried {
  readonly id: string;
  readonly refused: JsonMap | null;
}

/** Calls `work` for each such key and each property of it, with what tries such a create. */
async function forEachNull(
  subject: Subject,
  areEqual: boolean,
  work: (key: JsonMap, put: () => Promise<Tried>) => Promise<void>,
): Promise<void> {
  await forEachKey(subject, async (unique, whole) => {
    if ((unique.nullsEqual === true) !== areEqual) return;
    for (const { name, nullable } of findNullable(unique)) {
      const key = { ...whole, [name]: null };
      const isThere = (item: JsonMap): boolean =>
        Object.entries(key).every(([each, value]) => same(item[each] ?? null, value));
      const holder = [...subject.listForeign().values()].find(isThere);
      if (holder !== undefined && areEqual)
        throw new NotApplicable(
          `${subject.type} ${holder.id} already has the value that the check needs.`,
        );
      await work(key, async () => {
        const { [name]: _, ...others } = { ...subject.create('put'), ...whole };
        const k = nullable ? { ...others, [name]: null } : others;
        const { created, notCreated } = await subject.set({ create: { k } });
        return { id: created?.['k']?.id ?? '', refused: notCreated?.['k'] ?? null };
      });
    }
  });
}

export const describedNullChecks = typeChecks('5.3', { methods: ['get', 'set'], room: 2 }, [
  {
    id: 'described-nulls-equal',
    level: 'must',
    rule:
      'With unique: { nulls: equal }, a second object with null is refused, and existingId names ' +
      'the first.',
    restsOn: 'in which unique values nulls are equal',
    applies: (subject) =>
      hasKeys(subject, true) ? null : 'No unique key of the type treats nulls as equal.',
    async run(subject) {
      await forEachNull(subject, true, async (key, put) => {
        const one = await put();
        const { refused } = await put();
        expect({ key, refused: [one.refused, refused] }).toEqual({
          key,
          refused: [null, matchTaken(subject, one.id)],
        });
        await subject.set({ destroy: [one.id] });
        const again = await put();
        expect({ key, refused: again.refused }).toEqual({ key, refused: null });
        await subject.set({ destroy: [again.id] });
      });
    },
  },
  {
    id: 'described-nulls-differ',
    level: 'must',
    rule:
      'Without nulls: equal, null equals nothing: several objects may have null in a unique ' +
      'property.',
    restsOn: 'in which unique values nulls are equal',
    applies: (subject) =>
      hasKeys(subject, false) ? null : 'No unique key of the type treats nulls as different.',
    async run(subject) {
      await forEachNull(subject, false, async (key, put) => {
        const [one, other] = [await put(), await put()];
        expect({ key, refused: [one.refused, other.refused] }).toEqual({
          key,
          refused: [null, null],
        });
        await subject.set({ destroy: [one.id, other.id] });
      });
    },
  },
]);
