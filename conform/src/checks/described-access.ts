import { expect } from 'expect';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type TypeNeeds, typeChecks } from '../check.js';
import type { Json } from '../client/json.js';
import { isUnique, visible, writable } from '../subject/described.js';
import { same } from '../subject/profile.js';
import type { Subject } from '../subject/subject.js';
import { valuesOf } from '../subject/values.js';
import { refusal } from './refusal.js';

/** Who may set and see a property, as its descriptor says. */

const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({ methods: ['get', 'set'], singleton: 'both' });

const immutables = ({ described }: Subject): readonly ModelProperty[] =>
  writable(described).filter(({ access }) => access === 'immutable');

const serverSet = ({ described }: Subject): readonly ModelProperty[] =>
  visible(described).filter(({ access, role }) => access === 'serverSet' && role === undefined);

const withAccess = ({ described }: Subject, wanted: string): readonly ModelProperty[] =>
  described.properties.filter(({ access }) => access === wanted);

const some =
  (find: (subject: Subject) => readonly ModelProperty[], kind: string) =>
  (subject: Subject): string | null =>
    find(subject).length > 0 ? null : `The type has no ${kind} property.`;

/** Another value than an object has; undefined where there is none to be had. */
function otherThan(subject: Subject, property: ModelProperty, value: Json): Json | undefined {
  const { name, reference, blobs } = property;
  if (reference !== undefined || blobs.length > 0) return undefined;
  if (isUnique(subject.described, property)) return subject.differing(name);
  return valuesOf(property).good.find((one) => !same(one, value));
}

/** An object of this check's alone. */
async function withObject(subject: Subject, work: (id: string) => Promise<void>): Promise<void> {
  const id = await subject.put1({});
  await work(id);
  if (!subject.profile.singleton) await subject.set({ destroy: [id] });
}

