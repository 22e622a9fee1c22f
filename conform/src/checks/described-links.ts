import { expect } from 'expect';
import type { ReferenceDefinition } from '../../../src/capability/definition.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type TypeNeeds, typeChecks } from '../check.js';
import { asSet, type Call } from '../client/answers.js';
import type { JsonMap } from '../client/json.js';
import { at, entry } from '../expected.js';
import { wrapped, writable } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { refusal } from './refusal.js';
import { Targets } from './targets.js';

/** References of a descriptor: what they may hold, and what follows where what they hold is destroyed. */

const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({
  methods: ['get', 'set'],
  room: 3,
  singleton: 'both',
});

export interface Link {
  readonly name: string;
  readonly property: ModelProperty;
  readonly reference: ReferenceDefinition;
  readonly targets: Targets;
}

export type Reference = Pick<Link, 'property' | 'reference'>;

export const linksOf = ({ described }: Subject): readonly Reference[] =>
  writable(described).flatMap((property) =>
    property.reference === undefined ? [] : [{ property, reference: property.reference }],
  );

export const acyclicOf = (subject: Subject): readonly Reference[] =>
  linksOf(subject).filter(
    ({ property, reference }) => reference.acyclic && property.access === 'mutable',
  );

export const hasLinks = (subject: Subject): string | null =>
  linksOf(subject).length > 0 ? null : 'The type refers to nothing.';

/** Runs for each reference; what holds a target goes before it. */
export async function each(
  subject: Subject,
  links: readonly Reference[],
  work: (link: Link) => Promise<void>,
): Promise<void> {
  for (const { property, reference } of links) {
    const { name } = property;
    const targets = new Targets(subject);
    await targets.of(reference.type);
    try {
      await work({ name, property, reference, targets });
    } finally {
      if (subject.profile.singleton) await subject.update('singleton', { [name]: null });
      else for (const id of [subject.A1, subject.A2]) await subject.clear(id);
      await targets.tidy();
    }
  }
}

/** What a second copy of one object must have of its own. */
function another(subject: Subject): JsonMap {
  const own = subject.profile.given.filter(
    ({ reference, blobs }) => reference === undefined && blobs.length === 0,
  );
  return Object.fromEntries(own.map(({ name }) => [name, subject.differing(name)]));
}

/** Sets of two types, one after the other; creates of one type are one call. */
const setsOf = (subject: Subject, ...creates: readonly [type: string, create: JsonMap][]): Call[] =>
  creates.map(([type, create], n) => [`${type}/set`, { accountId: subject.A1, create }, `c${n}`]);

