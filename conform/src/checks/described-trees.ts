import { expect } from 'expect';
import { type TypeNeeds, typeChecks } from '../check.js';
import type { Json } from '../client/json.js';
import { entry } from '../expected.js';
import { holdsSeveral, isPlain, isSet, type Link, wrapIds } from '../subject/links.js';
import type { Subject } from '../subject/subject.js';
import { findLinks, forEachLink } from './described-links.js';
import { matchRefusal } from './refusal.js';

/**
 * References of a descriptor where several objects take part: chains, circles, and what goes
 * together.
 */

/** Needs room for a chain of objects that refer to each other. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({ methods: ['get', 'set'], room: 4 });

/** Returns values that are no such reference, whatever the ids in them are. */
function buildWrong(link: Link, id: string): readonly Json[] {
  if (!holdsSeveral(link)) return [5, true, {}, [], [id], { [id]: true }];
  if (!isSet(link)) return [5, true, {}, id, [5], [null], [[id]], { [id]: true }];
  return [5, true, id, [id], { [id]: false }, { [id]: null }, { [id]: 1 }, { [id]: 'true' }];
}

/** Finds the references that are whole values: an id, or a list or a set of ids. */
const findPlainLinks = (subject: Subject) =>
  findLinks(subject).filter(({ reference }) => isPlain(reference));

/** Finds the references of the type to itself. */
const findOwnLinks = (subject: Subject) =>
  findLinks(subject).filter(({ reference }) => reference.type === subject.type);
export const describedTreeChecks = typeChecks('5.3', NEEDS, [
  {
    id: 'described-links-forms',
    level: 'must',
    rule:
      'A reference is an id, a list of ids, or a map of ids each to true, as its type says. ' +
      'Anything else is invalidProperties, in a create and in an update.',
    needs: { singleton: 'both' },
    applies: (subject) =>
      findPlainLinks(subject).length > 0 ? null : 'No property is a reference by itself.',
    async run(subject) {
      await forEachLink(
        subject,
        findPlainLinks(subject),
        async ({ name, property, reference, targets }) => {
          const { type } = reference;
          const near = await targets.make(type, subject.A1, 'near');
          const held = await subject.putOne({ [name]: wrapIds(reference, near) });
          for (const value of buildWrong(reference, near)) {
            const wrong = { name, value, refused: matchRefusal(subject, name) };
            const { refused } = await subject.put({ [name]: value });
            expect({ name, value, refused }).toEqual(wrong);
            if (property.access !== 'mutable') continue;
            const answer = await subject.update(held, { [name]: value });
            expect({ name, value, refused: answer.refused }).toEqual(wrong);
          }
          expect((await subject.read(held))[name]).toEqual(wrapIds(reference, near));
        },
      );
    },
  },
  {
    id: 'described-links-several',
    level: 'must',
    rule:
      'A list or map of references takes several creation ids of its own call, whichever comes ' +
      'first in it; keys of a map are among what is told.',
    applies: (subject) =>
      findOwnLinks(subject).some(({ reference }) => holdsSeveral(reference))
        ? null
        : 'No property refers to several objects of the same type.',
    async run(subject) {
      const many = findOwnLinks(subject).filter(({ reference }) => holdsSeveral(reference));
      await forEachLink(subject, many, async ({ name, reference }) => {
        const c = { ...subject.create('c'), [name]: wrapIds(reference, '#p', '#q') };
        const { created, notCreated } = await subject.set({
          create: { c, p: subject.create('p'), q: subject.create('q') },
        });
        expect({ name, notCreated }).toEqual({ name, notCreated: null });
        const made = entry(created, 'c');
        const wanted = wrapIds(reference, entry(created, 'p').id, entry(created, 'q').id);
        expect([made[name], (await subject.read(made.id))[name]]).toEqual([wanted, wanted]);
      });
    },
  },
]);
