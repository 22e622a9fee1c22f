import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import {
  findImmutable,
  findOther,
  findServerSet,
  NEEDS,
  needSome,
  withObject,
} from '../../../conform/src/checks/described-access.js';
import { matchRefusal } from '../../../conform/src/checks/refusal.js';
import type { Json } from '../../../conform/src/client/json.js';
import type { Subject } from '../../../conform/src/subject/subject.js';
import { listValues } from '../../../conform/src/subject/values.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';

const withAccess = ({ described }: Subject, wanted: string): readonly ModelProperty[] =>
  described.properties.filter(({ access }) => access === wanted);
export const describedAccessDecisions = typeChecks('5.3', NEEDS, [
  {
    id: 'described-immutable-no-change',
    level: 'must',
    rule: 'Such an update changes nothing: updated has null for it.',
    applies: needSome((subject) => [...findImmutable(subject), ...findServerSet(subject)], 'such'),
    async run(subject) {
      await withObject(subject, async (id) => {
        const item = await subject.read(id);
        for (const { name } of [...findImmutable(subject), ...findServerSet(subject)]) {
          const { set } = await subject.update(id, { [name]: item[name] ?? null });
          expect({ name, set }).toEqual({ name, set: null });
        }
        expect(await subject.read(id)).toEqual(item);
      });
    },
  },
  {
    id: 'described-internal',
    level: 'must',
    rule: 'An internal property is unknown, in what is sent and in what is answered.',
    applies: needSome((subject) => withAccess(subject, 'internal'), 'internal'),
    async run(subject) {
      await withObject(subject, async (id) => {
        for (const { name, default: value = null } of withAccess(subject, 'internal')) {
          const error = subject.matchSetError('invalidProperties', [name]);
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
    level: 'must',
    rule:
      'A secret can be given and changed, within the bounds of its descriptor, and is read by ' +
      'nobody.',
    applies: needSome((subject) => withAccess(subject, 'secret'), 'secret'),
    async run(subject) {
      for (const property of withAccess(subject, 'secret')) {
        const { name } = property;
        const { id, reported, refused } = await subject.put({ [name]: 's3cret of theirs' });
        expect({ name, refused }).toEqual({ name, refused: null });
        const changed = await subject.update(id, { [name]: 'an0ther of theirs' });
        expect({ name, refused: changed.refused }).toEqual({ name, refused: null });
        const item = await subject.read(id);
        const answers = [reported, item, await subject.listOwn(subject.A1), changed];
        expect(JSON.stringify(answers)).not.toContain('of theirs');
        expect(item).not.toHaveProperty(name);
        for (const value of listValues(property).bad) {
          if (value === null) continue;
          const tried = await subject.update(id, { [name]: value });
          expect({ name, value, refused: tried.refused }).toEqual({
            name,
            value,
            refused: matchRefusal(subject, name),
          });
        }
      }
    },
  },
  {
    id: 'described-immutable-null',
    level: 'must',
    rule:
      'null stands for the default of an immutable property, too: where the object has another ' +
      'value it is invalidProperties.',
    needs: { singleton: undefined },
    applies: needSome(
      (subject) => findImmutable(subject).filter((one) => isDefaulted(subject, one)),
      'immutable, defaulted',
    ),
    async run(subject) {
      for (const property of findImmutable(subject).filter((one) => isDefaulted(subject, one))) {
        const { name, default: value = null } = property;
        const other = findOther(subject, property, value as Json);
        if (other === undefined) continue;
        const id = await subject.putOne({ [name]: other });
        const { refused } = await subject.update(id, { [name]: null });
        expect({ name, refused }).toEqual({ name, refused: matchRefusal(subject, name) });
        expect((await subject.read(id))[name]).toEqual(other);
        await subject.set({ destroy: [id] });
      }
    },
  },
]);

/** Whether a property need not be given, and can't be null. */
const isDefaulted = ({ profile }: Subject, property: ModelProperty): boolean =>
  property.default !== undefined && !property.nullable && !profile.given.includes(property);