export const describedLinkChecks = typeChecks('5.3', NEEDS, [
  {
    id: 'described-links-targets',
    level: 'decision',
    rule: 'A reference holds ids of objects of its type in the same account; anything else is invalidProperties.',
    applies: hasLinks,
    async run(subject) {
      await each(subject, linksOf(subject), async ({ name, reference, targets }) => {
        const { form, type } = reference;
        const foreign = await targets.make(type, subject.A2, 'foreign');
        for (const id of [foreign, 'nothing', '#nobody', 'no id', '']) {
          const { refused } = await subject.put({ [name]: wrapped(form, id) });
          expect({ name, id, refused }).toEqual({ name, id, refused: refusal(subject, name) });
        }
        const near = await targets.make(type, subject.A1, 'near');
        const id = await subject.put1({ [name]: wrapped(form, near) });
        expect((await subject.read(id))[name]).toEqual(wrapped(form, near));
      });
    },
  },
  {
    id: 'described-links-creation-ids',
    level: 'must',
    rule: 'A reference may be a creation id, of an earlier call or of the same one: the real id is stored, and told.',
    needs: { singleton: undefined },
    applies: hasLinks,
    async run(subject) {
      await each(subject, linksOf(subject), async ({ name, reference, targets }) => {
        const { form, type } = reference;
        const target = await targets.of(type);
        const c = { ...subject.create('holds'), [name]: wrapped(form, '#p') };
        const p = target.create('p');
        const calls =
          type === subject.type
            ? setsOf(subject, [type, { c, p }])
            : setsOf(subject, [type, { p }], [subject.type, { c }]);
        const { methodResponses } = await subject.clientOfAll.api(calls);
        const { id } = entry(asSet(at(methodResponses, 0)[1]).created, 'p');
        targets.add(target, subject.A1, id);
        const made = entry(asSet(at(methodResponses, -1)[1]).created, 'c');
        expect({ name, told: made[name] }).toEqual({ name, told: wrapped(form, id) });
        expect((await subject.read(made.id))[name]).toEqual(wrapped(form, id));
      });
    },
  },
  {
    id: 'described-links-later-creation-id',
    level: 'must',
    rule: 'A creation id of a later call is nobody’s yet: invalidProperties.',
    needs: { singleton: undefined },
    applies: hasLinks,
    async run(subject) {
      await each(subject, linksOf(subject), async ({ name, reference, targets }) => {
        const { form, type } = reference;
        const target = await targets.of(type);
        const c = { ...subject.create('early'), [name]: wrapped(form, '#late') };
        const late = target.create('late');
        const calls = setsOf(subject, [subject.type, { c }], [type, { late }]);
        const { methodResponses } = await subject.clientOfAll.api(calls);
        const { created, notCreated } = asSet(at(methodResponses, 0)[1]);
        const { created: later } = asSet(at(methodResponses, 1)[1]);
        targets.add(target, subject.A1, entry(later, 'late').id);
        const refused = { c: refusal(subject, name) };
        expect([name, created, notCreated]).toEqual([name, null, refused]);
      });
    },
  },
  {
    id: 'described-links-on-destroy',
    level: 'decision',
    rule: 'Where what a reference holds is to be destroyed, the descriptor says whether that is refused with objectIsLinked, followed by what holds it, or taken out of the reference (decision 13).',
    needs: { methods: ['changes'] },
    applies: hasLinks,
    async run(subject) {
      await each(subject, linksOf(subject), async ({ name, reference, targets }) => {
        const { form, type, onDestroy } = reference;
        const target = await targets.of(type);
        const gone = await targets.make(type, subject.A1, 'gone');
        const stays = await targets.make(type, subject.A1, 'stays');
        const ids = form === 'single' ? [gone] : [gone, stays];
        const holder = await subject.put1({ [name]: wrapped(form, ...ids) });
        const before = await subject.snapshot(subject.A1);
        const args = { accountId: subject.A1, sinceState: await subject.state(subject.A1) };
        const answer = await target.set({ destroy: [gone] });
        if (onDestroy === 'restrict') {
          const linked = expect.objectContaining({ type: 'objectIsLinked', objectIds: [holder] });
          expect({ name, ...answer.notDestroyed }).toEqual({ name, [gone]: linked });
          expect(await subject.snapshot(subject.A1)).toEqual(before);
          return;
        }
        expect({ name, destroyed: answer.destroyed }).toEqual({
          name,
          destroyed: expect.arrayContaining([gone]),
        });
        const changes = await subject.client.changes(subject.type, args);
        expect(onDestroy === 'cascade' ? changes.destroyed : changes.updated).toContain(holder);
        if (onDestroy === 'setNull')
          expect((await subject.read(holder))[name]).toEqual(wrapped(form, ...ids.slice(1)));
      });
    },
  },
  {
    id: 'described-links-acyclic',
    level: 'decision',
    rule: 'Where a descriptor wants no cycles an object refers neither to itself nor to what refers to it, over any number of others: invalidProperties.',
    needs: { singleton: undefined },
    applies: (subject) =>
      acyclicOf(subject).length > 0 ? null : 'The type has no reference without cycles.',
    async run(subject) {
      await each(subject, acyclicOf(subject), async ({ name, reference: { form } }) => {
        const top = await subject.put1({});
        const middle = await subject.put1({ [name]: wrapped(form, top) });
        const leaf = await subject.put1({ [name]: wrapped(form, middle) });
        for (const id of [top, middle, leaf]) {
          const { refused } = await subject.update(top, { [name]: wrapped(form, id) });
          expect({ name, refused }).toEqual({
            name,
            refused: subject.setError('invalidProperties', [name]),
          });
        }
        await subject.set({ destroy: [leaf, middle, top] });
      });
    },
  },
  {
    id: 'described-links-copied',
    section: '5.4',
    level: 'decision',
    rule: 'A copied reference into the source is invalidProperties, unless the client gives another (decision 17).',
    needs: { methods: ['copy'], singleton: undefined },
    applies: hasLinks,
    async run(subject) {
      await each(subject, linksOf(subject), async ({ name, reference, targets, property }) => {
        const { form, type } = reference;
        const near = await targets.make(type, subject.A1, 'near');
        const id = await subject.put1({ [name]: wrapped(form, near) });
        const { [name]: _, ...rest } = subject.moved();
        const copy = async (more: JsonMap) =>
          await subject.client.copy(subject.type, {
            fromAccountId: subject.A1,
            accountId: subject.A2,
            create: { k: { id, ...rest, ...more } },
          });
        const refused = await copy({});
        expect({ name, ...refused.notCreated }).toEqual({ name, k: refusal(subject, name) });
        const far = await targets.make(type, subject.A2, 'far');
        const { notCreated } = await copy({ [name]: wrapped(form, far) });
        expect({ name, notCreated }).toEqual({ name, notCreated: null });
        if (!property.required && property.nullable)
          expect((await copy({ [name]: null, ...another(subject) })).notCreated).toBeNull();
      });
    },
  },
]);
