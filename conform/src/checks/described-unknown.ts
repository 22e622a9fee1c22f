import { expect } from 'expect';
import { UNKNOWN_BOUNDS } from '../../../src/capability/unknown-properties.js';
import { escapeToken } from '../../../src/protocol/json-pointer.js';
import { type TypeNeeds, typeChecks } from '../check.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { satisfying } from '../expected.js';
import type { Subject } from '../subject/subject.js';
import { copyOne } from './copies.js';
import { invalidPatch, withValues } from './patch-holding.js';

/** `unknownProperties: keep` of a descriptor: properties that the type does not declare. */

const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({ methods: ['get', 'set'], singleton: 'both' });

/** Returns why a type refuses properties that it does not declare; null where it keeps them. */
const needKept = ({ described }: Subject): string | null =>
  described.keepsUnknown === true ? null : 'The type keeps no properties that it does not declare.';

const KEEPS = 'that the type keeps properties which it does not declare';

/** Properties that no type declares, a value of each kind. Their names are those of a vendor. */
const OF_VENDOR: JsonMap = Object.freeze({
  'example.com:conformText': 'As it is: \u{e9}\u{1F600} ',
  'example.com:conformNumber': -1.25e-7,
  'example.com:conformFlag': false,
  'example.com:conformObject': { b: 1, a: { 'x/y~z': [null, {}] }, '': 'empty' },
  'example.com:conformList': [2, 'b', [1], { c: null }],
});

/** Those and others. */
const VALUES: JsonMap = Object.freeze({
  ...OF_VENDOR,
  'conform/a~b': 'a name with what pointers escape',
  conformPlain: 9_007_199_254_740_991,
});

const OBJECT = 'example.com:conformObject';
const LIST = 'example.com:conformList';
const TEXT = 'example.com:conformText';

/** Picks what an object has of some properties; one that is absent has no entry. */
const pick = (item: JsonMap, names: readonly string[]): JsonMap =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));

/** Reads what an object has of the undeclared properties that checks give. */
const readKept = async (subject: Subject, id: string, accountId?: string): Promise<JsonMap> =>
  pick(await subject.read(id, accountId), Object.keys(VALUES));

/** Updates an object, which must succeed. */
async function change(subject: Subject, id: string, patch: JsonMap): Promise<void> {
  const { refused } = await subject.update(id, patch);
  expect({ patch, refused }).toEqual({ patch, refused: null });
}

/** Returns a patch that sets whole properties: its pointers are their names. */
const buildPatch = (values: JsonMap): JsonMap =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [escapeToken(name), value]));

/**
 * Returns the properties that checks give. A server may have a rule of its own about names without
 * a vendor, as JSContact has: what it refuses of these is left out. A strict run knows of such
 * rules by the samples, and takes no refusal without any.
 */
async function findValues(subject: Subject): Promise<JsonMap> {
  const { profile, samples, server } = subject;
  if (profile.singleton || (server.strict && samples.length === 0)) return VALUES;
  const { id, refused } = await subject.put(VALUES);
  if (refused === null) await subject.set({ destroy: [id] });
  if (refused?.['type'] !== 'invalidProperties') return VALUES;
  const { properties } = refused;
  const isRefused = (name: string): boolean =>
    !Array.isArray(properties) || properties.includes(name);
  const names = Object.keys(VALUES).filter((name) => name in OF_VENDOR || !isRefused(name));
  return pick(VALUES, names);
}

/** Stores undeclared properties in an object, works with it, and removes it or them again. */
async function withKept(
  subject: Subject,
  work: (id: string, values: JsonMap) => Promise<void>,
): Promise<void> {
  const values = await findValues(subject);
  const given = subject.profile.singleton ? buildPatch(values) : values;
  await withValues(subject, given, (id) => work(id, values));
}

/** Creates an object of which nothing is given but what must be, and these values. */
async function putLeast(
  subject: Subject,
  values: JsonMap,
): Promise<{ id: string | undefined; refused: JsonMap | null }> {
  const create = { k: { ...subject.createLeast('t'), ...values } };
  const { created, notCreated } = await subject.set({ create });
  return { id: created?.['k']?.id, refused: notCreated?.['k'] ?? null };
}

