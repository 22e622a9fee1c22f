import { expect } from 'expect';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type TypeNeeds, typeChecks } from '../check.js';
import type { Item, Json } from '../client/json.js';
import { at, entry } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { findBlobHolders } from '../subject/blob-holders.js';
import { isUnique, listWritable } from '../subject/described.js';
import { findLink, wrapIds } from '../subject/links.js';
import type { Subject } from '../subject/subject.js';
import { buildCopy, copy, copyOne } from './copies.js';
import { upload } from './described-blobs.js';
import { get } from './get.js';
import { withValues } from './patch-holding.js';
import { Targets } from './targets.js';

/** `optional: true` of a descriptor: properties that are absent until they are set. */

const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({ methods: ['get', 'set'], room: 2 });

/** Says what of a descriptor the checks rest on. */
const OPTIONAL = 'which properties may be absent';

/** Lists the optional properties that a create may leave out, and that only clients set. */
const listOptional = ({ described, profile }: Subject): readonly ModelProperty[] =>
  listWritable(described).filter(
    (one) => one.optional === true && one.computed === undefined && !profile.given.includes(one),
  );

/** Returns the names of properties. */
const listNames = (properties: readonly ModelProperty[]): string[] =>
  properties.map(({ name }) => name);

/** Returns why the type has no optional property; null where it has one. */
const needOptional = (subject: Subject): string | null =>
  listOptional(subject).length > 0 ? null : 'The type has no optional property.';

/** Lists those of them that an update may remove. */
const listRemovable = (subject: Subject): readonly ModelProperty[] =>
  listOptional(subject).filter(({ access }) => access === 'mutable');

/** Reads an object whole, and these properties of it by their names. */
async function readBoth(
  subject: Subject,
  id: string,
  names: readonly string[],
  accountId = subject.A1,
): Promise<readonly Item[]> {
  const whole = await get(subject, { accountId, ids: [id] });
  const named = await get(subject, { accountId, ids: [id], properties: names });
  return [at(whole.list, 0), at(named.list, 0)];
}

/** Expects that an object has none of these properties, not even as null. */
async function expectAbsent(
  subject: Subject,
  id: string,
  names: readonly string[],
  accountId = subject.A1,
): Promise<void> {
  for (const item of await readBoth(subject, id, names, accountId))
    expect(Object.keys(item).filter((name) => names.includes(name))).toEqual([]);
}

/** Creates an object with as little as may be. Returns what `created` tells of it. */
async function putLeast(subject: Subject): Promise<Item> {
  const { created } = await subject.set({ create: { k: subject.createLeast('least') } });
  return entry(created, 'k');
}

/** Builds a value of a property that is not null; undefined where none can be made. */
async function buildValue(
  subject: Subject,
  targets: Targets,
  property: ModelProperty,
): Promise<Json | undefined> {
  const { name, references } = property;
  const link = findLink(property);
  if (link !== undefined) return wrapIds(link, await targets.make(link.type, subject.A1));
  if (references.length > 0) return undefined;
  const holder = findBlobHolders(subject).find((one) => one.name === name);
  if (holder !== undefined) return holder.buildHolding(await upload(subject, name));
  if (isUnique(subject.described, property)) return subject.drawDiffering(name);
  return subject.listGood(property).find((one) => one !== null);
}

/**
 * Runs for each property with an object that has a value of it. `work` tells whether it tried
 * something. Returns whether it ever did.
 */
async function forEachSet(
  subject: Subject,
  properties: readonly ModelProperty[],
  work: (property: ModelProperty, id: string) => Promise<boolean>,
): Promise<boolean> {
  let hasTried = false;
  for (const property of properties) {
    const targets = new Targets(subject);
    try {
      const value = await buildValue(subject, targets, property);
      if (value === undefined) continue;
      await withValues(subject, { [property.name]: value }, async (id) => {
        hasTried = (await work(property, id)) || hasTried;
      });
    } finally {
      await targets.tidy();
    }
  }
  return hasTried;
}

export const describedOptionalChecks = typeChecks('5.3', NEEDS, [
  {
    id: 'described-optional-absent',
    section: '5.1',
    level: 'must',
    rule:
      'An optional property that nobody set is absent: /get has it neither by itself nor where ' +
      'properties names it, not even as null.',
    restsOn: OPTIONAL,
    applies: needOptional,
    async run(subject) {
      const { id, ...made } = await putLeast(subject);
      // The server may set some by itself, which it tells.
      const names = listNames(listOptional(subject)).filter(
        (name) => (made[name] ?? null) === null,
      );
      if (names.length === 0) throw new NotApplicable('The server sets each optional property.');
      await expectAbsent(subject, id, names);
    },
  },
  {
    id: 'described-optional-removed',
    level: 'must',
    rule:
      'Null in a patch makes an optional property absent again. If null is one of its values, ' +
      'null is stored.',
    restsOn: OPTIONAL,
    needs: { singleton: 'both' },
    applies: (subject) =>
      listRemovable(subject).length > 0 ? null : 'No update can remove a property of the type.',
    async run(subject) {
      const hasTried = await forEachSet(subject, listRemovable(subject), async (property, id) => {
        const { name, nullable } = property;
        const { refused } = await subject.update(id, { [name]: null });
        // Samples tell of rules: one may forbid that it goes.
        if (refused !== null && subject.isSampled(property)) return false;
        expect({ name, refused }).toEqual({ name, refused: null });
        if (!nullable) await expectAbsent(subject, id, [name]);
        else {
          const [whole, named] = await readBoth(subject, id, [name]);
          expect(named).toEqual({ id, [name]: null });
          if (property.onRequest !== true) expect(whole).toMatchObject({ [name]: null });
        }
        return true;
      });
      if (!hasTried) throw new NotApplicable('Rules of the server keep each optional property.');
    },
  },
  {
    id: 'described-optional-copied',
    section: '5.4',
    level: 'must',
    rule:
      'A copy lacks the optional properties that its original lacks, and those for which /copy ' +
      'gives null, if null is not a legal value.',
    restsOn: OPTIONAL,
    needs: { methods: ['copy'] },
    applies: needOptional,
    async run(subject) {
      const { A2 } = subject;
      await subject.prepare(A2);
      const original = await putLeast(subject);
      const copied = await copyOne(subject, original.id);
      const absent = listNames(listOptional(subject)).filter(
        (name) => (original[name] ?? copied[name] ?? null) === null,
      );
      await expectAbsent(subject, copied.id, absent, A2);
      await subject.set({ accountId: A2, destroy: [copied.id] });
      const others = listOptional(subject).filter(({ nullable }) => !nullable);
      await forEachSet(subject, others, async (property, id) => {
        const { name } = property;
        const create = { k: buildCopy(subject, id, { [name]: null }) };
        const { created, notCreated } = await copy(subject, { create });
        // Null is no value of the property: another server may refuse it, and so may a rule.
        const mayRefuse = !subject.isSelfDescribed || subject.isSampled(property);
        if (notCreated !== null && mayRefuse) return false;
        expect({ name, notCreated }).toEqual({ name, notCreated: null });
        const { id: without } = entry(created, 'k');
        await expectAbsent(subject, without, [name], A2);
        await subject.set({ accountId: A2, destroy: [without] });
        return true;
      });
    },
  },
]);