export const describedAccessChecks = typeChecks('5.3', NEEDS, [
  {
    id: 'described-immutable-changed',
    level: 'must',
    rule: 'An update that gives an immutable property another value is invalidProperties, and the value stays.',
    restsOn: 'which properties never change',
    applies: some(immutables, 'immutable'),
    async run(subject) {
      await withObject(subject, async (id) => {
        for (const property of immutables(subject)) {
          const { name } = property;
          const value = (await subject.read(id))[name] ?? null;
          const other = otherThan(subject, property, value);
          if (other === undefined) continue;
          const { refused } = await subject.update(id, { [name]: other });
          expect({ name, other, refused }).toEqual({
            name,
            other,
            refused: subject.setError('invalidProperties', [name]),
          });
          expect((await subject.read(id))[name]).toEqual(value);
        }
      });
    },
  },
  {
    id: 'described-immutable-same',
    level: 'must',
    rule: 'An update may have an immutable property or one that the server sets, if with the value that it has.',
    restsOn: 'which properties never change, or the server sets',
    applies: some((subject) => [...immutables(subject), ...serverSet(subject)], 'such'),
    async run(subject) {
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        for (const { name } of [...immutables(subject), ...serverSet(subject)]) {
          const { refused } = await subject.update(id, { [name]: item[name] ?? null });
          expect({ name, refused }).toEqual({ name, refused: null });
        }
      });
    },
  },
  {
    id: 'described-immutable-no-change',
    level: 'decision',
    rule: 'Such an update changes nothing: updated has null for it (decision 8).',
    applies: some((subject) => [...immutables(subject), ...serverSet(subject)], 'such'),
    async run(subject) {
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        for (const { name } of [...immutables(subject), ...serverSet(subject)]) {
          const { set } = await subject.update(id, { [name]: item[name] ?? null });
          expect({ name, set }).toEqual({ name, set: null });
        }
        expect(await subject.read(id)).toEqual(item);
      });
    },
  },
  {
    id: 'described-server-set-changed',
    level: 'must',
    rule: 'An update that gives what the server sets another value is invalidProperties.',
    restsOn: 'which properties the server sets',
    applies: some(serverSet, 'property of the server’s, or no'),
    async run(subject) {
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        for (const { name } of serverSet(subject)) {
          const { refused } = await subject.update(id, { [name]: item[name] === 5 ? 6 : 5 });
          expect({ name, refused }).toEqual({
            name,
            refused: subject.setError('invalidProperties', [name]),
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
    applies: some(serverSet, 'property of the server’s, or no'),
    async run(subject) {
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        for (const { name } of serverSet(subject)) {
          const { refused } = await subject.put({ [name]: item[name] ?? null });
          expect({ name, refused }).toEqual({
            name,
            refused: subject.setError('invalidProperties', [name]),
          });
        }
      });
    },
  },
  {
    id: 'described-internal',
    level: 'decision',
    rule: 'An internal property is unknown, in what is sent and in what is answered.',
    applies: some((subject) => withAccess(subject, 'internal'), 'internal'),
    async run(subject) {
      await withObject(subject, async (id) => {
        for (const { name, default: value = null } of withAccess(subject, 'internal')) {
          const error = subject.setError('invalidProperties', [name]);
          expect(await subject.read(id)).not.toHaveProperty(name);
          for (const one of [value as Json, 1, 'x']) {
            const { refused } = await subject.update(id, { [name]: one });
            expect({ name, one, refused }).toEqual({ name, one, refused: error });
            if (subject.profile.singleton) continue;
            const put = await subject.put({ [name]: one });
            expect({ name, one, refused: put.refused }).toEqual({ name, one, refused: error });
          }
        }
      });
    },
  },
  {
    id: 'described-secret',
    level: 'decision',
    rule: 'A secret can be given and changed, within the bounds of its descriptor, and is read by nobody.',
    applies: some((subject) => withAccess(subject, 'secret'), 'secret'),
    async run(subject) {
      for (const property of withAccess(subject, 'secret')) {
        const { name } = property;
        const { id, reported, refused } = await subject.put({ [name]: 's3cret of theirs' });
        expect({ name, refused }).toEqual({ name, refused: null });
        const changed = await subject.update(id, { [name]: 'an0ther of theirs' });
        expect({ name, refused: changed.refused }).toEqual({ name, refused: null });
        const item = await subject.read(id);
        const answers = [reported, item, await subject.all(subject.A1), changed];
        expect(JSON.stringify(answers)).not.toContain('of theirs');
        expect(item).not.toHaveProperty(name);
        for (const value of valuesOf(property).bad) {
          if (value === null) continue;
          const tried = await subject.update(id, { [name]: value });
          expect({ name, value, refused: tried.refused }).toEqual({
            name,
            value,
            refused: refusal(subject, name),
          });
        }
      }
    },
  },
  {
    id: 'described-immutable-beside',
    level: 'must',
    rule: 'An immutable property that is sent as it is hinders no change that is sent beside it.',
    needs: { text: true },
    applies: some(immutables, 'immutable'),
    async run(subject) {
      const { text } = subject.profile;
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        const same = Object.fromEntries(
          immutables(subject).map(({ name }) => [name, item[name] ?? null] as const),
        );
        const { refused } = await subject.update(id, { ...same, [text]: 'beside' });
        expect(refused).toBeNull();
        expect(await subject.read(id)).toMatchObject({ ...same, [text]: 'beside' });
      });
    },
  },
  {
    id: 'described-immutable-null',
    level: 'decision',
    rule: 'null stands for the default of an immutable property, too: where the object has another value it is invalidProperties.',
    needs: { singleton: undefined },
    applies: some(
      (subject) => immutables(subject).filter((one) => isDefaulted(subject, one)),
      'immutable, defaulted',
    ),
    async run(subject) {
      for (const property of immutables(subject).filter((one) => isDefaulted(subject, one))) {
        const { name, default: value = null } = property;
        const other = otherThan(subject, property, value as Json);
        if (other === undefined) continue;
        const id = await subject.put1({ [name]: other });
        const { refused } = await subject.update(id, { [name]: null });
        expect({ name, refused }).toEqual({ name, refused: refusal(subject, name) });
        expect((await subject.read(id))[name]).toEqual(other);
        await subject.set({ destroy: [id] });
      }
    },
  },
]);

/** Whether a property need not be given, and can't be null. */
const isDefaulted = ({ profile }: Subject, property: ModelProperty): boolean =>
  property.default !== undefined && !property.nullable && !profile.given.includes(property);
