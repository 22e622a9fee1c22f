import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { JsonMap } from '../client/json.js';
import { entry } from '../expected.js';
import { isSet, wrapIds } from '../subject/links.js';
import type { Subject } from '../subject/subject.js';
import { findLinks, needLink, type Reference } from './described-links.js';
import { matchInvalid } from './patch-places.js';
import { expectNoLookAhead } from './refusal.js';
import { buildSetCall, readCreated, readSet } from './requests.js';

/** RFC 8620 3.3 and 5.3: creation ids in properties that hold ids of other objects. */

/** Tells whether an update can set a reference. */
const isMutable = ({ property }: Reference): boolean => property.access === 'mutable';

/** Returns the references to objects of the type itself. */
export const findOwnLinks = (subject: Subject) =>
  findLinks(subject).filter(({ reference }) => reference.type === subject.type);

/** Returns why no object of the type can refer to another one of it; null where one can. */
export const needOwnLink = (subject: Subject) =>
  findOwnLinks(subject).length > 0 ? null : 'No property refers to objects of the same type.';

/** Returns why no update of the type can set a reference; null where one can. */
const needMutableLink = (subject: Subject) =>
  findOwnLinks(subject).some(isMutable)
    ? null
    : 'No mutable property refers to objects of the same type.';

/**
 * Returns the references of the type to itself that are maps of ids, into which a pointer leads.
 */
const findMutableMaps = (subject: Subject) =>
  findOwnLinks(subject).filter((link) => isSet(link.reference) && isMutable(link));

/**
 * Runs for each reference, with its target type ready for creates. Destroys what the run made, the
 * newest first.
 */
export async function forEachLink(
  subject: Subject,
  links: readonly Reference[],
  run: (link: Reference & { readonly name: string }, target: Subject) => Promise<void>,
): Promise<void> {
  const { A1, server } = subject;
  for (const link of links) {
    const isOwn = link.reference.type === subject.type;
    const target = isOwn ? subject : subject.selectType(link.reference.type);
    await target.prepare(A1);
    const listMade = ({ type }: Subject) => server.fence.listMade(type, A1);
    const before = new Set([...listMade(subject), ...listMade(target)]);
    try {
      await run({ ...link, name: link.property.name }, target);
    } finally {
      for (const one of new Set([subject, target])) {
        const destroy = listMade(one).filter((id) => !before.has(id));
        if (destroy.length === 0) continue;
        await server.recorder.runAside(() => one.set({ destroy: destroy.toReversed() }));
      }
      if (!isOwn) await target.tidySupports();
    }
  }
}

/** Updates objects and creates another one in the same call, to which the patches may refer. */
const updateBesideCreate = (subject: Subject, update: JsonMap) =>
  subject.set({ update, create: { p: subject.create('p') } });

