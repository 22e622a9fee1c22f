import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { NOTHING_SET } from '../client/answers.js';
import type { Json, JsonMap } from '../client/json.js';
import { entry, sameMembers } from '../expected.js';
import { listVisible } from '../subject/described.js';
import type { Subject } from '../subject/subject.js';
import { needClosed } from '../subject/type-view.js';
import { dropMember } from '../subject/values.js';

/** RFC 8620 5.3: /set, what a create is answered and what it refuses. */

/** Calls /set with these creates in the first account. */
export const create = (subject: Subject, objects: Readonly<Record<string, Json>>) =>
  subject.set({ create: objects });

/** Names that mean something to a program that takes client's keys for its own. */
const POLLUTING = '{"__proto__":{"polluted":1},"constructor":{"prototype":1},"toString":2}';

/** Returns an object with members of its own whose names mean something to a program. */
const buildNames = (object: JsonMap, json: string): JsonMap =>
  Object.defineProperties(
    { ...object },
    Object.getOwnPropertyDescriptors(JSON.parse(json) as JsonMap),
  );

/**
 * Returns creates that each give one property which only the server sets, by the property's name.
 */
export async function buildServerSet(subject: Subject): Promise<Readonly<Record<string, JsonMap>>> {
  const item = await subject.read(await subject.makeOne(subject.A1));
  const names = listVisible(subject.described)
    .filter(({ access, role }) => access === 'serverSet' && role === undefined)
    .map(({ name }) => name)
    .concat('id', ...Object.keys(subject.times));
  const objects = names.map((name): [string, JsonMap] => [
    name,
    { ...subject.create('a'), [name]: name === 'id' ? 'x1' : (item[name] ?? null) },
  ]);
  return Object.fromEntries(objects);
}

/**
 * Returns the defaults of what a client may give. Properties of the server alone may begin with
 * another value.
 */
const givable = ({ profile: { defaults, serverSet } }: Subject): JsonMap =>
  Object.fromEntries(Object.entries(defaults).filter(([key]) => !Object.hasOwn(serverSet, key)));

