import { expect } from 'expect';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type TypeNeeds, typeChecks } from '../check.js';
import { asSet, type Call } from '../client/answers.js';
import type { JsonMap } from '../client/json.js';
import { at, entry } from '../expected.js';
import { listAccounts } from '../subject/beside.js';
import { listWritable } from '../subject/described.js';
import { listLinks, type Link as Place, wrapIds } from '../subject/links.js';
import type { Subject } from '../subject/subject.js';
import { expectNoLookAhead, matchRefusal } from './refusal.js';
import { Targets } from './targets.js';

/**
 * References of a descriptor: what they may hold, and what follows where what they hold is
 * destroyed.
 */

/** Needs room for objects of the type beside those that they refer to. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({
  methods: ['get', 'set'],
  room: 3,
  singleton: 'both',
});

/** Describes a reference of a type, and where the objects come from that it names. */
export interface Link {
  readonly name: string;
  readonly property: ModelProperty;
  readonly reference: Place;
  readonly targets: Targets;
}

/** Describes a reference of a type by itself. */
export type Reference = Pick<Link, 'property' | 'reference'>;

/** Returns the references of a type that a client may set. */
export const findLinks = ({ described }: Subject): readonly Reference[] =>
  listWritable(described).flatMap((property) =>
    listLinks(property).map((reference) => ({ property, reference })),
  );

/** Returns the references of a type to itself that may lead no object back to itself. */
export const findAcyclicLinks = (subject: Subject): readonly Reference[] =>
  findLinks(subject).filter(
    ({ property, reference }) => reference.acyclic && property.access === 'mutable',
  );

/** Returns why a type has no reference to try; null where it has one. */
export const needLink = (subject: Subject): string | null =>
  findLinks(subject).length > 0 ? null : 'The type refers to nothing.';

/** Runs for each reference; what holds a target goes before it. */
export async function forEachLink(
  subject: Subject,
  links: readonly Reference[],
  work: (link: Link) => Promise<void>,
): Promise<void> {
  for (const { property, reference } of links) {
    const { name } = property;
    const targets = new Targets(subject);
    await targets.prepareType(reference.type);
    try {
      await work({ name, property, reference, targets });
    } finally {
      if (subject.profile.singleton) await subject.update('singleton', { [name]: null });
      else for (const id of listAccounts(subject)) await subject.clear(id);
      await targets.tidy();
    }
  }
}

/** Builds a call of /set for each of these creates, in their order. */
const buildSets = (
  subject: Subject,
  ...creates: readonly [type: string, create: JsonMap][]
): Call[] =>
  creates.map(([type, create], n) => [`${type}/set`, { accountId: subject.A1, create }, `c${n}`]);

/**
 * Returns the references that must name an object where they are written. One with `keep` may name
 * one that is gone, and a server needn't look at what it names.
 */
const findStrong = (subject: Subject): readonly Reference[] =>
  findLinks(subject).filter(
    ({ reference }) => subject.isSelfDescribed || reference.onDestroy !== 'keep',
  );

export const describedLinkChecks = typeChecks('5.3', NEEDS, [
  {
    id: 'described-links-targets',
    level: 'must',
    rule:
      'A reference holds ids of objects of its type in the same account; anything else is ' +
      'invalidProperties.',
    restsOn: 'which properties refer to what',
    applies: (subject) =>
      needLink(subject) ??
      (findStrong(subject).length > 0 ? null : 'The type may refer to objects that are gone.'),
    async run(subject) {
      await forEachLink(subject, findStrong(subject), async ({ name, reference, targets }) => {
        const { type } = reference;
        const near = await targets.make(type, subject.A1, 'near');
        const [, second] = listAccounts(subject);
        const foreign = second === undefined ? [] : [await targets.make(type, second, 'foreign')];
        for (const id of [...foreign, 'nothing', '#nobody', 'no id', '']) {
          const { refused } = await subject.put({ [name]: wrapIds(reference, id) });
          expect({ name, id, refused }).toEqual({ name, id, refused: matchRefusal(subject, name) });
        }
        const id = await subject.putOne({ [name]: wrapIds(reference, near) });
        expect((await subject.read(id))[name]).toEqual(wrapIds(reference, near));
      });
    },
  },
  {
    id: 'described-links-creation-ids',
    level: 'must',
    rule:
      'A reference may be a creation id, of an earlier call or of the same one: the real id is ' +
      'stored, and told.',
    needs: { singleton: undefined },
    applies: needLink,
    async run(subject) {
      await forEachLink(subject, findLinks(subject), async ({ name, reference, targets }) => {
        const { type } = reference;
        const target = await targets.prepareType(type);
        const c = { ...subject.create('holds'), [name]: wrapIds(reference, '#p') };
        const p = target.create('p');
        const calls =
          type === subject.type
            ? buildSets(subject, [type, { c, p }])
            : buildSets(subject, [type, { p }], [subject.type, { c }]);
        const { methodResponses } = await subject.clientOfAll.api(calls);
        const { id } = entry(asSet(at(methodResponses, 0)[1]).created, 'p');
        targets.add(target, subject.A1, id);
        const made = entry(asSet(at(methodResponses, -1)[1]).created, 'c');
        expect({ name, told: made[name] }).toEqual({ name, told: wrapIds(reference, id) });
        expect((await subject.read(made.id))[name]).toEqual(wrapIds(reference, id));
      });
    },
  },
  {
    id: 'described-links-later-creation-id',
    level: 'must',
    rule:
      'A creation id that a later call makes is not kept as it is: the create is refused (here ' +
      'with invalidProperties).',
    needs: { singleton: undefined },
    applies: needLink,
    async run(subject) {
      await forEachLink(subject, findLinks(subject), async ({ name, reference, targets }) => {
        const { type } = reference;
        const target = await targets.prepareType(type);
        const c = { ...subject.create('early'), [name]: wrapIds(reference, '#late') };
        const late = target.create('late');
        const calls = buildSets(subject, [subject.type, { c }], [type, { late }]);
        const { methodResponses } = await subject.clientOfAll.api(calls);
        const made = asSet(at(methodResponses, 1)[1]).created?.['late'];
        if (made !== undefined) targets.add(target, subject.A1, made.id);
        const value = made === undefined ? undefined : wrapIds(reference, made.id);
        await expectNoLookAhead(subject, name, asSet(at(methodResponses, 0)[1]), value);
      });
    },
  },
]);
