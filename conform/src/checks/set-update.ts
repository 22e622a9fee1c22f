import { expect } from 'expect';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { typeChecks } from '../check.js';
import { NOTHING_SET } from '../client/answers.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { at, entry } from '../expected.js';
import { isUnique, listGivable, listVisible } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { countOctets, dropMember } from '../subject/values.js';
import { matchSetErrors } from './requests.js';

/** RFC 8620 5.3: /set, what an update does to its object and what it is answered. */

/** Calls /set with these patches in the first account. */
export const update = (subject: Subject, patches: Readonly<Record<string, Json>>) =>
  subject.set({ update: patches });

/**
 * Returns the properties that the server alone sets, with the id and the times that the type has.
 */
const findServerSet = (subject: Subject): readonly string[] =>
  listVisible(subject.described)
    .filter(({ access, role }) => access === 'serverSet' && role === undefined)
    .map(({ name }) => name)
    .concat('id', ...Object.keys(subject.times));

/** Returns the properties that a null sets back to a default. */
export const findDefaulted = ({ described, profile }: Subject) =>
  listGivable(described).filter(
    (property) =>
      property.access === 'mutable' &&
      property.default !== undefined &&
      property.default !== null &&
      !property.nullable &&
      !profile.given.includes(property) &&
      !isUnique(described, property),
  );

/** Returns why no null restores a value; null where one does. */
export const needDefaulted = (subject: Subject): string | null =>
  findDefaulted(subject).length > 0 ? null : 'No mutable property has a default that is not null.';

/** Returns a value of a property that is neither null nor its default, and not too large. */
export const findOtherValue = (subject: Subject, property: ModelProperty): Json | undefined =>
  subject
    .listGood(property)
    .find(
      (one) =>
        one !== null &&
        !same(one, property.default as Json) &&
        countOctets(one) < subject.profile.octets / 4,
    );