export const setCreateChecks = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-create-answer',
    level: 'must',
    rule:
      'created has for each creation id the properties that the client did not send, the id ' +
      'among them. With those that were sent they are the object that /get shows. The other ' +
      'members are null.',
    async run(subject) {
      const sent = subject.create('a');
      const before = await subject.readState(subject.A1);
      const { created, oldState, newState, ...rest } = await create(subject, { k: sent });
      expect([before, null]).toContain(oldState);
      expect(newState).toBe(await subject.readState(subject.A1));
      expect(newState).not.toBe(before);
      expect(Object.keys(created ?? {})).toEqual(['k']);
      const { id, ...reported } = entry(created, 'k');
      expect({ ...sent, ...reported, id }).toEqual(await subject.read(id));
      expect(rest).toMatchObject({
        ...dropMember(NOTHING_SET, 'created'),
        accountId: subject.A1,
      });
    },
  },
  {
    id: 'set-create-defaults',
    level: 'must',
    rule:
      'A property with a default may be left out of a create; it has the default then, and ' +
      'created tells it.',
    restsOn: 'the defaults of properties',
    async run(subject) {
      const { text, textDefault } = subject.profile;
      const isOptional = textDefault !== undefined;
      const sent = isOptional ? subject.giveLeast() : subject.createLeast('a');
      const expected = { ...givable(subject), ...(isOptional ? { [text]: textDefault } : {}) };
      const answer = await create(subject, { k: sent });
      const { id, ...reported } = entry(answer.created, 'k');
      expect(reported).toEqual(expect.objectContaining(expected));
      expect(await subject.read(id)).toEqual(expect.objectContaining(expected));
    },
  },
  {
    id: 'set-create-default-given',
    level: 'must',
    rule:
      'A client may give a property the value that is its default: it is stored ' +
      'like any other.',
    restsOn: 'the defaults of properties',
    async run(subject) {
      const timed = subject.described.properties.filter(({ defaultNow }) => defaultNow === true);
      const isTimed = (key: string): boolean => timed.some(({ name }) => name === key);
      const defaults = givable(subject);
      const given = Object.fromEntries(Object.entries(defaults).filter(([key]) => !isTimed(key)));
      const answer = await create(subject, { k: { ...subject.create('a'), ...given } });
      const { id } = entry(answer.created, 'k');
      expect(await subject.read(id)).toEqual(expect.objectContaining(defaults));
    },
  },
  {
    id: 'set-create-required',
    level: 'must',
    rule:
      'A create that leaves out a property which must be given, or gives it as null, is ' +
      'invalidProperties.',
    restsOn: 'which properties must be given',
    applies: ({ profile }) =>
      profile.required.length > 0 ? null : 'Nothing must be given in a create.',
    async run(subject) {
      const { required } = subject.profile;
      const nulls = Object.fromEntries(required.map((property) => [property, null]));
      const each = Object.fromEntries(
        required.map((name, index) => {
          const { [name]: _, ...rest } = subject.create('a');
          return [`without${index}`, rest];
        }),
      );
      const answer = await create(subject, { none: {}, nulls, ...each });
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({
        none: subject.matchSetError('invalidProperties', required),
        nulls: subject.matchSetError('invalidProperties', required),
        ...Object.fromEntries(
          required.map((name, index) => [
            `without${index}`,
            subject.matchSetError('invalidProperties', [name]),
          ]),
        ),
      });
    },
  },
  {
    id: 'set-create-unknown-property',
    level: 'must',
    rule:
      'A create with a property that the type does not have is invalidProperties: no object is ' +
      'made, and the state stays.',
    applies: needClosed,
    async run(subject) {
      const before = await subject.takeSnapshot(subject.A1);
      const answer = await create(subject, { k: { ...subject.create('a'), noSuchProperty: 1 } });
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({
        k: subject.matchSetError('invalidProperties', ['noSuchProperty']),
      });
      expect(answer.newState).toBe(await subject.readState(subject.A1));
      expect(await subject.takeSnapshot(subject.A1)).toEqual(before);
    },
  },
  {
    id: 'set-create-all-invalid-listed',
    level: 'should',
    rule:
      'The properties of an invalidProperties error are all those that are invalid, not the ' +
      'first one alone.',
    applies: needClosed,
    async run(subject) {
      const { text } = subject.profile;
      const k = { ...subject.giveBeside(), [text]: 5, noSuchOne: 1, 'no/such': 2, id: 'x1' };
      const { notCreated } = await create(subject, { k });
      expect(entry(notCreated, 'k')).toMatchObject({
        type: 'invalidProperties',
        properties: sameMembers([text, 'noSuchOne', 'no/such', 'id']),
      });
    },
  },
  {
    id: 'set-create-server-set',
    level: 'must',
    rule:
      'A create must leave out what only the server sets, the id above all: given, it is ' +
      'invalidProperties, unless it is the value that the server sets.',
    /**
     * Sends the value that the server has for another object. Where it is right by chance, the
     * create may succeed.
     */
    async run(subject) {
      const sent = await buildServerSet(subject);
      const { created, notCreated } = await create(subject, sent);
      for (const [name, object] of Object.entries(sent)) {
        const made = created?.[name];
        // 5.3: a value that is the server's own is no invalid one; an id can't be, which clients
        // don't choose (1.2).
        if (made === undefined || name === 'id')
          expect(notCreated).toMatchObject({
            [name]: subject.matchSetError('invalidProperties', [name]),
          });
        else expect((await subject.read(made.id))[name]).toEqual(object[name]);
      }
    },
  },
  {
    id: 'set-create-wrong-type',
    level: 'must',
    rule:
      'A property whose value is of another type than the one that it is declared with is ' +
      'invalidProperties.',
    async run(subject) {
      const { text } = subject.profile;
      const values: readonly Json[] = [5, true, [], {}, ['a'], { a: 1 }];
      const objects = Object.fromEntries(
        values.map((value, index) => [`k${index}`, { ...subject.create('a'), [text]: value }]),
      );
      const answer = await create(subject, objects);
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual(
        Object.fromEntries(
          Object.keys(objects).map((key) => [
            key,
            subject.matchSetError('invalidProperties', [text]),
          ]),
        ),
      );
    },
  },
  {
    id: 'set-create-prototype-names',
    level: 'must',
    rule:
      'Names that a program may have a meaning for, __proto__ among them, are unknown properties ' +
      'like any other, and change no later object.',
    async run(subject) {
      const answer = await create(subject, { k: buildNames(subject.create('a'), POLLUTING) });
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({
        k: subject.matchSetError('invalidProperties', ['__proto__', 'constructor', 'toString']),
      });
      const later = entry((await create(subject, { k: subject.create('after') })).created, 'k');
      const members = [...Object.keys(later), ...Object.keys(await subject.read(later.id))];
      expect(members).not.toContain('polluted');
    },
  },
]);
