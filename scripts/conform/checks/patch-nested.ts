import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Json, JsonMap } from '../client/json.js';
import { same } from '../subject/profile.js';
import { ofSchema, size } from '../subject/values.js';
import {
  freeMapsOf,
  fullest,
  held,
  invalidPatch,
  isSet,
  mapsOf,
  noObjects,
  objectsOf,
  otherKeys,
  placesOf,
  pointerTo,
  refusalOf,
  refusesAll,
  replaced,
  richest,
} from './patch-places.js';

/** RFC 8620 5.3: PatchObject, at each place within objects, maps and sets that the descriptor has. */

export const nestedPatchChecks = typeChecks('5.3', { methods: ['get', 'set'], singleton: 'both' }, [
  {
    id: 'patch-nested-set',
    level: 'must',
    rule: 'A pointer to a member sets that member and no other, however deep it is.',
    applies: noObjects,
    async run(subject) {
      for (const property of objectsOf(subject)) {
        const { name } = property;
        const start = richest(subject, property);
        await held(subject, { [name]: start }, async (id) => {
          for (const { path, pointer, schema, value } of placesOf(property, start)) {
            const other = ofSchema(schema).good.find(
              (one) => one !== null && !same(one, value) && size(one) < 2000,
            );
            if (isSet(schema) || other === undefined) continue;
            const { refused } = await subject.update(id, { [pointer]: other });
            const stored = (await subject.read(id))[name];
            expect({ pointer, refused, stored }).toEqual({
              pointer,
              refused: null,
              stored: replaced(start, path, other),
            });
            await subject.update(id, { [pointer]: value });
            expect((await subject.read(id))[name]).toEqual(start);
          }
        });
      }
    },
  },
  {
    id: 'patch-several',
    level: 'must',
    rule: 'A patch may have any number of pointers of which none is the prefix of another, in any order: all of them are applied.',
    applies: noObjects,
    async run(subject) {
      for (const property of objectsOf(subject)) {
        const { name } = property;
        const start = fullest(subject, property);
        await held(subject, { [name]: start }, async (id) => {
          const leaves = placesOf(property, start).filter(
            ({ path, pointer }, _, all) =>
              path.length > 0 && !all.some((other) => other.pointer.startsWith(`${pointer}/`)),
          );
          let expected = start;
          const patch: [string, Json][] = [];
          for (const { path, pointer, schema, value, required } of leaves) {
            const other = ofSchema(schema).good.find(
              (one) => one !== null && !same(one, value) && size(one) < 500,
            );
            if (isSet(schema) || other === undefined) {
              if (required) continue;
              patch.push([pointer, null]);
              expected = replaced(expected, path);
            } else {
              patch.push([pointer, other]);
              expected = replaced(expected, path, other);
            }
          }
          for (const turned of [patch, patch.toReversed()]) {
            expect((await subject.update(id, { [name]: start })).refused).toBeNull();
            const { refused } = await subject.update(id, Object.fromEntries(turned));
            expect({ turned, refused }).toEqual({ turned, refused: null });
            expect((await subject.read(id))[name]).toEqual(expected);
          }
        });
      }
    },
  },
  {
    id: 'patch-nested-invalid',
    level: 'must',
    rule: 'A value set by a pointer is judged like one of the whole: what its place may not have is invalidProperties.',
    restsOn: 'what a value may be',
    applies: noObjects,
    async run(subject) {
      for (const property of objectsOf(subject)) {
        const { name } = property;
        const start = richest(subject, property);
        await held(subject, { [name]: start }, async (id) => {
          for (const { pointer, schema } of placesOf(property, start)) {
            const bad = isSet(schema) ? [false, 1] : ofSchema(schema).bad;
            const patches = bad.filter((one) => one !== null).slice(0, 5);
            await refusesAll(
              subject,
              id,
              refusalOf(name),
              patches.map((value) => ({ [pointer]: value })),
            );
          }
          const { properties, additionalProperties = false } = property.schema;
          if (properties === undefined || additionalProperties !== false) return;
          const unknown = [{ [`${name}/noSuchMember`]: 1 }, { [`${name}/__proto__`]: {} }];
          await refusesAll(subject, id, refusalOf(name), unknown);
        });
      }
    },
  },
  {
    id: 'patch-nested-remove',
    level: 'must',
    rule: 'Null removes the member that a pointer names, where it may be missing; where it is missing already the update succeeds and changes nothing.',
    applies: noObjects,
    async run(subject) {
      for (const property of objectsOf(subject)) {
        const { name } = property;
        const start = richest(subject, property);
        await held(subject, { [name]: start }, async (id) => {
          for (const { path, pointer, value, required } of placesOf(property, start)) {
            const { refused } = await subject.update(id, { [pointer]: null });
            if (required) {
              expect({ pointer, refused }).toEqual({ pointer, refused: refusalOf(name) });
              continue;
            }
            const stored = (await subject.read(id))[name];
            expect({ pointer, refused, stored }).toEqual({
              pointer,
              refused: null,
              stored: replaced(start, path),
            });
            expect((await subject.update(id, { [pointer]: null })).refused).toBeNull();
            expect((await subject.read(id))[name]).toEqual(stored);
            await subject.update(id, { [pointer]: value });
          }
          expect((await subject.read(id))[name]).toEqual(start);
        });
      }
    },
  },
  {
    id: 'patch-nested-parents',
    level: 'must',
    rule: 'Within a value, too, the parents of a place must be there and have members: a scalar has none, and a member that is missing is not made.',
    applies: noObjects,
    async run(subject) {
      for (const property of objectsOf(subject)) {
        const { name } = property;
        const start = richest(subject, property);
        await held(subject, { [name]: start }, async (id) => {
          const nowhere = [1, null, {}].map((value) => ({ [`${name}/nowhere/x`]: value }));
          await refusesAll(subject, id, invalidPatch, nowhere);
          for (const { path, pointer, value, required } of placesOf(property, start)) {
            const isLeaf = value === null || typeof value !== 'object' || Array.isArray(value);
            const deeper = [`${pointer}/0`, `${pointer}/x/y`];
            const patches = deeper.flatMap((one) => [{ [one]: 1 }, { [one]: null }]);
            if (isLeaf) await refusesAll(subject, id, invalidPatch, patches);
            if (isLeaf || required) continue;
            // Without the place itself nothing is below it.
            await subject.update(id, { [pointer]: null });
            const inner = Object.keys(value)[0] ?? 'x';
            const below = pointerTo(name, [...path, inner]);
            await refusesAll(subject, id, invalidPatch, [{ [below]: 1 }, { [below]: null }]);
            await subject.update(id, { [pointer]: value });
          }
        });
      }
    },
  },
  {
    id: 'patch-keys-judged',
    level: 'must',
    rule: 'A pointer adds an entry to a map under any key that the map may have, and none under a key that it may not.',
    restsOn: 'which keys a map may have',
    applies: (subject) => (mapsOf(subject).length > 0 ? null : 'No mutable property is a map.'),
    async run(subject) {
      for (const { property, value } of mapsOf(subject)) {
        const { name, schema } = property;
        const start = richest(subject, property);
        const { good, bad } = otherKeys(schema, start);
        await held(subject, { [name]: start }, async (id) => {
          for (const key of good.slice(0, 3)) {
            const pointer = pointerTo(name, [key]);
            expect((await subject.update(id, { [pointer]: value })).refused).toBeNull();
            expect((await subject.read(id))[name]).toEqual(replaced(start, [key], value));
            await subject.update(id, { [pointer]: null });
          }
          const patches = bad.map((key) => ({ [pointerTo(name, [key])]: value }));
          await refusesAll(subject, id, refusalOf(name), patches);
        });
      }
    },
  },
  {
    id: 'patch-keys-counted',
    level: 'must',
    rule: 'What is judged is the object after the whole patch: entries that one patch adds and removes count together against what a map may have.',
    restsOn: 'how many entries a map may have',
    applies: (subject) =>
      freeMapsOf(subject).some(({ property }) => (property.schema.maxProperties ?? 1e9) <= 200)
        ? null
        : 'No map of free keys is bounded by 200 entries or less.',
    async run(subject) {
      for (const { property, value } of freeMapsOf(subject)) {
        const { name, schema } = property;
        const { maxProperties = 1e9 } = schema;
        if (maxProperties > 200 || size(value) > 50) continue;
        await held(subject, { [name]: { a: value } }, async (id) => {
          const added = Array.from({ length: maxProperties }, (_, n) => [`${name}/t${n}`, value]);
          const patch = Object.fromEntries(added) as JsonMap;
          await refusesAll(subject, id, refusalOf(name), [patch]);
          const { refused } = await subject.update(id, { ...patch, [`${name}/a`]: null });
          expect(refused).toBeNull();
          expect(Object.keys((await subject.read(id))[name] as JsonMap)).toHaveLength(
            maxProperties,
          );
        });
      }
    },
  },
  {
    id: 'patch-equal-values',
    level: 'decision',
    rule: 'Equal values, in whatever order their members come and by whichever pointer, are no change (decision 8).',
    applies: noObjects,
    async run(subject) {
      for (const property of objectsOf(subject)) {
        const { name } = property;
        const start = richest(subject, property);
        await held(subject, { [name]: start }, async (id) => {
          const before = await subject.read(id);
          const turned = Object.fromEntries(Object.entries(start).reverse());
          const places = placesOf(property, start);
          const nowhere = places.filter(({ required }) => !required).slice(0, 1);
          for (const patch of [
            { [name]: turned },
            before,
            ...places.map(({ pointer, value }) => ({ [pointer]: value })),
          ])
            expect(await subject.update(id, patch)).toEqual({ set: null, refused: null });
          for (const { pointer, value } of nowhere) {
            await subject.update(id, { [pointer]: null });
            expect(await subject.update(id, { [pointer]: null })).toEqual({
              set: null,
              refused: null,
            });
            await subject.update(id, { [pointer]: value });
          }
        });
      }
    },
  },
]);