/**
 * Matches a refusal of undeclared properties. A strict run wants invalidProperties with all names;
 * another server has bounds of its own, and errors for them.
 */
const matchRefused = ({ server }: Subject, names: readonly string[]) =>
  satisfying(`a SetError invalidProperties for ${names.slice(0, 3).join(', ')}`, (value) => {
    const { type, properties } = (value ?? {}) as JsonMap;
    if (!server.strict) return typeof type === 'string';
    return type === 'invalidProperties' && same(sort(properties), sort([...names]));
  });

const sort = (names: Json | undefined): Json => (Array.isArray(names) ? names.toSorted() : null);

/** Expects that values are refused, or stored as they are where the run is not strict. */
async function expectRefused(subject: Subject, values: JsonMap): Promise<void> {
  const names = Object.keys(values);
  const { id, refused } = await putLeast(subject, values);
  if (id === undefined || subject.server.strict)
    expect({ names, refused }).toEqual({ names, refused: matchRefused(subject, names) });
  else expect(pick(await subject.read(id), names)).toEqual(values);
}

const { count: COUNT, octets: OCTETS, name: LENGTH } = UNKNOWN_BOUNDS;

/** Levels of lists and objects that lie within each other. */
const LEVELS = 64;

/** Builds so many properties with a number each. */
const buildMany = (count: number): JsonMap =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`conform${n}`, n]));

/** Builds a property whose JSON, as an object of its own, has so many octets. */
function buildBig(octets: number): JsonMap {
  const around = JSON.stringify({ conformBig: '' }).length;
  return { conformBig: 'x'.repeat(octets - around) };
}

/** Builds a property of so many lists within each other. */
const buildDeep = (levels: number): JsonMap => ({
  conformDeep: Array.from({ length: levels }).reduce<Json>((inner) => [inner], 1),
});

/** Lists values that a jmapsmith server refuses: one step beyond a bound, or with a wrong name. */
function listBeyond({ described, profile }: Subject): readonly JsonMap[] {
  const internal = described.properties.filter(({ access }) => access === 'internal');
  const names = ['', 'a\u0000b', 'toString', '__proto__', 'n'.repeat(LENGTH + 1)];
  return [
    ...[...names, ...internal.map(({ name }) => name)].map((name) =>
      Object.fromEntries([[name, 1]]),
    ),
    ...[buildMany(COUNT + 1), buildDeep(LEVELS + 1)],
    ...(profile.octets > OCTETS * 2 ? [buildBig(OCTETS + 1)] : []),
  ];
}

/** Lists values at the bounds. */
const listWithin = ({ profile }: Subject): readonly JsonMap[] => [
  ...[{ ['n'.repeat(LENGTH)]: 1 }, buildMany(COUNT), buildDeep(LEVELS)],
  ...(profile.octets > OCTETS * 2 ? [buildBig(OCTETS)] : []),
];

