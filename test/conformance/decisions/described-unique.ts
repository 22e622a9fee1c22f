import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import {
  findChangeable,
  forEachCopiedKey,
  forEachKey,
  needChangeable,
  needCopiedKey,
  needKey,
} from '../../../conform/src/checks/described-unique.js';
import { entry } from '../../../conform/src/expected.js';
import { listGivable } from '../../../conform/src/subject/described.js';
import type { Subject } from '../../../conform/src/subject/subject.js';
import { listValues } from '../../../conform/src/subject/values.js';
import type { ModelProperty, ModelUnique } from '../../../src/descriptor/model.js';

/** `unique` of a descriptor, of one property or of several together. */

const exists = (existingId: string) =>
  expect.objectContaining({ type: 'alreadyExists', existingId });
export const describedUniqueDecisions = typeChecks('5.3', { methods: ['get', 'set'], room: 2 }, [
  {
    id: 'described-unique-shared',
    level: 'must',
    rule:
      'No two objects share what is unique: the later one is alreadyExists with the id of the ' +
      'other; one that goes in the same call makes room.',
    applies: needKey,
    async run(subject) {
      await forEachKey(subject, async ({ name }, same) => {
        const create = {
          a: { ...subject.create('a'), ...same },
          b: { ...subject.create('b'), ...same },
        };
        const { created, notCreated } = await subject.set({ create });
        const { id } = entry(created, 'a');
        expect({ name, notCreated }).toEqual({ name, notCreated: { b: exists(id) } });
        const { refused } = await subject.put(same);
        expect({ name, refused }).toEqual({ name, refused: exists(id) });
        const answer = await subject.set({
          create: { k: { ...subject.create('k'), ...same } },
          destroy: [id],
        });
        expect(entry(answer.created, 'k').id).not.toBe(id);
      });
    },
  },
  {
    id: 'described-unique-different',
    level: 'must',
    rule: 'Where one property of a key differs, or is null, there is no conflict.',
    needs: { room: 3 },
    applies: needKey,
    async run(subject) {
      await forEachKey(subject, async ({ properties, nullsEqual }, same) => {
        const ids = [await subject.putOne(same)];
        for (const property of properties) {
          const { name, references, schema, nullable } = property;
          const values = listValues(property).good.filter((one) => one !== same[name]);
          const canDiffer = references.length === 0 && schema.enum === undefined;
          const other = canDiffer ? subject.drawDiffering(name) : values[0];
          if (nullable && nullsEqual !== true) {
            ids.push(await subject.putOne({ ...same, [name]: null }));
            ids.push(await subject.putOne({ ...same, [name]: null }));
            await subject.set({ destroy: ids.splice(1) });
          }
          if (references.length === 0 && other !== undefined && other !== null)
            ids.push(await subject.putOne({ ...same, [name]: other }));
          await subject.set({ destroy: ids.splice(1) });
        }
      });
    },
  },
  {
    id: 'described-unique-updates',
    level: 'must',
    rule:
      'Updates are judged on the final state of their call: two objects may swap what is unique, ' +
      'one can’t take what the other keeps.',
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
        const { refused } = await subject.update(b, { [name]: one });
        expect({ name, refused }).toEqual({
          name,
          refused: expect.objectContaining({ type: 'alreadyExists' }),
        });
        expect((await subject.read(b))[name]).toEqual(two);
        const { notUpdated } = await subject.set({
          update: { [a]: { [name]: two }, [b]: { [name]: one } },
        });
        expect({ name, notUpdated }).toEqual({ name, notUpdated: null });
        expect((await subject.read(a))[name]).toEqual(two);
      });
    },
  },
  {
    id: 'described-unique-later-loses',
    level: 'must',
    rule:
      'Of two updates of one call that want what no two may share the later one is ' +
      'alreadyExists, and leaves its object as it was.',
    applies: needChangeable,
    async run(subject) {
      await forEachKey(subject, async (unique, first) => {
        const name = findChangeable(unique)?.name;
        if (name === undefined) return;
        const [one, two] = [subject.drawDiffering(name), subject.drawDiffering(name)];
        const a = await subject.putOne({ ...first, [name]: one });
        const b = await subject.putOne({ ...first, [name]: two });
        const before = await subject.read(b);
        const value = subject.drawDiffering(name);
        const patch = { [name]: value };
        const { updated, notUpdated } = await subject.set({ update: { [a]: patch, [b]: patch } });
        expect({ name, updated: Object.keys(updated ?? {}) }).toEqual({ name, updated: [a] });
        expect(notUpdated).toEqual({ [b]: exists(a) });
        expect([(await subject.read(a))[name], await subject.read(b)]).toEqual([value, before]);
      });
    },
  },
  {
    id: 'described-unique-freed',
    level: 'must',
    rule:
      'A unique value is so within its account, and as long as its object is there: another ' +
      'account may have it too. Once the object is destroyed it can be given anew.',
    applies: needKey,
    async run(subject) {
      await forEachKey(subject, async ({ name, properties }, same) => {
        const first = await subject.putOne(same);
        // The objects that they refer to are in the first account.
        if (properties.every(({ references }) => references.length === 0)) {
          await subject.prepare(subject.A2);
          const { id, refused } = await subject.put(same, subject.A2);
          expect({ name, refused }).toEqual({ name, refused: null });
          await subject.set({ accountId: subject.A2, destroy: [id] });
        }
        await subject.set({ destroy: [first] });
        const { id, refused } = await subject.put(same);
        expect({ name, refused }).toEqual({ name, refused: null });
        expect(id).not.toBe(first);
      });
    },
  },
  {
    id: 'described-unique-copied-existing',
    section: '5.4',
    level: 'must',
    rule: 'A copy of what the target has already is alreadyExists with the id of the other.',
    needs: { methods: ['copy'] },
    applies: needCopiedKey,
    async run(subject) {
      await forEachCopiedKey(subject, (answer, existingId) => {
        expect(answer.notCreated).toEqual({ k: exists(existingId) });
      });
    },
  },
  {
    id: 'described-unique-exact',
    level: 'must',
    rule: 'Texts that differ in their letters’ case alone, or in a space, are not the same.',
    applies: (subject) =>
      subject.described.uniques.some((one) => textOf(subject, one) !== undefined)
        ? null
        : 'The type has no unique text that any text may be.',
    needs: { room: 3 },
    async run(subject) {
      await forEachKey(subject, async (unique, same) => {
        const name = textOf(subject, unique)?.name;
        if (name === undefined) return;
        const [k, m, n] = ['uniq', 'UNIQ', 'uniq '].map((text) => ({
          ...subject.create('k'),
          ...same,
          [name]: text,
        }));
        const { notCreated } = await subject.set({ create: { k, m, n } });
        expect({ name, notCreated }).toEqual({ name, notCreated: null });
      });
    },
  },
]);

/** A text of a key that can be any text. */
const textOf = ({ described }: Subject, { properties }: ModelUnique): ModelProperty | undefined =>
  properties.find(
    (one) =>
      listGivable(described).includes(one) &&
      one.kind === 'string' &&
      one.format === undefined &&
      one.normalize === undefined &&
      one.schema.enum === undefined &&
      one.schema.pattern === undefined &&
      (one.schema.minLength ?? 0) <= 4 &&
      (one.schema.maxLength ?? 5) >= 5,
  );
