import { setTimeout } from 'node:timers/promises';
import { expect } from 'expect';
import type { OnDestroy } from '../../../src/capability/definition.js';
import { placeOfRemoval, referencesOf } from '../../../src/capability/named-references.js';
import { replaceTexts } from '../../../src/capability/places.js';
import { typeChecks } from '../check.js';
import type { ChangesAnswer } from '../client/answers.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { at } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { listWritable } from '../subject/described.js';
import { holdsSeveral, listBeside, listHeldLinks, wrapIds } from '../subject/links.js';
import type { Subject } from '../subject/subject.js';
import { forEachLink, type Link, NEEDS, type Reference } from './described-links.js';

/** `onDestroy` of a descriptor: what becomes of an object where what it refers to is destroyed. */

/** Says what of a descriptor the checks rest on. */
const ON_DESTROY = 'what a destroy does to objects that refer to the destroyed one';

/** Finds the references that a destroy has this effect on, and of which a value can be made. */
const findOnDestroy = (subject: Subject, effect: OnDestroy): readonly Reference[] =>
  listWritable(subject.described).flatMap((property) =>
    listHeldLinks(property)
      .filter((one) => one.onDestroy === effect && subject.knowsDestroy(one))
      .map((reference) => ({ property, reference })),
  );

/** Returns a function that tells why a type has no such reference to try; null where it has one. */
const needOnDestroy =
  (effect: OnDestroy) =>
  (subject: Subject): string | null => {
    if (findOnDestroy(subject, effect).length > 0) return null;
    const names = referencesOf(listWritable(subject.described))
      .filter((one) => one.onDestroy === effect && subject.knowsDestroy(one))
      .map(({ name }) => name);
    return names.length === 0
      ? `The descriptor has no reference with onDestroy: ${effect}.`
      : `The runner can't build a value for ${names.join(', ')} that needs no blob and no ` +
          'further entries.';
  };

/** An object that refers to one that is to be destroyed, and to another one if it can. */
interface Held {
  readonly target: Subject;
  readonly gone: string;
  readonly holder: string;
  /** The holder before anything happens. */
  readonly before: Item;
  /** Destroys what it refers to, as the descriptor allows. */
  readonly destroy: () => Promise<void>;
  /** Returns what has changed since; null for a type without /changes. */
  readonly changes: () => Promise<ChangesAnswer | null>;
}

/** The type declares errors of its own: one of its rules forbids the destroy. */
class OwnRule extends NotApplicable {}

/** Throws OwnRule where an error is one of the target's own. */
function ruleOut({ type, declared }: Subject, link: string, refused: JsonMap | null): void {
  const told = refused?.['type'];
  if (declared.errors?.some(({ name }) => name === told) === true)
    throw new OwnRule(`A rule of ${type} refuses to destroy what ${link} names: ${told}.`);
}

/** Builds the least value with these ids, and with new objects wherever else it refers to some. */
async function buildValue(
  { A1 }: Subject,
  { reference, targets }: Link,
  ids: readonly string[],
): Promise<Json> {
  let value = wrapIds(reference, ...ids);
  for (const { link, texts } of listBeside(reference, value)) {
    const others = new Map<string, string>();
    for (const text of texts) others.set(text, await targets.make(link.type, A1, 'beside'));
    value = replaceTexts([link.place], value, (text) => others.get(text) ?? text) as Json;
  }
  return value;
}

/** Makes an object that refers to others by a link. */
async function hold(subject: Subject, link: Link): Promise<Held> {
  const { name, reference, targets } = link;
  const { type } = reference;
  const target = await targets.prepareType(type);
  const gone = await targets.make(type, subject.A1, 'gone');
  const stays = holdsSeveral(reference) ? [await targets.make(type, subject.A1, 'stays')] : [];
  const value = await buildValue(subject, link, [gone, ...stays]);
  const holder = await subject.putOne({ [name]: value });
  const before = await subject.read(holder);
  // A time is told in milliseconds: that of a change is a later one.
  await setTimeout(2);
  const sinceState = await subject.readState(subject.A1);
  return {
    ...{ target, gone, holder, before },
    destroy: async () => {
      const { destroyed, notDestroyed } = await target.set({ destroy: [gone] });
      const refused = notDestroyed?.[gone] ?? null;
      ruleOut(target, name, refused);
      const wanted = { name, destroyed: expect.arrayContaining([gone]), refused: null };
      expect({ name, destroyed, refused }).toEqual(wanted);
    },
    changes: async () =>
      subject.has('changes')
        ? await subject.client.changes(subject.type, { accountId: subject.A1, sinceState })
        : null,
  };
}

/**
 * Runs for each reference that a destroy has this effect on. NotApplicable where rules of the types
 * that they name forbid every destroy.
 */
async function forEachHeld(
  subject: Subject,
  effect: OnDestroy,
  work: (link: Link, held: Held) => Promise<void>,
): Promise<void> {
  const links = findOnDestroy(subject, effect);
  const ruledOut: OwnRule[] = [];
  await forEachLink(subject, links, async (link) => {
    try {
      await work(link, await hold(subject, link));
    } catch (error) {
      if (!(error instanceof OwnRule)) throw error;
      ruledOut.push(error);
    }
  });
  if (ruledOut.length === links.length) throw at(ruledOut, 0);
}

