import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { GetAnswer } from '../client/answers.js';
import { anyString, DEFENSIVE, ID, sameMembers } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { callBeyond } from '../subject/limits.js';
import type { Subject } from '../subject/subject.js';

/** RFC 8620 5.1: /get, and 1.2: ids. */

/** Calls /get in the first account of the type. Throws where the server refuses it. */
export const get = (subject: Subject, args: object): Promise<GetAnswer> =>
  subject.client.get(subject.type, { accountId: subject.A1, ...args });

/** More would be a burden for a server that isn't one's own. */
export const MANY = 5000;

/** Lists texts that a server might change: by normalising, trimming or escaping them. */
const TEXTS: readonly string[] = Object.freeze([
  '🦊👩‍👩‍👧',
  'e\u0301 is not \u00e9',
  'שלום עולם',
  'a\u0001\t\n\r\u2028b',
  '\ufeff\ufffd\u{10fffd}',
  "'; DROP TABLE x; --",
  '',
  '   ',
]);

export const getChecks = typeChecks('5.1', { methods: ['get', 'set'], text: true }, [
  {
    id: 'get-response',
    level: 'must',
    rule:
      'The response has the accountId of the call, the state as a String, a list with the ' +
      'objects that were found, and notFound. An empty notFound says that all were found.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'whole');
      const answer = await get(subject, { ids: [id] });
      expect(answer).toMatchObject({
        accountId: subject.A1,
        state: anyString,
        list: [expect.objectContaining({ id, [subject.profile.text]: 'whole' })],
        notFound: [],
      });
    },
  },
  {
    id: 'get-no-ids',
    level: 'must',
    rule:
      'With an empty list of ids nothing is found and nothing is missing; the state is that of ' +
      'the type.',
    /**
     * Reads the state by a call for all objects, so that both answers must agree on the state of
     * the type.
     */
    async run(subject) {
      await subject.makeOne(subject.A1);
      const { state } = await get(subject, { ids: null });
      const empty = { accountId: subject.A1, state, list: [], notFound: [] };
      expect(await get(subject, { ids: [] })).toMatchObject(empty);
    },
  },
  {
    id: 'get-all',
    level: 'must',
    rule:
      'With ids null, or left out, all objects of the type in the account are ' +
      'listed, each once.',
    needs: { room: 3 },
    /**
     * Counts the objects of others as well: the account may have had some before the run. Tries
     * null and an absent ids, which RFC 8620 5.1 makes equal.
     */
    async run(subject) {
      await subject.clear(subject.A1);
      const before = (await subject.listAll(subject.A1)).map(({ id }) => id);
      const ids = await subject.make(subject.A1, 'a', 'b', 'c');
      for (const args of [{ ids: null }, {}]) {
        const { list, notFound } = await get(subject, args);
        expect(list.map(({ id }) => id)).toEqual(sameMembers([...before, ...ids]));
        expect(notFound).toEqual([]);
      }
    },
  },
  {
    id: 'get-duplicates',
    level: 'must',
    rule: 'An id that is asked for twice is answered once, in list or in notFound.',
    /**
     * Repeats one id that exists and one that doesn't, since servers fill the two lists in
     * different ways.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const { text } = subject.profile;
      const answer = await get(subject, { ids: [id, id, 'x', 'x'], properties: [text] });
      expect(answer.list).toEqual([{ id, [text]: 'one' }]);
      expect(answer.notFound).toEqual(['x']);
    },
  },
  {
    id: 'get-not-found',
    level: 'must',
    rule:
      'Where no id is known the list is empty and notFound has all of them; both are lists, ' +
      'never null.',
    needs: { room: 0 },
    async run(subject) {
      const answer = await get(subject, { ids: ['x', 'y'] });
      expect(answer.list).toEqual([]);
      expect(answer.notFound).toEqual(sameMembers(['x', 'y']));
    },
  },
  {
    id: 'get-all-properties',
    level: 'must',
    rule:
      'Without properties, or with null, each object has every property of its type, also null ' +
      'ones and those that the server set.',
    /**
     * Holds a server that describes itself to exactly its properties. Any other server may have
     * more than a descriptor says.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const all = subject.properties;
      for (const args of [{ ids: [id] }, { ids: [id], properties: null }]) {
        const [item = { id }] = (await get(subject, args)).list;
        const names = Object.keys(item);
        expect(names).toEqual(expect.arrayContaining([...all]));
        // Optional ones are there where the object was given some: null doesn't stand for absent.
        const given = subject.described.properties.filter(
          ({ name, optional }) => optional === true && names.includes(name),
        );
        const nulls = given.filter(({ name, nullable }) => !nullable && item[name] === null);
        expect(nulls.map(({ name }) => name)).toEqual([]);
        if (subject.isSelfDescribed)
          expect(names).toEqual(sameMembers([...all, ...given.map(({ name }) => name)]));
      }
    },
  },
  {
    id: 'get-properties',
    level: 'must',
    rule:
      'Only the properties that are asked for are returned, and the id always, asked for or not; ' +
      'one that is named twice is there once.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const { text } = subject.profile;
      const buildShown = async (properties: readonly string[]) =>
        (await get(subject, { ids: [id], properties })).list;
      expect(await buildShown([])).toEqual([{ id }]);
      expect(await buildShown(['id'])).toEqual([{ id }]);
      expect(await buildShown([text])).toEqual([{ id, [text]: 'one' }]);
      expect(await buildShown([text, text])).toEqual([{ id, [text]: 'one' }]);
    },
  },
  {
    id: 'get-invalid-property',
    level: 'must',
    rule:
      'A property that the type doesn’t have, in exactly this spelling, rejects the call with ' +
      'invalidArguments.',
    /**
     * Tries names that a lookup in a prototype or without regard to case would find. Hidden
     * properties must look like unknown ones.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const { text } = subject.profile;
      const upper = text.toUpperCase();
      const wrong = ['nope', '', '__proto__', 'toString', ...subject.hidden];
      if (upper !== text) wrong.push(upper);
      if (subject.isSelfDescribed) wrong.push('accountId');
      for (const property of wrong) {
        const args = { accountId: subject.A1, ids: [id], properties: [text, property] };
        expect(await subject.client.call(`${subject.type}/get`, args)).toEqual(
          subject.matchError('invalidArguments', property),
        );
      }
    },
  },
  {
    id: 'get-most-ids',
    level: 'must',
    rule:
      'maxObjectsInGet ids are answered; one more is refused, or answered as well: never only ' +
      'some.',
    /**
     * Asks for ids that nobody has, so that a full request costs the server no objects. Throws
     * NotApplicable above MANY ids.
     */
    async run(subject) {
      const most = subject.server.user.session.readLimit('maxObjectsInGet');
      if (most > MANY) throw new NotApplicable(`maxObjectsInGet is ${most}, this tries ${MANY}.`);
      const ids = Array.from({ length: most }, (_, n) => `x${n}`);
      expect((await get(subject, { ids })).notFound).toEqual(sameMembers(ids));
      const args = { accountId: subject.A1, ids: [...ids, 'y'] };
      const answer = await callBeyond(subject, 'maxObjectsInGet', `${subject.type}/get`, args);
      if (answer !== null) expect(answer['notFound']).toEqual(sameMembers(args.ids));
    },
  },
  {
    id: 'get-state-moves',
    level: 'must',
    rule: 'The state is another one after each create, update and destroy.',
    /**
     * Collects four states in a set: a server that returns to an earlier state after a destroy
     * repeats one of them.
     */
    async run(subject) {
      const states = [await subject.readState(subject.A1)];
      const id = await subject.makeOne(subject.A1);
      states.push(await subject.readState(subject.A1));
      await subject.set({ update: { [id]: { [subject.profile.text]: 'other' } } });
      states.push(await subject.readState(subject.A1));
      await subject.set({ destroy: [id] });
      states.push(await subject.readState(subject.A1));
      expect(new Set(states).size).toBe(4);
    },
  },
  {
    id: 'get-state-for-all-ids',
    level: 'should',
    rule:
      'The state is that of the whole type: while nothing changes it is the same, whichever ids ' +
      'are asked for.',
    needs: { room: 2 },
    /**
     * Compares states of calls for different ids. A server that derives the state from the answer
     * gives each another one.
     */
    async run(subject) {
      const [a = '', b = ''] = await subject.make(subject.A1, 'a', 'b');
      const states = [
        await get(subject, { ids: [a] }),
        await get(subject, { ids: [b] }),
        await get(subject, { ids: ['x'] }),
        await get(subject, { ids: null }),
      ].map(({ state }) => state);
      expect(new Set(states).size).toBe(1);
    },
  },
  {
    id: 'get-other-account',
    level: 'must',
    rule: 'An id of another account is notFound.',
    async run(subject) {
      const id = await subject.makeElsewhere();
      const answer = await get(subject, { ids: [id] });
      expect(answer.list).toEqual([]);
      expect(answer.notFound).toEqual([id]);
    },
  },
  {
    id: 'ids-valid',
    section: '1.2',
    level: 'must',
    rule: 'An id has 1 to 255 octets of letters, digits, - and _, and is that of one object alone.',
    needs: { room: 20 },
    /**
     * Destroys one object and makes another, since an id must never be given again (RFC 8620 1.2).
     */
    async run(subject) {
      const texts = Array.from({ length: 20 }, (_, n) => `n${n}`);
      const ids = await subject.make(subject.A1, ...texts);
      for (const id of ids) expect(id).toEqual(expect.stringMatching(ID));
      expect(new Set(ids).size).toBe(ids.length);
      const [gone = ''] = ids;
      await subject.set({ destroy: [gone] });
      expect(await subject.makeOne(subject.A1)).not.toBe(gone);
    },
  },
  {
    id: 'ids-safe',
    section: '1.2',
    level: 'should',
    rule:
      'Ids are safe where they are used: they begin with neither a hyphen nor a digit, do not ' +
      'differ by letter case alone, and are never NIL.',
    needs: { room: 20 },
    async run(subject) {
      const texts = Array.from({ length: 20 }, (_, n) => `n${n}`);
      const ids = await subject.make(subject.A1, ...texts);
      for (const id of ids) expect(id).toEqual(expect.stringMatching(DEFENSIVE));
      expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
    },
  },
  {
    id: 'get-unicode',
    section: '1.5',
    level: 'must',
    rule: 'Any Unicode text comes back as it was sent: nothing is normalised, trimmed or escaped.',
    restsOn: 'that the property takes any text',
    needs: { room: TEXTS.length },
    /** Leaves out texts that the descriptor forbids. Throws NotApplicable where none is left. */
    async run(subject) {
      const texts = TEXTS.filter((one) => subject.allows(one));
      if (texts.length === 0) throw new NotApplicable('The text takes none of these.');
      const { text } = subject.profile;
      const ids = await subject.make(subject.A1, ...texts);
      const { list } = await get(subject, { ids, properties: [text] });
      const byId = new Map(list.map((item) => [item.id, item[text]]));
      expect(ids.map((id) => byId.get(id))).toEqual(texts);
    },
  },
]);
