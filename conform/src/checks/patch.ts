import { expect } from 'expect';
import { type TypeNeeds, typeChecks } from '../check.js';
import type { Json, JsonMap } from '../client/json.js';
import { at, entry, satisfying } from '../expected.js';
import type { Subject } from '../subject/subject.js';
import { needClosed } from '../subject/type-view.js';
import { countOctets, listSchemaValues } from '../subject/values.js';
import {
  applyPatch,
  buildNoEntries,
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
  findLists,
  findObjects,
  findRichest,
  needObjects,
} from './patch-places.js';

/**
 * RFC 8620 5.3: PatchObject, on objects, maps, sets and lists as deep as the descriptor has them.
 */

/** Matches both SetErrors that RFC 8620 5.3 allows for a key that is no JSON Pointer. */
const either = satisfying('invalidPatch or invalidProperties', (error) =>
  ['invalidPatch', 'invalidProperties'].includes(String((error as JsonMap | null)?.['type'])),
);

const withObjects: TypeNeeds = { singleton: 'both', text: false };

/** Returns why a type has no map with free keys; null where it has one. */
const needFreeMap = (subject: Subject) =>
  findFreeMaps(subject).length > 0 ? null : 'No property is a map whose keys are any text.';

/** Returns why a type has no list to point into; null where it has one. */
const needList = (subject: Subject) =>
  findLists(subject).length > 0 ? null : 'No mutable property has lists as values.';

/** Returns keys of a patch in which a tilde stands before neither 0 nor 1 (RFC 6901 3). */
export function buildNonPointers(subject: Subject): readonly string[] {
  const { text } = subject.profile;
  const within = findObjects(subject).flatMap(({ name }) => [`${name}/a~2`, `${name}/a~`]);
  return [`${text}~2`, `${text}~`, '~', `~${text}`, ...within];
}

