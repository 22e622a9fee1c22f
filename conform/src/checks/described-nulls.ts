import { expect } from 'expect';
import type { ModelProperty, ModelUnique } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import { type JsonMap, same } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import type { Subject } from '../subject/subject.js';
import { forEachKey, matchTaken } from './described-unique.js';

/** `unique` where a value is null: equal to another null, or to nothing. */

/** Returns the properties of a key that a create may set to null. */
const findNullable = ({ properties }: ModelUnique): readonly ModelProperty[] =>
  properties.filter(({ nullable }) => nullable);

/** Tells whether a type has keys in which nulls are equal, or some in which they aren't. */
const hasKeys = ({ described }: Subject, areEqual: boolean): boolean =>
  described.uniques.some((one) => (one.nullsEqual === true) === areEqual && isNulled(one));

const isNulled = (unique: ModelUnique): boolean => findNullable(unique).length > 0;

/** Calls `work` for each such key and each property that may be null, with a key that has null. */
async function forEachNull(
  subject: Subject,
  areEqual: boolean,
  work: (values: JsonMap) => Promise<void>,
): Promise<void> {
  await forEachKey(subject, async (unique, key) => {
    if ((unique.nullsEqual === true) !== areEqual) return;
    for (const { name } of findNullable(unique)) {
      const values = { ...key, [name]: null };
      const isThere = (item: JsonMap): boolean =>
        Object.entries(values).every(([each, value]) => same(item[each] ?? null, value));
      const holder = [...subject.listForeign().values()].find(isThere);
      if (holder !== undefined && areEqual)
        throw new NotApplicable(`${subject.type} ${holder.id} has what is to be tried.`);
      await work(values);
      await subject.clear(subject.A1);
    }
  });
}

export const describedNullChecks = typeChecks('5.3', { methods: ['get', 'set'], room: 2 }, [
  {
    id: 'described-nulls-equal',
    level: 'must',
    rule:
      'Where nulls are equal in what no two objects may share, a second object with null there ' +
      'is refused, with the id of the first.',
    restsOn: 'in which unique values nulls are equal',
    applies: (subject) =>
      hasKeys(subject, true) ? null : 'The type has nothing unique in which nulls are equal.',
    async run(subject) {
      await forEachNull(subject, true, async (values) => {
        const id = await subject.putOne(values);
        const { refused } = await subject.put(values);
        expect({ values, refused }).toEqual({ values, refused: matchTaken(subject, id) });
        await subject.set({ destroy: [id] });
        await subject.putOne(values);
      });
    },
  },
  {
    id: 'described-nulls-differ',
    level: 'must',
    rule: 'Elsewhere null equals nothing: several objects may have null where they are unique.',
    restsOn: 'in which unique values nulls are equal',
    applies: (subject) =>
      hasKeys(subject, false) ? null : 'The type has nothing unique in which nulls differ.',
    async run(subject) {
      await forEachNull(subject, false, async (values) => {
        const [one, other] = [await subject.put(values), await subject.put(values)];
        const refused = [one.refused, other.refused];
        expect({ values, refused }).toEqual({ values, refused: [null, null] });
      });
    },
  },
]);
