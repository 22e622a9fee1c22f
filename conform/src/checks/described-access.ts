import { expect } from 'expect';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type TypeNeeds, typeChecks } from '../check.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { isUnique, listVisible, listWritable } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { listValues } from '../subject/values.js';
/** Checks of who may set and see a property, as its descriptor says. */

/** Needs no more than objects that can be made and read. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({
  methods: ['get', 'set'],
  singleton: 'both',
});

/** Returns the properties that a create sets and no update changes. */
export const findImmutable = ({ described }: Subject): readonly ModelProperty[] =>
  listWritable(described).filter(({ access }) => access === 'immutable');

/** Returns the properties that the server alone sets. */
export const findServerSet = ({ described }: Subject): readonly ModelProperty[] =>
  listVisible(described).filter(({ access, role }) => access === 'serverSet' && role === undefined);

/** Returns a function that tells why a type has no property of a kind; null where it has one. */
export const needSome =
  (find: (subject: Subject) => readonly ModelProperty[], kind: string) =>
  (subject: Subject): string | null =>
    find(subject).length > 0 ? null : `The type has no ${kind} property.`;

/** Finds another value than an object has; undefined where there is none. */
export function findOther(
  subject: Subject,
  property: ModelProperty,
  value: Json,
): Json | undefined {
  const { name, references, blobs } = property;
  if (references.length > 0 || blobs.length > 0) return undefined;
  if (isUnique(subject.described, property)) return subject.drawDiffering(name);
  return listValues(property).good.find((one) => !same(one, value));
}

/** Tells whether an object lacks a property for which null would be another value. */
const differsFromNull = ({ name, nullable, optional }: ModelProperty, item: JsonMap): boolean =>
  optional === true && nullable && !Object.hasOwn(item, name);

/** Makes an object for one check alone, works with it, and destroys it unless it is a singleton. */
export async function withObject(
  subject: Subject,
  work: (id: string) => Promise<void>,
): Promise<void> {
  const id = await subject.putOne({});
  await work(id);
  if (!subject.profile.singleton) await subject.set({ destroy: [id] });
}

export const describedAccessChecks = typeChecks('5.3', NEEDS, [
  {
    id: 'described-immutable-changed',
    level: 'must',
    rule:
      'An update that gives an immutable property another value is invalidProperties, and the ' +
      'value stays.',
    restsOn: 'which properties never change',
    applies: needSome(findImmutable, 'immutable'),
    async run(subject) {
      await withObject(subject, async (id) => {
        for (const property of findImmutable(subject)) {
          const { name } = property;
          const value = (await subject.read(id))[name] ?? null;
          const other = findOther(subject, property, value);
          if (other === undefined) continue;
          const { refused } = await subject.update(id, { [name]: other });
          expect({ name, other, refused }).toEqual({
            name,
            other,
            refused: subject.matchSetError('invalidProperties', [name]),
          });
          expect((await subject.read(id))[name] ?? null).toEqual(value);
        }
      });
    },
  },
  {
    id: 'described-immutable-same',
    level: 'must',
    rule:
      'An update may have an immutable property or one that the server sets, if with the value ' +
      'that it has.',
    restsOn: 'which properties never change, or the server sets',
    applies: needSome((subject) => [...findImmutable(subject), ...findServerSet(subject)], 'such'),
    async run(subject) {
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        for (const property of [...findImmutable(subject), ...findServerSet(subject)]) {
          const { name } = property;
          if (differsFromNull(property, item)) continue;
          const { refused } = await subject.update(id, { [name]: item[name] ?? null });
          expect({ name, refused }).toEqual({ name, refused: null });
        }
      });
    },
  },
  {
    id: 'described-server-set-changed',
    level: 'must',
    rule: 'An update that gives what the server sets another value is invalidProperties.',
    restsOn: 'which properties the server sets',
    applies: needSome(findServerSet, 'property of the server’s, or no'),
    async run(subject) {
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        for (const { name } of findServerSet(subject)) {
          const { refused } = await subject.update(id, { [name]: item[name] === 5 ? 6 : 5 });
          expect({ name, refused }).toEqual({
            name,
            refused: subject.matchSetError('invalidProperties', [name]),
          });
        }
        expect(await subject.read(id)).toEqual(item);
      });
    },
  },
  {
    id: 'described-server-set-created',
    level: 'must',
    rule: 'A create leaves out what the server sets: one that has it is invalidProperties.',
    restsOn: 'which properties the server sets',
    needs: { singleton: undefined },
    applies: needSome(findServerSet, 'property of the server’s, or no'),
    async run(subject) {
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        for (const { name } of findServerSet(subject)) {
          const { refused } = await subject.put({ [name]: item[name] ?? null });
          expect({ name, refused }).toEqual({
            name,
            refused: subject.matchSetError('invalidProperties', [name]),
          });
        }
      });
    },
  },
  {
    id: 'described-immutable-beside',
    level: 'must',
    rule: 'An immutable property that is sent as it is hinders no change that is sent beside it.',
    needs: { text: true },
    applies: needSome(findImmutable, 'immutable'),
    async run(subject) {
      const { text } = subject.profile;
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        const same = Object.fromEntries(
          findImmutable(subject)
            .filter((property) => !differsFromNull(property, item))
            .map(({ name }) => [name, item[name] ?? null] as const),
        );
        const { refused } = await subject.update(id, { ...same, [text]: 'beside' });
        expect(refused).toBeNull();
        const present = Object.entries(same).filter(([name]) => Object.hasOwn(item, name));
        const wanted = { ...Object.fromEntries(present), [text]: 'beside' };
        expect(await subject.read(id)).toMatchObject(wanted);
      });
    },
  },
]);
