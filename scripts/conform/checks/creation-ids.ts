import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { answerTo, asSet } from '../client/answers.js';
import { entry, sameMembers } from '../expected.js';

/** RFC 8620 3.3, 3.4 and 5.3: creation ids and createdIds. */

/** Names that mean something to a program that takes client's keys for its own. */
const NAMES = ['__proto__', 'constructor', 'toString'] as const;

export const creationIdChecks = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'creation-ids-answered',
    level: 'must',
    section: '3.4',
    rule: 'A Response has createdIds where the request had them, be they empty, and not otherwise.',
    async run(subject) {
      const { A1, type, client } = subject;
      const create = { k: subject.create('a') };
      const without = await client.api([[`${type}/set`, { accountId: A1, create }, 'c']]);
      expect(without).not.toHaveProperty('createdIds');
      const get = [`${type}/get`, { accountId: A1, ids: [] }, 'g'] as const;
      const empty = await client.api([get], { createdIds: {} });
      expect(empty.createdIds).toEqual({});
    },
  },
  {
    id: 'creation-ids-kept',
    level: 'must',
    section: '3.4',
    rule: 'createdIds of a Response are those that were given and those of the objects that were created, and none of what was refused.',
    async run(subject) {
      const { A1, type } = subject;
      const create = { k: subject.create('a'), bad: { noSuchProperty: 1 } };
      const given = { x: 'id1', 'y-_9': 'id2' };
      const response = await subject.client.api(
        [
          [`${type}/set`, { accountId: A1, create }, 'c'],
          [`${type}/set`, { accountId: A1, create: { m: subject.create('b') } }, 'd'],
        ],
        { createdIds: given },
      );
      const id = (call: string, key: string) =>
        entry(asSet(answerTo(response, call)).created, key).id;
      expect(response.createdIds).toEqual({ ...given, k: id('c', 'k'), m: id('d', 'm') });
    },
  },
  {
    id: 'creation-ids-given',
    level: 'must',
    section: '3.3',
    rule: 'A creation id of the request’s createdIds stands for its id in destroy.',
    async run(subject) {
      const { A1, type } = subject;
      const id = await subject.one(A1, 'before');
      const response = await subject.client.api(
        [
          [`${type}/set`, { accountId: A1, destroy: ['#x'] }, 'd'],
          [`${type}/get`, { accountId: A1, ids: [id] }, 'g'],
        ],
        { createdIds: { x: id } },
      );
      expect(asSet(answerTo(response, 'd')).notDestroyed).toBeNull();
      expect(answerTo(response, 'g')['notFound']).toEqual([id]);
      expect(response.createdIds).toEqual({ x: id });
    },
  },
  {
    // 5.3 has creation ids referenced by an update, which may be within its values; its keys are ids.
    id: 'creation-ids-given-update',
    level: 'decision',
    section: '3.3',
    rule: 'It does so as a key of update, too (decision 13).',
    async run(subject) {
      const { A1, type, profile } = subject;
      const id = await subject.one(A1, 'before');
      const update = { '#x': { [profile.text]: 'after' } };
      const get = { accountId: A1, ids: [id], properties: [profile.text] };
      const response = await subject.client.api(
        [
          [`${type}/set`, { accountId: A1, update }, 'u'],
          [`${type}/get`, get, 'g'],
        ],
        { createdIds: { x: id } },
      );
      expect(asSet(answerTo(response, 'u')).notUpdated).toBeNull();
      expect(answerTo(response, 'g')['list']).toEqual([{ id, [profile.text]: 'after' }]);
      expect(response.createdIds).toEqual({ x: id });
    },
  },
  {
    id: 'creation-ids-real-ids',
    level: 'decision',
    rule: 'The keys of updated and the entries of destroyed are real ids, also where creation ids were sent (decision 13).',
    async run(subject) {
      const { A1, type, profile } = subject;
      const id = await subject.one(A1, 'before');
      const response = await subject.client.api(
        [
          [`${type}/set`, { accountId: A1, update: { '#x': { [profile.text]: 'after' } } }, 'u'],
          [`${type}/set`, { accountId: A1, destroy: ['#x'] }, 'd'],
        ],
        { createdIds: { x: id } },
      );
      expect(Object.keys(asSet(answerTo(response, 'u')).updated ?? {})).toEqual([id]);
      expect(asSet(answerTo(response, 'd')).destroyed).toEqual([id]);
    },
  },
  {
    id: 'creation-ids-in-get',
    level: 'decision',
    section: '5.1',
    rule: 'ids of a /get may be creation ids; what is found has its real id, and one that is nobody’s is notFound as it was sent (decision 12).',
    async run(subject) {
      const { A1, type, profile } = subject;
      const get = { accountId: A1, ids: ['#k', '#nope'], properties: [profile.text] };
      const response = await subject.client.api([
        [`${type}/set`, { accountId: A1, create: { k: subject.create('a') } }, 'a'],
        [`${type}/get`, get, 'g'],
      ]);
      const { id } = entry(asSet(answerTo(response, 'a')).created, 'k');
      expect(answerTo(response, 'g')).toMatchObject({
        list: [{ id, [profile.text]: 'a' }],
        notFound: ['#nope'],
      });
    },
  },
  {
    id: 'creation-ids-given-in-get',
    level: 'decision',
    section: '5.1',
    rule: 'ids of a /get may be creation ids of the request’s createdIds, too (decision 12).',
    async run(subject) {
      const { A1, type, profile } = subject;
      const id = await subject.one(A1, 'given');
      const args = { accountId: A1, ids: ['#x'], properties: [profile.text] };
      const response = await subject.client.api([[`${type}/get`, args, 'g']], {
        createdIds: { x: id },
      });
      expect(answerTo(response, 'g')).toMatchObject({
        list: [{ id, [profile.text]: 'given' }],
        notFound: [],
      });
    },
  },
  {
    id: 'creation-ids-reused',
    level: 'must',
    rule: 'Of a creation id that is used again the object that was created last is meant.',
    needs: { room: 2 },
    async run(subject) {
      const { A1, type, profile } = subject;
      const set = (text: string) => ({ accountId: A1, create: { k: subject.create(text) } });
      const response = await subject.client.api(
        [
          [`${type}/set`, set('first'), 'a'],
          [`${type}/set`, set('second'), 'b'],
          [`${type}/set`, { accountId: A1, destroy: ['#k'] }, 'c'],
        ],
        { createdIds: { k: 'given' } },
      );
      const id = (call: string) => entry(asSet(answerTo(response, call)).created, 'k').id;
      expect(response.createdIds).toEqual({ k: id('b') });
      expect((await subject.read(id('a')))[profile.text]).toBe('first');
      const get = { accountId: A1, ids: [id('b')] };
      expect((await subject.client.get(type, get)).notFound).toEqual([id('b')]);
    },
  },
  {
    id: 'creation-ids-refused-keeps',
    level: 'must',
    rule: 'A create that is refused does not touch the map: its creation id stands for what it stood for before.',
    async run(subject) {
      const { A1, type } = subject;
      const response = await subject.client.api(
        [
          [`${type}/set`, { accountId: A1, create: { k: subject.create('first') } }, 'a'],
          [`${type}/set`, { accountId: A1, create: { k: { noSuchProperty: 1 } } }, 'b'],
          [`${type}/set`, { accountId: A1, destroy: ['#k'] }, 'c'],
        ],
        { createdIds: {} },
      );
      const { id } = entry(asSet(answerTo(response, 'a')).created, 'k');
      expect(Object.keys(asSet(answerTo(response, 'b')).notCreated ?? {})).toEqual(['k']);
      expect(response.createdIds).toEqual({ k: id });
      const get = { accountId: A1, ids: [id] };
      expect((await subject.client.get(type, get)).notFound).toEqual([id]);
    },
  },
  {
    id: 'creation-ids-earlier-call',
    level: 'must',
    rule: 'What an earlier call of the request created is destroyed by its creation id.',
    async run(subject) {
      const { A1, type } = subject;
      const response = await subject.client.api([
        [`${type}/set`, { accountId: A1, create: { k: subject.create('a') } }, 'a'],
        [`${type}/set`, { accountId: A1, destroy: ['#k'] }, 'c'],
      ]);
      const { id } = entry(asSet(answerTo(response, 'a')).created, 'k');
      expect(asSet(answerTo(response, 'c')).notDestroyed).toBeNull();
      const { notFound } = await subject.client.get(type, { accountId: A1, ids: [id] });
      expect(notFound).toEqual([id]);
    },
  },
  {
    id: 'creation-ids-earlier-call-update',
    level: 'decision',
    rule: 'It is updated by its creation id, too (decision 13).',
    async run(subject) {
      const { A1, type, profile } = subject;
      const update = { '#k': { [profile.text]: 'b' } };
      const response = await subject.client.api([
        [`${type}/set`, { accountId: A1, create: { k: subject.create('a') } }, 'a'],
        [`${type}/set`, { accountId: A1, update }, 'b'],
      ]);
      const { id } = entry(asSet(answerTo(response, 'a')).created, 'k');
      expect(asSet(answerTo(response, 'b')).notUpdated).toBeNull();
      expect((await subject.read(id))[profile.text]).toBe('b');
    },
  },
  {
    id: 'creation-ids-same-call-update',
    level: 'decision',
    rule: 'A call may update what it creates, by the creation id: the create is done first (decision 13).',
    async run(subject) {
      const { text } = subject.profile;
      const answer = await subject.set({
        create: { k: subject.create('a') },
        update: { '#k': { [text]: 'b' } },
      });
      const { id } = entry(answer.created, 'k');
      expect(answer.notUpdated).toBeNull();
      expect(Object.keys(answer.updated ?? {})).toHaveLength(1);
      expect((await subject.read(id))[text]).toBe('b');
    },
  },
  {
    id: 'creation-ids-same-call-destroy',
    level: 'must',
    rule: 'A call may destroy what it creates, by the creation id: it was created and is gone.',
    async run(subject) {
      const answer = await subject.set({ create: { k: subject.create('a') }, destroy: ['#k'] });
      const { id } = entry(answer.created, 'k');
      expect(answer.notDestroyed).toBeNull();
      expect(answer.destroyed).toHaveLength(1);
      const get = { accountId: subject.A1, ids: [id] };
      expect((await subject.client.get(subject.type, get)).notFound).toEqual([id]);
    },
  },
  {
    id: 'creation-ids-same-call-states',
    level: 'decision',
    rule: 'An object created and updated in one call is one step of the state, created and destroyed two, of which /changes tells nothing (decision 8).',
    needs: { methods: ['changes'] },
    async run(subject) {
      const { A1, type, profile } = subject;
      const updated = await subject.set({
        create: { k: subject.create('a') },
        update: { '#k': { [profile.text]: 'b' } },
      });
      const { id } = entry(updated.created, 'k');
      expect(updated.updated).toEqual({ [id]: expect.anything() });
      expect(Number(updated.newState)).toBe(Number(updated.oldState) + 1);
      await subject.set({ destroy: [id] });

      const answer = await subject.set({ create: { k: subject.create('a') }, destroy: ['#k'] });
      expect(answer.destroyed).toEqual([entry(answer.created, 'k').id]);
      expect(Number(answer.newState)).toBe(Number(answer.oldState) + 2);
      const sinceState = answer.oldState;
      expect(await subject.client.changes(type, { accountId: A1, sinceState })).toMatchObject({
        newState: answer.newState,
        hasMoreChanges: false,
        created: [],
        updated: [],
        destroyed: [],
      });
    },
  },
  {
    id: 'creation-ids-unknown',
    level: 'must',
    rule: 'A creation id that nothing was created under, or is only later in the request, is notFound under the string that was sent.',
    async run(subject) {
      const { A1, type, profile } = subject;
      const args = {
        accountId: A1,
        update: { '#later': { [profile.text]: 'x' } },
        destroy: ['#nobody'],
      };
      const response = await subject.client.api([
        [`${type}/set`, args, 'a'],
        [`${type}/set`, { accountId: A1, create: { later: subject.create('a') } }, 'b'],
      ]);
      const answer = asSet(answerTo(response, 'a'));
      expect([answer.updated, answer.destroyed]).toEqual([null, null]);
      expect(answer.notUpdated).toEqual({ '#later': subject.setError('notFound') });
      expect(answer.notDestroyed).toEqual({ '#nobody': subject.setError('notFound') });
      const { id } = entry(asSet(answerTo(response, 'b')).created, 'later');
      expect((await subject.read(id))[profile.text]).toBe('a');
    },
  },
  {
    id: 'creation-ids-of-request',
    level: 'must',
    rule: 'Creation ids live as long as their request: the next one knows none of them.',
    async run(subject) {
      const { text } = subject.profile;
      const { created } = await subject.set({ create: { k: subject.create('a') } });
      const { notUpdated } = await subject.set({ update: { '#k': { [text]: 'b' } } });
      expect(notUpdated).toEqual({ '#k': subject.setError('notFound') });
      expect((await subject.read(entry(created, 'k').id))[text]).toBe('a');
    },
  },
  {
    id: 'creation-ids-in-text',
    level: 'must',
    rule: 'A String that begins with # is text, also where something was created under what follows.',
    needs: { room: 2 },
    async run(subject) {
      const { A1, type, profile } = subject;
      const response = await subject.client.api(
        [
          [`${type}/set`, { accountId: A1, create: { '1': subject.create('#1 priority') } }, 'a'],
          [`${type}/set`, { accountId: A1, create: { b: subject.create('#1') } }, 'b'],
        ],
        { createdIds: {} },
      );
      const [one, two] = (['a', 'b'] as const).map((call, index) => {
        const made = entry(asSet(answerTo(response, call)).created, index === 0 ? '1' : 'b');
        expect(Object.keys(made)).not.toContain(profile.text);
        return made.id;
      });
      const update = { [one ?? '']: { [profile.text]: '#b' } };
      await subject.client.api([[`${type}/set`, { accountId: A1, update }, 'c']], {
        createdIds: response.createdIds ?? {},
      });
      expect((await subject.read(one ?? ''))[profile.text]).toBe('#b');
      expect((await subject.read(two ?? ''))[profile.text]).toBe('#1');
    },
  },
  {
    id: 'creation-ids-split',
    level: 'should',
    section: '5.8',
    rule: 'A request split in two, the createdIds of the first Response handed on, comes to the same as the whole one.',
    needs: { room: 2 },
    async run(subject) {
      const { A1, type, profile } = subject;
      const first = await subject.client.api(
        [[`${type}/set`, { accountId: A1, create: { k: subject.create('one') } }, 'a']],
        { createdIds: {} },
      );
      const create = { m: subject.create('two') };
      const second = await subject.client.api(
        [[`${type}/set`, { accountId: A1, create, destroy: ['#k'] }, 'b']],
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
    rule: 'Any Id may be a creation id: digits alone, 255 characters, a dash in front, and names that a program may have a meaning for.',
    needs: { room: 6 },
    async run(subject) {
      const { A1, type } = subject;
      const keys = ['1', '-_9', 'x'.repeat(255), ...NAMES];
      const objects = keys.map((key) => [key, subject.create(key.slice(0, 9))] as const);
      // A literal { __proto__ } would name no member; fromEntries makes one.
      const create = Object.fromEntries(objects);
      const calls = [[`${type}/set`, { accountId: A1, create }, 'a']] as const;
      const response = await subject.client.api(calls, { createdIds: {} });
      const { created } = asSet(answerTo(response, 'a'));
      expect(Object.getOwnPropertyNames(created).sort()).toEqual([...keys].sort());
      expect(Object.getOwnPropertyNames(response.createdIds).sort()).toEqual([...keys].sort());
      for (const key of keys)
        expect(entry(response.createdIds ?? {}, key)).toBe(entry(created, key).id);
    },
  },
]);