/** Returns the value without an id; undefined where the property is absent then. */
function takeOut({ name, property, reference }: Link, id: string, before: Item): Json | undefined {
  const value = before[name] ?? null;
  const left = replaceTexts([placeOfRemoval(reference)], value, (one) =>
    one === id ? null : one,
  ) as Json;
  return left === null && !property.nullable ? undefined : left;
}

export const describedDestroyChecks = typeChecks('5.3', NEEDS, [
  {
    id: 'described-links-restrict',
    level: 'must',
    rule:
      'With onDestroy: restrict an object that others refer to is not destroyed: objectIsLinked, ' +
      'or the error that the descriptor names. It can go once nothing refers to it.',
    restsOn: ON_DESTROY,
    applies: needOnDestroy('restrict'),
    async run(subject) {
      await forEachHeld(subject, 'restrict', async ({ name, reference }, held) => {
        const { target, gone, holder, before } = held;
        const { error: type = 'objectIsLinked' } = reference;
        const { destroyed, notDestroyed } = await target.set({ destroy: [gone] });
        const told = notDestroyed?.[gone] ?? {};
        const objectIds =
          subject.server.strict || 'objectIds' in told ? { objectIds: [holder] } : {};
        if (told['type'] !== type) ruleOut(target, name, told);
        const isGone = destroyed?.includes(gone) === true;
        expect({ name, isGone, told }).toEqual({
          name,
          isGone: false,
          told: expect.objectContaining({ type, ...objectIds }),
        });
        await target.read(gone);
        expect(await subject.read(holder)).toEqual(before);
        if (subject.profile.singleton) return;
        await subject.set({ destroy: [holder] });
        await held.destroy();
      });
    },
  },
  {
    id: 'described-links-cascade',
    level: 'must',
    rule:
      'With onDestroy: cascade an object is destroyed along with one that it refers to, and ' +
      '/changes tells it.',
    restsOn: ON_DESTROY,
    needs: { singleton: undefined },
    applies: needOnDestroy('cascade'),
    async run(subject) {
      await forEachHeld(subject, 'cascade', async ({ name }, { holder, destroy, changes }) => {
        await destroy();
        const args = { accountId: subject.A1, ids: [holder] };
        const { list, notFound } = await subject.client.get(subject.type, args);
        expect({ name, list, notFound }).toEqual({ name, list: [], notFound: [holder] });
        const told = await changes();
        if (told !== null) expect({ name, ids: told.destroyed }).toEqual(withId(name, holder));
      });
    },
  },
  {
    id: 'described-links-set-null',
    level: 'must',
    rule:
      'With onDestroy: setNull the server removes only the references to the destroyed object. ' +
      '/changes lists the referring objects as updated.',
    restsOn: ON_DESTROY,
    applies: needOnDestroy('setNull'),
    async run(subject) {
      await forEachHeld(subject, 'setNull', async (link, held) => {
        const { name } = link;
        const { gone, holder, before, destroy, changes } = held;
        await destroy();
        const now = await subject.read(holder);
        const wanted = takeOut(link, gone, before);
        expect({ name, value: now[name] }).toEqual({ name, value: wanted });
        for (const time of findUpdated(subject))
          expect({ name, [time]: now[time] }).not.toEqual({ name, [time]: before[time] });
        const told = await changes();
        if (told === null) return;
        expect({ name, ids: told.updated }).toEqual(withId(name, holder));
        if (Array.isArray(told.updatedProperties)) expect(told.updatedProperties).toContain(name);
      });
    },
  },
  {
    id: 'described-links-keep',
    level: 'must',
    rule:
      'With onDestroy: keep an object stays as it is where one that it refers to is destroyed, ' +
      'and can still be changed.',
    restsOn: ON_DESTROY,
    applies: needOnDestroy('keep'),
    async run(subject) {
      const { text } = subject.profile;
      await forEachHeld(subject, 'keep', async ({ name }, { holder, before, destroy, changes }) => {
        await destroy();
        const told = await changes();
        expect({ name, item: await subject.read(holder) }).toEqual({ name, item: before });
        const ids = [...(told?.updated ?? []), ...(told?.destroyed ?? [])];
        expect({ name, ids }).not.toEqual(withId(name, holder));
        if (text === '') return;
        const { refused } = await subject.update(holder, { [text]: 'later' });
        expect({ name, refused }).toEqual({ name, refused: null });
        expect((await subject.read(holder))[name]).toEqual(before[name]);
      });
    },
  },
]);

/** Finds the time of the last change, as far as the type has one. */
const findUpdated = ({ described, isSelfDescribed }: Subject): readonly string[] =>
  isSelfDescribed
    ? described.properties.flatMap(({ name, role }) => (role === 'updated' ? [name] : []))
    : [];

/** Builds a reference's name and ids among which one is. */
const withId = (name: string, id: string) => ({ name, ids: expect.arrayContaining([id]) });