export const creationReferenceChecks = typeChecks('5.3', { methods: ['get', 'set'] }, [
  {
    id: 'creation-references-earlier-call',
    level: 'must',
    rule:
      'A reference may be # and the creation id of an earlier call’s object, of any type. The ' +
      'real id is stored, and reported since the client did not send it.',
    needs: { room: 2 },
    applies: needLink,
    async run(subject) {
      await forEachLink(subject, findLinks(subject), async ({ name, reference }, target) => {
        const object = { ...subject.create('holds'), [name]: wrapIds(reference, '#p') };
        const response = await subject.clientOfAll.api([
          buildSetCall(target, { create: { p: target.create('p') } }, 'p'),
          buildSetCall(subject, { create: { c: object } }, 'c'),
        ]);
        const { id } = readCreated(response, 'p', 'p');
        const made = readCreated(response, 'c', 'c');
        const expected = wrapIds(reference, id);
        expect({ name, value: made[name] }).toEqual({ name, value: expected });
        expect((await subject.read(made.id))[name]).toEqual(expected);
      });
    },
  },
  {
    id: 'creation-references-later-call',
    level: 'must',
    rule:
      'A creation id that a later call makes is not kept as it is: the create is refused (here ' +
      'with invalidProperties: the server does not look ahead).',
    needs: { room: 2 },
    applies: needLink,
    async run(subject) {
      await forEachLink(subject, findLinks(subject), async ({ name, reference }, target) => {
        const object = { ...subject.create('early'), [name]: wrapIds(reference, '#late') };
        const response = await subject.clientOfAll.api([
          buildSetCall(subject, { create: { c: object } }, 'c'),
          buildSetCall(target, { create: { late: target.create('late') } }, 'p'),
        ]);
        const late = readSet(response, 'p').created?.['late'];
        const value = late === undefined ? undefined : wrapIds(reference, late.id);
        await expectNoLookAhead(subject, name, readSet(response, 'c'), value);
      });
    },
  },
  {
    id: 'creation-references-given',
    level: 'must',
    section: '3.3',
    rule: 'A reference may be # and a creation id of the request’s createdIds.',
    needs: { room: 2 },
    applies: needLink,
    async run(subject) {
      await forEachLink(subject, findLinks(subject), async ({ name, reference }, target) => {
        const [id = ''] = await target.make(subject.A1, 'given');
        const object = { ...subject.create('holds'), [name]: wrapIds(reference, '#x') };
        const response = await subject.clientOfAll.api(
          [buildSetCall(subject, { create: { c: object } }, 'c')],
          { createdIds: { x: id } },
        );
        const made = readCreated(response, 'c', 'c');
        expect((await subject.read(made.id))[name]).toEqual(wrapIds(reference, id));
        expect(response.createdIds).toEqual({ x: id, c: made.id });
      });
    },
  },
  {
    id: 'creation-references-same-call',
    level: 'must',
    rule:
      'Objects of one call may refer to each other in any order: what is referred to is created ' +
      'first, also along a chain that is listed last to first.',
    needs: { room: 9 },
    applies: needOwnLink,
    async run(subject) {
      await forEachLink(subject, findOwnLinks(subject), async ({ name, reference }) => {
        const depth = 8;
        const entries = Array.from({ length: depth }, (_, n) => [
          `k${depth - n}`,
          { ...subject.create('link'), [name]: wrapIds(reference, `#k${depth - n - 1}`) },
        ]);
        const create = Object.fromEntries([...entries, ['k0', subject.create('root')]]) as JsonMap;
        const { created, notCreated } = await subject.set({ create });
        expect(notCreated).toBeNull();
        for (let n = 1; n <= depth; n += 1) {
          const made = entry(created, `k${n}`);
          const expected = wrapIds(reference, entry(created, `k${n - 1}`).id);
          expect([made[name], (await subject.read(made.id))[name]]).toEqual([expected, expected]);
        }
      });
    },
  },
  {
    id: 'creation-references-update',
    level: 'must',
    rule: 'An update may refer to what its call creates: the real id is stored, and reported.',
    needs: { room: 2 },
    applies: needMutableLink,
    async run(subject) {
      const links = findOwnLinks(subject).filter(isMutable);
      await forEachLink(subject, links, async ({ name, reference }) => {
        const id = await subject.putOne({});
        const { created, updated, notUpdated } = await updateBesideCreate(subject, {
          [id]: { [name]: wrapIds(reference, '#p') },
        });
        expect(notUpdated).toBeNull();
        const expected = wrapIds(reference, entry(created, 'p').id);
        expect(updated?.[id]?.[name]).toEqual(expected);
        expect((await subject.read(id))[name]).toEqual(expected);
      });
    },
  },
  {
    id: 'creation-references-pointer',
    level: 'must',
    rule:
      'A key of a map of ids may be # and a creation id in a pointer, too; one that is nobody’s ' +
      'is invalidProperties.',
    needs: { room: 2 },
    applies: (subject) =>
      findMutableMaps(subject).length > 0
        ? null
        : 'No mutable property is a map of ids of the same type.',
    async run(subject) {
      await forEachLink(subject, findMutableMaps(subject), async ({ name }) => {
        const id = await subject.putOne({});
        const { created, notUpdated } = await updateBesideCreate(subject, {
          [id]: { [`${name}/#p`]: true },
        });
        expect(notUpdated).toBeNull();
        const made = entry(created, 'p').id;
        expect((await subject.read(id))[name]).toEqual({ [made]: true });
        for (const key of ['x1', '#nobody']) {
          const answer = await subject.update(id, { [`${name}/${key}`]: true });
          expect({ key, refused: answer.refused }).toEqual({ key, refused: matchInvalid(name) });
        }
        const { refused } = await subject.update(id, { [`${name}/${made}`]: null });
        expect(refused).toBeNull();
        expect((await subject.read(id))[name]).toEqual({});
      });
    },
  },
  {
    id: 'creation-references-refused',
    level: 'must',
    rule:
      'A reference to the creation id of a create that was refused refers to nothing: ' +
      'invalidProperties.',
    needs: { room: 2 },
    applies: needOwnLink,
    async run(subject) {
      await forEachLink(subject, findOwnLinks(subject), async ({ name, reference }) => {
        const { created, notCreated } = await subject.set({
          create: {
            bad: subject.unfit,
            c: { ...subject.create('c'), [name]: wrapIds(reference, '#bad') },
          },
        });
        expect(created).toBeNull();
        expect(Object.keys(notCreated ?? {}).sort()).toEqual(['bad', 'c']);
        expect(entry(notCreated, 'c')).toEqual(matchInvalid(name));
      });
    },
  },
]);
