import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { findAnswer } from '../client/answers.js';
import { entry, sameMembers } from '../expected.js';
import { buildGetCall, buildSetCall, expectGone, readCreated, readSet } from './requests.js';

/** RFC 8620 3.3, 3.4 and 5.3: creation ids and createdIds. */

/** Names that mean something to a program that takes client's keys for its own. */
const NAMES = ['__proto__', 'constructor', 'toString'] as const;

export const creationIdChecks = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'creation-ids-answered',
    level: 'must',
    section: '3.4',
    rule: 'A Response has createdIds where the request had them, be they empty, and not otherwise.',
    /**
     * Sends an empty map as well: RFC 8620 3.4 makes createdIds depend on whether the request had
     * them, not on their content.
     */
    async run(subject) {
      const { client } = subject;
      const create = { k: subject.create('a') };
      const without = await client.api([buildSetCall(subject, { create }, 'c')]);
      expect(without).not.toHaveProperty('createdIds');
      const get = buildGetCall(subject, { ids: [] }, 'g');
      const empty = await client.api([get], { createdIds: {} });
      expect(empty.createdIds).toEqual({});
    },
  },
  {
    id: 'creation-ids-kept',
    level: 'must',
    section: '3.4',
    rule:
      'createdIds of a Response are those that were given and those of the objects that were ' +
      'created, and none of what was refused.',
    /**
     * Mixes ids that the client gave, created objects and a refused one. A server that merges too
     * much returns the refused one, too.
     */
    async run(subject) {
      const create = { k: subject.create('a'), bad: subject.unfit };
      const given = { x: 'id1', 'y-_9': 'id2' };
      const response = await subject.client.api(
        [
          buildSetCall(subject, { create }, 'c'),
          buildSetCall(subject, { create: { m: subject.create('b') } }, 'd'),
        ],
        { createdIds: given },
      );
      const readId = (call: string, key: string) => readCreated(response, call, key).id;
      expect(response.createdIds).toEqual({ ...given, k: readId('c', 'k'), m: readId('d', 'm') });
    },
  },
  {
    id: 'creation-ids-given',
    level: 'must',
    section: '3.3',
    rule: 'A creation id of the request’s createdIds stands for its id in destroy.',
    /**
     * Destroys by the creation id and looks with /get in the same request, so that the answer shows
     * what the server resolved.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1, 'before');
      const response = await subject.client.api(
        [
          buildSetCall(subject, { destroy: ['#x'] }, 'd'),
          buildGetCall(subject, { ids: [id] }, 'g'),
        ],
        { createdIds: { x: id } },
      );
      expect(readSet(response, 'd').notDestroyed).toBeNull();
      expect(findAnswer(response, 'g')['notFound']).toEqual([id]);
      expect(response.createdIds).toEqual({ x: id });
    },
  },
  {
    id: 'creation-ids-reused',
    level: 'must',
    rule: 'Of a creation id that is used again the object that was created last is meant.',
    needs: { room: 2 },
    /**
     * Uses one creation id three times: given by the client, then for two creates. The destroy
     * shows which of the three objects it stands for.
     */
    async run(subject) {
      const buildCreates = (text: string) => ({ create: { k: subject.create(text) } });
      const response = await subject.client.api(
        [
          buildSetCall(subject, buildCreates('first'), 'a'),
          buildSetCall(subject, buildCreates('second'), 'b'),
          buildSetCall(subject, { destroy: ['#k'] }, 'c'),
        ],
        { createdIds: { k: 'given' } },
      );
      const [first, second] = [readCreated(response, 'a').id, readCreated(response, 'b').id];
      expect(response.createdIds).toEqual({ k: second });
      expect((await subject.read(first))[subject.profile.text]).toBe('first');
      await expectGone(subject, second);
    },
  },
  {
    id: 'creation-ids-refused-keeps',
    level: 'must',
    rule:
      'A create that is refused does not touch the map: its creation id stands for what it stood ' +
      'for before.',
    /**
     * Lets a create fail between two uses of its creation id. A server that clears the entry first
     * can't destroy the earlier object.
     */
    async run(subject) {
      const response = await subject.client.api(
        [
          buildSetCall(subject, { create: { k: subject.create('first') } }, 'a'),
          buildSetCall(subject, { create: { k: subject.unfit } }, 'b'),
          buildSetCall(subject, { destroy: ['#k'] }, 'c'),
        ],
        { createdIds: {} },
      );
      const { id } = readCreated(response, 'a');
      expect(Object.keys(readSet(response, 'b').notCreated ?? {})).toEqual(['k']);
      expect(response.createdIds).toEqual({ k: id });
      await expectGone(subject, id);
    },
  },
  {
    id: 'creation-ids-earlier-call',
    level: 'must',
    rule: 'An object that an earlier call of the request created is destroyed by its creation id.',
    async run(subject) {
      const response = await subject.client.api([
        buildSetCall(subject, { create: { k: subject.create('a') } }, 'a'),
        buildSetCall(subject, { destroy: ['#k'] }, 'c'),
      ]);
      const { id } = readCreated(response, 'a');
      expect(readSet(response, 'c').notDestroyed).toBeNull();
      await expectGone(subject, id);
    },
  },
  {
    id: 'creation-ids-same-call-destroy',
    level: 'must',
    rule: 'A call may destroy what it creates, by the creation id: it was created and is gone.',
    /**
     * Destroys what the same call creates. The object must be told in created and in
     * destroyed.
     */
    async run(subject) {
      const answer = await subject.set({ create: { k: subject.create('a') }, destroy: ['#k'] });
      const { id } = entry(answer.created, 'k');
      expect(answer.notDestroyed).toBeNull();
      expect(answer.destroyed).toHaveLength(1);
      await expectGone(subject, id);
    },
  },
  {
    id: 'creation-ids-unknown',
    level: 'must',
    rule:
      'A creation id that nothing was created under, or is only later in the request, is ' +
      'notFound under the string that was sent.',
    /**
     * Refers to an object of a later call, so that a server which collects all creation ids
     * beforehand is found.
     */
    async run(subject) {
      const { text } = subject.profile;
      const args = { update: { '#later': { [text]: 'x' } }, destroy: ['#nobody'] };
      const response = await subject.client.api([
        buildSetCall(subject, args, 'a'),
        buildSetCall(subject, { create: { later: subject.create('a') } }, 'b'),
      ]);
      const answer = readSet(response, 'a');
      expect([answer.updated, answer.destroyed]).toEqual([null, null]);
      expect(answer.notUpdated).toEqual({ '#later': subject.matchSetError('notFound') });
      expect(answer.notDestroyed).toEqual({ '#nobody': subject.matchSetError('notFound') });
      const { id } = readCreated(response, 'b', 'later');
      expect((await subject.read(id))[text]).toBe('a');
    },
  },
  {
    id: 'creation-ids-of-request',
    level: 'must',
    rule: 'Creation ids live as long as their request: the next one knows none of them.',
    /**
     * Uses the id in a second request. A server that keeps the map with the session or the
     * connection would resolve it.
     */
    async run(subject) {
      const { text } = subject.profile;
      const { created } = await subject.set({ create: { k: subject.create('a') } });
      const { notUpdated } = await subject.set({ update: { '#k': { [text]: 'b' } } });
      expect(notUpdated).toEqual({ '#k': subject.matchSetError('notFound') });
      expect((await subject.read(entry(created, 'k').id))[text]).toBe('a');
    },
  },
  {
    id: 'creation-ids-in-text',
    level: 'must',
    rule:
      'A String that begins with # is text, also where something was created ' +
      'under what follows.',
    needs: { room: 2 },
    /**
     * Stores texts that look like references in a String. Only properties of type Id take creation
     * ids (RFC 8620 5.3).
     */
    async run(subject) {
      const { text } = subject.profile;
      const response = await subject.client.api(
        [
          buildSetCall(subject, { create: { '1': subject.create('#1 priority') } }, 'a'),
          buildSetCall(subject, { create: { b: subject.create('#1') } }, 'b'),
        ],
        { createdIds: {} },
      );
      const [one, two] = [readCreated(response, 'a', '1'), readCreated(response, 'b', 'b')];
      for (const made of [one, two]) expect(Object.keys(made)).not.toContain(text);
      const update = { [one.id]: { [text]: '#b' } };
      await subject.client.api([buildSetCall(subject, { update }, 'c')], {
        createdIds: response.createdIds ?? {},
      });
      expect((await subject.read(one.id))[text]).toBe('#b');
      expect((await subject.read(two.id))[text]).toBe('#1');
    },
  },
  {
    id: 'creation-ids-split',
    level: 'should',
    section: '5.8',
    rule:
      'A request split in two, the createdIds of the first Response handed on, comes to the same ' +
      'as the whole one.',
    needs: { room: 2 },
    /**
     * Does in two requests what one could do. RFC 8620 5.8 asks that a proxy can split a request in
     * this way.
     */
    async run(subject) {
      const { A1, type, profile } = subject;
      const first = await subject.client.api(
        [buildSetCall(subject, { create: { k: subject.create('one') } }, 'a')],
        { createdIds: {} },
      );
      const create = { m: subject.create('two') };
      const second = await subject.client.api(
        [buildSetCall(subject, { create, destroy: ['#k'] }, 'b')],
        { createdIds: first.createdIds ?? {} },
      );
      const { k = '', m = '' } = second.createdIds ?? {};
      expect(Object.keys(second.createdIds ?? {})).toEqual(sameMembers(['k', 'm']));
      const get = { accountId: A1, ids: [k, m] };
      const { list, notFound } = await subject.client.get(type, get);
      expect(list.map((one) => [one.id, one[profile.text]])).toEqual([[m, 'two']]);
      expect(notFound).toEqual([k]);
    },
  },
  {
    id: 'creation-ids-any-id',
    level: 'must',
    section: '1.2',
    rule:
      'Any Id may be a creation id: digits alone, 255 characters, a dash in front, and names ' +
      'that a program may have a meaning for.',
    needs: { room: 6 },
    async run(subject) {
      const keys = ['1', '-_9', 'x'.repeat(255), ...NAMES];
      const objects = keys.map((key) => [key, subject.create(key.slice(0, 9))] as const);
      // A literal { __proto__ } would name no member; fromEntries makes one.
      const create = Object.fromEntries(objects);
      const call = buildSetCall(subject, { create }, 'a');
      const response = await subject.client.api([call], { createdIds: {} });
      const { created } = readSet(response, 'a');
      expect(Object.getOwnPropertyNames(created).sort()).toEqual([...keys].sort());
      expect(Object.getOwnPropertyNames(response.createdIds).sort()).toEqual([...keys].sort());
      for (const key of keys)
        expect(entry(response.createdIds ?? {}, key)).toBe(entry(created, key).id);
    },
  },
]);
