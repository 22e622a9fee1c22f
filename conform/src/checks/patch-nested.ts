import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Json, JsonMap } from '../client/json.js';
import { countOctets, listSchemaValues } from '../subject/values.js';
import {
  applyPatch,
  buildOneEntry,
  expectAllRefused,
  forEachFreeMap,
  forEachObject,
  invalidPatch,
  withValues,
} from './patch-holding.js';
import {
  buildPointer,
  findFreeMaps,
  findFullest,
  findMaps,
  findOther,
  findOtherKeys,
  findRichest,
  isSet,
  matchInvalid,
  needObjects,
  replaceAt,
} from './patch-places.js';

/**
 * RFC 8620 5.3: PatchObject, at each place within objects, maps and sets that the descriptor has.
 */

export const nestedPatchChecks = typeChecks('5.3', { methods: ['get', 'set'], singleton: 'both' }, [
  {
    id: 'patch-nested-set',
    level: 'must',
    rule: 'A pointer to a member sets that member and no other, however deep it is.',
    applies: needObjects,
    /**
     * Sets each place and sets it back, so that every place is tried on the same object. Compares
     * the whole value each time.
     */
    run: (subject) =>
      forEachObject(subject, findRichest, async ({ start, places, ...holding }) => {
        for (const place of places) {
          const { path, pointer, value } = place;
          const other = findOther(place, 2000);
          if (other === undefined) continue;
          const stored = await applyPatch(subject, holding, { [pointer]: other });
          expect({ pointer, stored }).toEqual({ pointer, stored: replaceAt(start, path, other) });
          expect(await applyPatch(subject, holding, { [pointer]: value })).toEqual(start);
        }
      }),
  },
  {
    id: 'patch-several',
    level: 'must',
    rule:
      'A patch may have any number of pointers of which none is the prefix of another, in any ' +
      'order: all of them are applied.',
    applies: needObjects,
    /**
     * Sends all pointers in one patch, then in reverse order. A patch is a set: the order must not
     * matter (RFC 8620 5.3).
     */
    run: (subject) =>
      forEachObject(subject, findFullest, async ({ name, start, places, ...holding }) => {
        const leaves = places.filter(
          ({ path, pointer }) =>
            path.length > 0 && !places.some((other) => other.pointer.startsWith(`${pointer}/`)),
        );
        let expected = start;
        const patch: [string, Json][] = [];
        for (const leaf of leaves) {
          const { path, pointer, required } = leaf;
          const other = findOther(leaf, 500);
          if (other === undefined && required) continue;
          patch.push([pointer, other ?? null]);
          expected = replaceAt(expected, path, other);
        }
        for (const turned of [patch, patch.toReversed()]) {
          await applyPatch(subject, { name, ...holding }, { [name]: start });
          const stored = await applyPatch(
            subject,
            { name, ...holding },
            Object.fromEntries(turned),
          );
          expect({ turned, stored }).toEqual({ turned, stored: expected });
        }
      }),
  },
  {
    id: 'patch-nested-invalid',
    level: 'must',
    rule:
      'A value set by a pointer is judged like one of the whole: what its place may not have is ' +
      'invalidProperties.',
    restsOn: 'what a value may be',
    applies: needObjects,
    /**
     * Takes up to five wrong values for each place from its schema. Null is none of them, for it
     * removes the member.
     */
    run: (subject) =>
      forEachObject(subject, findRichest, async ({ id, name, property, places }) => {
        for (const { pointer, schema, opens } of places) {
          if (opens) continue;
          const bad = isSet(schema) ? [false, 1] : listSchemaValues(schema).bad;
          const patches = bad.filter((one) => one !== null).slice(0, 5);
          await expectAllRefused(
            subject,
            id,
            matchInvalid(name),
            patches.map((value) => ({ [pointer]: value })),
          );
        }
        const { properties, additionalProperties = false } = property.schema;
        if (properties === undefined || additionalProperties !== false) return;
        const unknown = [{ [`${name}/noSuchMember`]: 1 }, { [`${name}/__proto__`]: {} }];
        await expectAllRefused(subject, id, matchInvalid(name), unknown);
      }),
  },
  {
    id: 'patch-nested-remove',
    level: 'must',
    rule:
      'Null removes the member that a pointer names, where it may be missing; where it is ' +
      'missing already the update succeeds and changes nothing.',
    applies: needObjects,
    /**
     * Removes each place twice: the second removal finds nothing and must succeed all the same (RFC
     * 8620 5.3).
     */
    run: (subject) =>
      forEachObject(subject, findRichest, async ({ start, places, ...holding }) => {
        const { id, name } = holding;
        for (const { path, pointer, value, required } of places) {
          const removal = { [pointer]: null };
          if (required) {
            const { refused } = await subject.update(id, removal);
            expect({ pointer, refused }).toEqual({ pointer, refused: matchInvalid(name) });
            continue;
          }
          const stored = await applyPatch(subject, holding, removal);
          expect({ pointer, stored }).toEqual({ pointer, stored: replaceAt(start, path) });
          expect(await applyPatch(subject, holding, removal)).toEqual(stored);
          await subject.update(id, { [pointer]: value });
        }
        expect((await subject.read(id))[name]).toEqual(start);
      }),
  },
  {
    id: 'patch-nested-parents',
    level: 'must',
    rule:
      'Within a value, too, the parents of a place must be there and have members: a scalar has ' +
      'none, and a member that is missing is not made.',
    applies: needObjects,
    /**
     * Points below scalars, below removed members and into the unknown. A server that makes parents
     * on demand stores something.
     */
    run: (subject) =>
      forEachObject(subject, findRichest, async ({ id, name, places }) => {
        const nowhere = [1, null, {}].map((value) => ({ [`${name}/nowhere/x`]: value }));
        await expectAllRefused(subject, id, invalidPatch, nowhere);
        for (const { path, pointer, value, required } of places) {
          const isLeaf = value === null || typeof value !== 'object' || Array.isArray(value);
          const deeper = [`${pointer}/0`, `${pointer}/x/y`];
          const patches = deeper.flatMap((one) => [{ [one]: 1 }, { [one]: null }]);
          if (isLeaf) await expectAllRefused(subject, id, invalidPatch, patches);
          if (isLeaf || required) continue;
          // Without the place itself nothing is below it.
          await subject.update(id, { [pointer]: null });
          const inner = Object.keys(value)[0] ?? 'x';
          const below = buildPointer(name, [...path, inner]);
          await expectAllRefused(subject, id, invalidPatch, [{ [below]: 1 }, { [below]: null }]);
          await subject.update(id, { [pointer]: value });
        }
      }),
  },
  {
    id: 'patch-keys-judged',
    level: 'must',
    rule:
      'A pointer adds an entry to a map under any key that the map may have, and none under a ' +
      'key that it may not.',
    restsOn: 'which keys a map may have',
    applies: (subject) => (findMaps(subject).length > 0 ? null : 'No mutable property is a map.'),
    async run(subject) {
      for (const { property, value } of findMaps(subject)) {
        const { name, schema } = property;
        const start = findRichest(subject, property);
        const { good, bad } = findOtherKeys(schema, start);
        await withValues(subject, { [name]: start }, async (id) => {
          for (const key of good.slice(0, 3)) {
            const pointer = buildPointer(name, [key]);
            const stored = await applyPatch(subject, { id, name }, { [pointer]: value });
            expect(stored).toEqual(replaceAt(start, [key], value));
            await subject.update(id, { [pointer]: null });
          }
          const patches = bad.map((key) => ({ [buildPointer(name, [key])]: value }));
          await expectAllRefused(subject, id, matchInvalid(name), patches);
        });
      }
    },
  },
  {
    id: 'patch-keys-counted',
    level: 'must',
    rule:
      'The object is judged after the whole patch: entries that one patch adds and removes count ' +
      'together against the bound of a map.',
    restsOn: 'how many entries a map may have',
    applies: (subject) =>
      findFreeMaps(subject).some(({ property }) => (property.schema.maxProperties ?? 1e9) <= 200)
        ? null
        : 'No map of free keys is bounded by 200 entries or less.',
    /**
     * Adds one entry too many, then adds the same entries and removes one in the same patch. Only
     * the end state is judged.
     */
    run: (subject) =>
      forEachFreeMap(subject, buildOneEntry, async ({ id, name, property, value }) => {
        const { maxProperties = 1e9 } = property.schema;
        if (maxProperties > 200 || countOctets(value) > 50) return;
        const added = Array.from({ length: maxProperties }, (_, n) => [`${name}/t${n}`, value]);
        const patch = Object.fromEntries(added) as JsonMap;
        await expectAllRefused(subject, id, matchInvalid(name), [patch]);
        const stored = await applyPatch(subject, { id, name }, { ...patch, [`${name}/a`]: null });
        expect(Object.keys(stored as JsonMap)).toHaveLength(maxProperties);
      }),
  },
]);
