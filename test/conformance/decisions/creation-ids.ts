import { expect } from 'expect';
import { typeChecks } from '../../../conform/src/check.js';
import {
  buildGetCall,
  buildSetCall,
  readCreated,
  readSet,
} from '../../../conform/src/checks/requests.js';
import { findAnswer } from '../../../conform/src/client/answers.js';
import { entry } from '../../../conform/src/expected.js';
export const creationIdDecisions = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    // 5.3 has creation ids referenced by an update, which may be within its values; its keys are
    // ids.
    id: 'creation-ids-given-update',
    level: 'must',
    section: '3.3',
    rule: 'A creation id of the request’s createdIds stands for its id as a key of update, too.',
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'before');
      const response = await subject.client.api(
        [
          buildSetCall(subject, { update: { '#x': { [text]: 'after' } } }, 'u'),
          buildGetCall(subject, { ids: [id], properties: [text] }, 'g'),
        ],
        { createdIds: { x: id } },
      );
      expect(readSet(response, 'u').notUpdated).toBeNull();
      expect(findAnswer(response, 'g')['list']).toEqual([{ id, [text]: 'after' }]);
      expect(response.createdIds).toEqual({ x: id });
    },
  },
  {
    id: 'creation-ids-real-ids',
    level: 'must',
    rule:
      'The keys of updated and the entries of destroyed are real ids, also where creation ids ' +
      'were sent.',
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'before');
      const response = await subject.client.api(
        [
          buildSetCall(subject, { update: { '#x': { [text]: 'after' } } }, 'u'),
          buildSetCall(subject, { destroy: ['#x'] }, 'd'),
        ],
        { createdIds: { x: id } },
      );
      expect(Object.keys(readSet(response, 'u').updated ?? {})).toEqual([id]);
      expect(readSet(response, 'd').destroyed).toEqual([id]);
    },
  },
  {
    id: 'creation-ids-in-get',
    level: 'must',
    section: '5.1',
    rule:
      'ids of a /get may be creation ids; what is found has its real id, and one that is ' +
      'nobody’s is notFound as it was sent.',
    async run(subject) {
      const { text } = subject.profile;
      const response = await subject.client.api([
        buildSetCall(subject, { create: { k: subject.create('a') } }, 'a'),
        buildGetCall(subject, { ids: ['#k', '#nope'], properties: [text] }, 'g'),
      ]);
      const { id } = readCreated(response, 'a');
      expect(findAnswer(response, 'g')).toMatchObject({
        list: [{ id, [text]: 'a' }],
        notFound: ['#nope'],
      });
    },
  },
  {
    id: 'creation-ids-given-in-get',
    level: 'must',
    section: '5.1',
    rule: 'ids of a /get may be creation ids of the request’s createdIds, too.',
    async run(subject) {
      const { text } = subject.profile;
      const id = await subject.makeOne(subject.A1, 'given');
      const get = buildGetCall(subject, { ids: ['#x'], properties: [text] }, 'g');
      const response = await subject.client.api([get], { createdIds: { x: id } });
      expect(findAnswer(response, 'g')).toMatchObject({
        list: [{ id, [text]: 'given' }],
        notFound: [],
      });
    },
  },
  {
    id: 'creation-ids-earlier-call-update',
    level: 'must',
    rule: 'An object that an earlier call created is updated by its creation id, too.',
    async run(subject) {
      const { text } = subject.profile;
      const response = await subject.client.api([
        buildSetCall(subject, { create: { k: subject.create('a') } }, 'a'),
        buildSetCall(subject, { update: { '#k': { [text]: 'b' } } }, 'b'),
      ]);
      const { id } = readCreated(response, 'a');
      expect(readSet(response, 'b').notUpdated).toBeNull();
      expect((await subject.read(id))[text]).toBe('b');
    },
  },
  {
    id: 'creation-ids-same-call-update',
    level: 'must',
    rule: 'A call may update what it creates, by the creation id: the create is done first.',
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
    id: 'creation-ids-same-call-states',
    level: 'must',
    rule:
      'An object created and updated in one call is one step of the state, created and destroyed ' +
      'two, of which /changes tells nothing.',
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
]);