export const patchChecks = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'patch-parent-missing',
    level: 'must',
    rule:
      'All of a pointer but its last token must be there, and be something that has members: ' +
      'otherwise the update is invalidPatch, for a removal as for a value.',
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'before');
      const pointers = [`${text}/x`, `${text}/x/y`, `${text}/0`, 'noSuchProperty/x', 'id/x'];
      const times = Object.keys(subject.times).map((name) => `${name}/x`);
      const patches = [...pointers, ...times].flatMap((one) => [{ [one]: 5 }, { [one]: null }]);
      const both = { [text]: 'x', [`${text}/a`]: 'y' };
      // A property that is null is there, and has no members.
      const nulls = Object.entries(await subject.read(id)).filter(([, value]) => value === null);
      const inNulls = nulls.flatMap(([name]) => [{ [`${name}/x`]: 1 }, { [`${name}/x`]: null }]);
      await expectAllRefused(subject, id, invalidPatch, [...patches, both, ...inNulls]);
    },
  },
  {
    id: 'patch-prototype-names',
    level: 'must',
    rule:
      'No pointer reaches what an object inherits in the server’s language: __proto__ and ' +
      'constructor are members that are not there.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      const pointers = ['__proto__/x', 'constructor/prototype/x', 'toString/x'];
      const patches = pointers.flatMap((one) => [{ [one]: 1 }, { [one]: null }]);
      await expectAllRefused(subject, id, invalidPatch, patches);
      await forEachObject(subject, findRichest, (other) => {
        const names = ['__proto__/x', 'constructor/prototype/x'];
        const within = names.map((one) => ({ [`${other.name}/${one}`]: 1 }));
        return expectAllRefused(subject, other.id, invalidPatch, within);
      });
      const later = entry((await subject.set({ create: { k: subject.create('b') } })).created, 'k');
      expect(Object.keys(later)).not.toContain('x');
    },
  },
  {
    id: 'patch-prefix',
    level: 'must',
    rule:
      'Where one pointer of a patch is the prefix of another, the update is invalidPatch, ' +
      'whatever the values are.',
    needs: withObjects,
    applies: needObjects,
    /**
     * Sends the value that a parent has already. The patch is refused even where both pointers
     * agree (RFC 8620 5.3).
     */
    run: (subject) =>
      forEachObject(subject, findRichest, async ({ id, name, start, places }) => {
        for (const { pointer, value, path } of places) {
          const parents = path.map((_, depth) => buildPointer(name, path.slice(0, depth)));
          await expectAllRefused(
            subject,
            id,
            invalidPatch,
            parents.map((parent, depth) => ({
              [pointer]: value,
              [parent]: path
                .slice(0, depth)
                .reduce<Json>((inner, token) => (inner as JsonMap)[token] ?? null, start),
            })),
          );
        }
      }),
  },
  {
    id: 'patch-prefix-tokens',
    level: 'must',
    rule:
      'A prefix is one of whole tokens: of two keys of which one begins with the other both may ' +
      'be patched.',
    needs: withObjects,
    applies: needFreeMap,
    run: (subject) =>
      forEachFreeMap(subject, buildNoEntries, async ({ name, value, id }) => {
        const patch = { [`${name}/foo`]: value, [`${name}/foobar`]: value };
        const stored = await applyPatch(subject, { id, name }, patch);
        expect(stored).toEqual({ foo: value, foobar: value });
      }),
  },
  {
    id: 'patch-escapes',
    level: 'must',
    rule:
      'In a pointer ~1 stands for a slash and ~0 for a tilde; a tilde before anything else is no ' +
      'JSON Pointer: the update is refused.',
    restsOn: 'which maps may have keys of any text',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      // The restrictions whose violation is an invalidPatch (5.3) don't name the syntax of RFC
      // 6901: it may as well be an unknown property.
      const patches = buildNonPointers(subject).map((one) => ({ [one]: 'x' }));
      await expectAllRefused(subject, id, either, patches);
      await forEachFreeMap(subject, buildNoEntries, async ({ name, value, ...holding }) => {
        const tokens = ['a~1b', 'a~0b', '~01'].map((token) => [`${name}/${token}`, value] as const);
        const patch = Object.fromEntries(tokens);
        const stored = await applyPatch(subject, { name, ...holding }, patch);
        expect(stored).toEqual({ 'a/b': value, 'a~b': value, '~1': value });
      });
    },
  },
  {
    id: 'patch-slashes',
    level: 'must',
    rule:
      'A pointer has a slash in front already: one that the client puts there begins with an ' +
      'empty token, and never names the property.',
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'before');
      // Of a type that keeps what it lacks, the last one may be a property.
      const another = needClosed(subject) === null ? [`${text}~1`] : [];
      const pointers = [`/${text}`, `//${text}`, '', '/', `${text}/`, `#/${text}`, ...another];
      await expectAllRefused(
        subject,
        id,
        either,
        pointers.map((one) => ({ [one]: 'x' })),
      );
    },
  },
  {
    id: 'patch-keys',
    level: 'must',
    rule:
      'The last token of a pointer into a map is a key, whatever it looks like: empty, a number, ' +
      'a dash or __proto__.',
    restsOn: 'which maps may have keys of any text',
    needs: withObjects,
    applies: needFreeMap,
    run: (subject) =>
      forEachFreeMap(subject, buildNoEntries, async ({ name, value, id }) => {
        const keys = ['', '0', '-', '01', '__proto__'];
        const patch = keys.map((key) => [buildPointer(name, [key]), value] as const);
        const now = await applyPatch(subject, { id, name }, Object.fromEntries(patch));
        expect(Object.keys(now as JsonMap).sort()).toEqual([...keys].sort());
        const then = await applyPatch(subject, { id, name }, { [`${name}/`]: null });
        expect(Object.keys(then as JsonMap)).not.toContain('');
      }),
  },
  {
    id: 'patch-array',
    level: 'must',
    rule:
      'No pointer reaches into a list, by an index, by - or by a name: invalidPatch. A list is ' +
      'replaced as a whole, and its order is kept.',
    needs: withObjects,
    applies: needList,
    async run(subject) {
      for (const property of findLists(subject)) {
        const { name } = property;
        const lists = listSchemaValues(property.schema).good.filter(
          (one): one is Json[] => Array.isArray(one) && one.length < 50 && countOctets(one) < 2000,
        );
        const longest = lists.toSorted((a, b) => b.length - a.length)[0] ?? [];
        await withValues(subject, { [name]: longest }, async (id) => {
          const pointers = [`${name}/0`, `${name}/-`, `${name}/x`, `${name}/length`, `${name}/0/x`];
          const patches = pointers.flatMap((one) => [{ [one]: 'x' }, { [one]: null }]);
          await expectAllRefused(subject, id, invalidPatch, patches);
          const turned = longest.toReversed();
          expect(await applyPatch(subject, { id, name }, { [name]: turned })).toEqual(turned);
        });
      }
    },
  },
  {
    id: 'patch-whole-value',
    level: 'must',
    rule:
      'A pointer to the property replaces its whole value: an empty object clears a map, and ' +
      'null restores what it is at first.',
    needs: withObjects,
    applies: needFreeMap,
    run: (subject) =>
      forEachFreeMap(subject, buildOneEntry, async ({ id, name, property, value, start }) => {
        for (const now of [{ b: value }, {}, start])
          expect(await applyPatch(subject, { id, name }, { [name]: now })).toEqual(now);
        if (property.required) return;
        const { default: initial = null } = property;
        const { set, refused } = await subject.update(id, { [name]: null });
        expect(refused).toBeNull();
        expect((await subject.read(id))[name] ?? null).toEqual(initial);
        if (initial !== null) expect(set).toMatchObject({ [name]: initial });
      }),
  },
  {
    id: 'patch-shared-value',
    level: 'must',
    rule:
      'Two objects that were given one value, by a result reference even, do not share it: a ' +
      'patch of one leaves the other alone.',
    needs: { text: false, room: 2 },
    applies: needFreeMap,
    /**
     * Lets one reference give the same map to two objects. A server that stores the parsed map
     * twice changes both by one patch.
     */
    async run(subject) {
      const { property, value } = at(findFreeMaps(subject), 0);
      const { name } = property;
      const [one, two] = [await subject.putOne({}), await subject.putOne({})];
      const patch = { [name]: { a: value } };
      const reference = { resultOf: 'v', name: 'Core/echo', path: '/update' };
      const { A1, type } = subject;
      await subject.client.api([
        ['Core/echo', { update: { [one]: patch, [two]: patch } }, 'v'],
        [`${type}/set`, { accountId: A1, '#update': reference }, 's'],
        [`${type}/set`, { accountId: A1, update: { [one]: { [`${name}/b`]: value } } }, 't'],
      ]);
      expect((await subject.read(one))[name]).toEqual({ a: value, b: value });
      expect((await subject.read(two))[name]).toEqual({ a: value });
    },
  },
]);