export const setUpdateChecks = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-update-answer',
    level: 'must',
    rule:
      'updated has the id with the properties that changed beside the patch, or null. The old ' +
      'object with the patch and these laid over it is the one that /get shows. The other ' +
      'members are null.',
    /**
     * Lays the patch and the reported properties over the old object. The sum must be what /get
     * shows, and the patch itself isn't repeated.
     */
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'before');
      const before = await subject.read(id);
      const state = await subject.readState(subject.A1);
      const { updated, oldState, newState, ...rest } = await update(subject, {
        [id]: { [text]: 'after' },
      });
      expect([state, null]).toContain(oldState);
      expect(newState).toBe(await subject.readState(subject.A1));
      expect(newState).not.toBe(state);
      expect(Object.keys(updated ?? {})).toEqual([id]);
      const reported = updated?.[id] ?? {};
      expect(await subject.read(id)).toEqual({ ...before, [text]: 'after', ...reported });
      expect(Object.keys(reported)).not.toContain(text);
      expect(rest).toMatchObject({
        ...dropMember(NOTHING_SET, 'updated'),
        accountId: subject.A1,
      });
    },
  },
  {
    id: 'set-update-whole-object',
    level: 'must',
    rule:
      'An object as /get showed it is a patch that succeeds: what the server sets may be in it ' +
      'as it is now.',
    /**
     * Sends back an object as /get showed it, which clients without patches do. Values that the
     * server sets count as unchanged.
     */
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'before');
      const object = await subject.read(id);
      const same = await update(subject, { [id]: object });
      expect(same.notUpdated).toBeNull();
      expect(await subject.read(id)).toEqual({ ...object, ...(same.updated?.[id] ?? {}) });
      const now = await subject.read(id);
      const changed = await update(subject, { [id]: { ...now, [text]: 'after' } });
      expect(changed.notUpdated).toBeNull();
      expect(await subject.read(id)).toEqual({
        ...now,
        [text]: 'after',
        ...(changed.updated?.[id] ?? {}),
      });
    },
  },
  {
    id: 'set-update-nothing',
    level: 'must',
    rule: 'A patch without an entry succeeds, and the object keeps its values.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      const object = await subject.read(id);
      const { updated, notUpdated } = await update(subject, { [id]: {} });
      expect([Object.keys(updated ?? {}), notUpdated]).toEqual([[id], null]);
      expect(await subject.read(id)).toEqual({ ...object, ...(updated?.[id] ?? {}) });
    },
  },
  {
    id: 'set-update-server-set',
    level: 'must',
    rule:
      'Another value of what only the server sets is invalidProperties; nothing of the patch is ' +
      'applied.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      const object = await subject.read(id);
      for (const name of findServerSet(subject)) {
        const other = { id: 'x1', created: '2001-02-03T04:05:06Z', updated: null }[name];
        const value = other === undefined ? (object[name] === 5 ? 6 : 5) : other;
        const patch = { [name]: value, [subject.profile.text]: 'after' };
        const { updated, notUpdated } = await update(subject, { [id]: patch });
        expect({ name, updated, notUpdated }).toEqual({
          name,
          updated: null,
          notUpdated: { [id]: subject.matchSetError('invalidProperties', [name]) },
        });
      }
      expect(await subject.read(id)).toEqual(object);
    },
  },
  {
    id: 'set-update-unknown-id',
    level: 'must',
    rule:
      'An update of an id that the account does not have, be it another ' +
      'account’s, is notFound.',
    async run(subject) {
      const { text } = subject.profile;
      const foreign = await subject.makeElsewhere();
      const gone = await subject.makeOne(subject.A1);
      await subject.set({ destroy: [gone] });
      const wrong = ['x1', foreign, gone];
      const patches = Object.fromEntries(wrong.map((id) => [id, { [text]: 'x' }]));
      const { updated, notUpdated, newState } = await update(subject, patches);
      expect(updated).toBeNull();
      expect(notUpdated).toEqual(matchSetErrors(subject, wrong, 'notFound'));
      expect(newState).toBe(await subject.readState(subject.A1));
      expect((await subject.read(foreign, subject.A2))[text]).toBe('one');
    },
  },
  {
    id: 'set-update-atomic',
    level: 'must',
    rule:
      'An update is applied whole or not at all: one bad property, or one bad pointer, among ' +
      'good ones leaves the object as it was.',
    /**
     * Puts a good change in front of the bad one in the same patch. The object must not keep the
     * good half.
     */
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'before');
      const before = await subject.read(id);
      for (const bad of [subject.unfitName, 'no/such/parent']) {
        const { notUpdated } = await update(subject, { [id]: { [text]: 'after', [bad]: 1 } });
        expect({ bad, refused: Object.keys(notUpdated ?? {}) }).toEqual({ bad, refused: [id] });
        expect(await subject.read(id)).toEqual(before);
      }
    },
  },
  {
    id: 'set-update-each',
    level: 'must',
    rule:
      'Each patch of a call is applied to the object that it names; one that is refused leaves ' +
      'the others alone.',
    needs: { room: 3 },
    /**
     * Updates three objects, then one good and one bad in a second call. Reads all three after
     * each.
     */
    async run(subject) {
      const { text } = subject.profile;
      const ids = await subject.make(subject.A1, 'a', 'b', 'c');
      const patches = ids.map((id, index) => [id, { [text]: `new ${index}` }] as const);
      const all = await update(subject, Object.fromEntries(patches));
      expect(Object.keys(all.updated ?? {}).sort()).toEqual([...ids].sort());
      const readTexts = async () => {
        const { list } = await subject.client.get(subject.type, { accountId: subject.A1, ids });
        return ids.map((id) => list.find((one) => one.id === id)?.[text]);
      };
      expect(await readTexts()).toEqual(['new 0', 'new 1', 'new 2']);
      const [good, bad] = [at(ids, 0), at(ids, 1)];
      const some = await update(subject, { [bad]: { [text]: 5 }, [good]: { [text]: 'again' } });
      expect(Object.keys(some.updated ?? {})).toEqual([good]);
      expect(some.notUpdated).toEqual({
        [bad]: subject.matchSetError('invalidProperties', [text]),
      });
      expect(await readTexts()).toEqual(['again', 'new 1', 'new 2']);
    },
  },
  {
    id: 'set-update-null-default',
    level: 'must',
    rule:
      'Null for a property that has a default sets the default; what updated tells of it, if it ' +
      'does, is that value.',
    restsOn: 'the defaults of properties',
    needs: { text: false },
    applies: needDefaulted,
    /**
     * Sets another value first, since a property that still has its default shows nothing. RFC 8620
     * 5.3 leaves open whether updated tells it.
     */
    async run(subject) {
      const id = await subject.putOne({});
      for (const property of findDefaulted(subject)) {
        const { name, default: initial = null } = property;
        const value = initial as Json;
        const other = findOtherValue(subject, property);
        if (other === undefined) continue;
        expect((await subject.update(id, { [name]: other })).refused).toBeNull();
        expect((await subject.read(id))[name]).toEqual(other);
        const { set, refused } = await subject.update(id, { [name]: null });
        expect({ name, refused }).toEqual({ name, refused: null });
        // Whether that is a change which the patch did not ask for explicitly (5.3) is open.
        const { [name]: told = value } = set ?? {};
        expect({ name, told }).toEqual({ name, told: value });
        expect((await subject.read(id))[name]).toEqual(value);
      }
    },
  },
  {
    id: 'set-update-null-required',
    level: 'must',
    restsOn: 'which properties must be given, and their defaults',
    rule:
      'Null takes a property without a default away: that is invalidProperties where it must be ' +
      'there, and its default, which may be null, where it has one.',
    async run(subject) {
      const { text, textDefault } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'before');
      const { set, refused } = await subject.update(id, { [text]: null });
      if (textDefault === undefined) {
        expect(refused).toEqual(subject.matchSetError('invalidProperties', [text]));
        expect((await subject.read(id))[text]).toBe('before');
      } else {
        const { [text]: told = textDefault } = set ?? {};
        // A removed property may be shown as null, or not be there.
        const { [text]: stored = null } = await subject.read(id);
        expect([refused, told, stored]).toEqual([null, textDefault, textDefault]);
      }
    },
  },
  {
    id: 'set-update-prototype-names',
    level: 'must',
    rule:
      'Names that a program may have a meaning for, __proto__ among them, are unknown properties ' +
      'of a patch.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      const object = await subject.read(id);
      const patch = JSON.parse('{"__proto__":{"polluted":1},"constructor":1}') as JsonMap;
      const { notUpdated } = await update(subject, { [id]: patch });
      expect(notUpdated).toEqual({
        [id]: subject.matchSetError('invalidProperties', ['__proto__', 'constructor']),
      });
      expect(await subject.read(id)).toEqual(object);
    },
  },
  {
    id: 'set-update-destroyed',
    level: 'must',
    rule:
      'An update of an object that the same call destroys is done, or refused as willDestroy; ' +
      'the object is destroyed either way.',
    /**
     * Accepts both answers to the update. RFC 8620 5.3 allows willDestroy and only fixes the end:
     * the object is gone.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      const { destroyed, updated, notUpdated } = await subject.set({
        update: { [id]: { [subject.profile.text]: 'after' } },
        destroy: [id],
      });
      expect(destroyed).toEqual([id]);
      if (notUpdated === null) expect(Object.keys(updated ?? {})).toEqual([id]);
      else expect(entry(notUpdated, id)['type']).toBe('willDestroy');
      const { list } = await subject.client.get(subject.type, { accountId: subject.A1, ids: [id] });
      expect(list).toEqual([]);
    },
  },
]);
