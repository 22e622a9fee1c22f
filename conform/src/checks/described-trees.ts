import { expect } from 'expect';
import { type TypeNeeds, typeChecks } from '../check.js';
import type { Json } from '../client/json.js';
import { entry } from '../expected.js';
import { wrapIds } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { findLinks, forEachLink, needLink } from './described-links.js';
import { matchRefusal } from './refusal.js';

/**
 * References of a descriptor where several objects take part: chains, circles, and what goes
 * together.
 */

/** Needs room for a chain of objects that refer to each other. */
export const NEEDS: TypeNeeds = Object.freeze<TypeNeeds>({ methods: ['get', 'set'], room: 4 });

/** Returns values that are no reference of a form, whatever the ids in them are. */
function buildWrong(form: 'single' | 'list' | 'set', id: string): readonly Json[] {
  if (form === 'single') return [5, true, {}, [], [id], { [id]: true }];
  if (form === 'list') return [5, true, {}, id, [5], [null], [[id]], { [id]: true }];
  return [5, true, id, [id], { [id]: false }, { [id]: null }, { [id]: 1 }, { [id]: 'true' }];
}

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
    applies: needLink,
    async run(subject) {
      await forEachLink(
        subject,
        findLinks(subject),
        async ({ name, property, reference, targets }) => {
          const { form, type } = reference;
          const near = await targets.make(type, subject.A1, 'near');
          const held = await subject.putOne({ [name]: wrapIds(form, near) });
          for (const value of buildWrong(form, near)) {
            const wrong = { name, value, refused: matchRefusal(subject, name) };
            const { refused } = await subject.put({ [name]: value });
            expect({ name, value, refused }).toEqual(wrong);
            if (property.access !== 'mutable') continue;
            const answer = await subject.update(held, { [name]: value });
            expect({ name, value, refused: answer.refused }).toEqual(wrong);
          }
          expect((await subject.read(held))[name]).toEqual(wrapIds(form, near));
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
      findOwnLinks(subject).some(({ reference }) => reference.form !== 'single')
        ? null
        : 'No property refers to several objects of the same type.',
    async run(subject) {
      const many = findOwnLinks(subject).filter(({ reference }) => reference.form !== 'single');
      await forEachLink(subject, many, async ({ name, reference: { form } }) => {
        const c = { ...subject.create('c'), [name]: wrapIds(form, '#p', '#q') };
        const { created, notCreated } = await subject.set({
          create: { c, p: subject.create('p'), q: subject.create('q') },
        });
        expect({ name, notCreated }).toEqual({ name, notCreated: null });
        const made = entry(created, 'c');
        const wanted = wrapIds(form, entry(created, 'p').id, entry(created, 'q').id);
        expect([made[name], (await subject.read(made.id))[name]]).toEqual([wanted, wanted]);
      });
    },
  },
]);