export const describedUnknownChecks = typeChecks('5.3', NEEDS, [
  {
    id: 'described-unknown-kept',
    level: 'must',
    rule:
      'With unknownProperties: keep a property that the type does not declare is stored and ' +
      'returned as it was sent, by a create and by an update.',
    restsOn: KEEPS,
    applies: needKept,
    async run(subject) {
      const { singleton } = subject.profile;
      await withKept(subject, async (id, values) => {
        expect(await readKept(subject, id)).toEqual(values);
        const turned = Object.entries(values).map(([name], n, all) => [name, all.at(n - 1)?.[1]]);
        const others = Object.fromEntries(turned) as JsonMap;
        await change(subject, id, buildPatch(others));
        expect(await readKept(subject, id)).toEqual(others);
      });
      // Whether a create stores a null is not said of another server.
      if (singleton || !subject.isSelfDescribed) return;
      const id = await subject.putOne({ [TEXT]: null });
      expect(await readKept(subject, id)).toEqual({ [TEXT]: null });
    },
  },
  {
    id: 'described-unknown-removed',
    level: 'must',
    rule: 'Null in a patch removes an undeclared property, and no other one.',
    restsOn: KEEPS,
    applies: needKept,
    async run(subject) {
      await withKept(subject, async (id, values) => {
        const left: JsonMap = { ...values };
        for (const name of Object.keys(values)) {
          await change(subject, id, { [escapeToken(name)]: null });
          delete left[name];
          expect({ name, kept: await readKept(subject, id) }).toEqual({ name, kept: left });
        }
      });
    },
  },
  {
    id: 'described-unknown-patched',
    level: 'must',
    rule:
      'A patch changes a member of an undeclared property and no other. A pointer into a list or ' +
      'below a missing member is invalidPatch.',
    restsOn: KEEPS,
    applies: needKept,
    async run(subject) {
      await withKept(subject, async (id, values) => {
        await change(subject, id, {
          [`${OBJECT}/b`]: null,
          [`${OBJECT}/a/x~1y~0z`]: 'patched',
          [`${OBJECT}/more`]: [{}],
        });
        const patched = { a: { 'x/y~z': 'patched' }, '': 'empty', more: [{}] };
        const wanted = { ...values, [OBJECT]: patched };
        expect(await readKept(subject, id)).toEqual(wanted);
        for (const pointer of [`${LIST}/0`, `${OBJECT}/none/x`, 'conformNone/x', `${TEXT}/x`]) {
          const { refused } = await subject.update(id, { [pointer]: 1 });
          expect({ pointer, refused }).toEqual({ pointer, refused: invalidPatch });
        }
        expect(await readKept(subject, id)).toEqual(wanted);
      });
    },
  },
  {
    id: 'described-unknown-told',
    section: '5.2',
    level: 'must',
    rule:
      '/changes tells an object of which an undeclared property changed. updatedProperties, if ' +
      'there, is null or names it.',
    restsOn: KEEPS,
    needs: { methods: ['changes'] },
    applies: needKept,
    async run(subject) {
      await withKept(subject, async (id) => {
        const { A1: accountId, type } = subject;
        const sinceState = await subject.readState(accountId);
        await change(subject, id, { [TEXT]: 'changed' });
        const told = await subject.client.changes(type, { accountId, sinceState });
        expect(told.updated).toContain(id);
        const { updatedProperties = null } = told;
        if (updatedProperties !== null) expect(updatedProperties).toContain(TEXT);
      });
    },
  },
  {
    id: 'described-unknown-copied',
    section: '5.4',
    level: 'must',
    rule: 'A copy has the undeclared properties of its original, but for those that it gives.',
    restsOn: KEEPS,
    needs: { methods: ['copy'], singleton: undefined },
    applies: needKept,
    async run(subject) {
      await subject.prepare(subject.A2);
      await withKept(subject, async (id, values) => {
        const { id: copied } = await copyOne(subject, id, { [TEXT]: 'of the copy' });
        const wanted = { ...values, [TEXT]: 'of the copy' };
        expect(await readKept(subject, copied, subject.A2)).toEqual(wanted);
        expect(await readKept(subject, id)).toEqual(values);
        await subject.set({ accountId: subject.A2, destroy: [copied] });
      });
    },
  },
  {
    id: 'described-unknown-bounds',
    level: 'must',
    rule:
      'Undeclared properties beyond the bounds of the server are refused, with invalidProperties ' +
      'by a jmapsmith server, or stored whole: never cut. Those within them are stored.',
    restsOn: KEEPS,
    needs: { singleton: undefined },
    applies: needKept,
    async run(subject) {
      for (const values of listBeyond(subject)) await expectRefused(subject, values);
      if (!subject.server.strict) return;
      for (const values of listWithin(subject)) {
        const names = Object.keys(values);
        const { id = '', refused } = await putLeast(subject, values);
        expect({ names, refused }).toEqual({ names, refused: null });
        expect(pick(await subject.read(id), names)).toEqual(values);
        if (names.length < COUNT) continue;
        const update = await subject.update(id, { conformMore: 1, conform0: 'other' });
        expect(update.refused).toEqual(matchRefused(subject, ['conformMore', 'conform0']));
        expect(pick(await subject.read(id), [...names, 'conformMore'])).toEqual(values);
      }
    },
  },
]);
