import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { asSet, findAnswer } from '../client/answers.js';
import { at } from '../expected.js';
import { buildGetCall, buildSetCall, readSet } from './requests.js';

/** RFC 8620 5.3: /set, ifInState and the states that it answers. */

export const setStateChecks = typeChecks('5.3', { methods: ['get', 'set'], text: true }, [
  {
    id: 'set-if-in-state',
    level: 'must',
    rule:
      'With the current state as ifInState a /set is done; with one from before it is ' +
      'stateMismatch, and nothing of it is done.',
    needs: { room: 2 },
    /**
     * Sends the stale state together with a create, an update and a destroy. A snapshot before and
     * after shows that none of the three was done.
     */
    async run(subject) {
      const { A1, type, profile } = subject;
      const id = await subject.makeOne(A1, 'before');
      const state = await subject.readState(A1);
      const passed = await subject.set({
        ifInState: state,
        update: { [id]: { [profile.text]: 'after' } },
      });
      expect([state, null]).toContain(passed.oldState);
      expect(Object.keys(passed.updated ?? {})).toEqual([id]);
      const before = await subject.takeSnapshot(A1);
      const args = {
        accountId: A1,
        ifInState: state,
        create: { k: subject.create('a') },
        update: { [id]: { [profile.text]: 'again' } },
        destroy: [id],
      };
      expect(await subject.client.call(`${type}/set`, args)).toEqual(
        subject.matchError('stateMismatch'),
      );
      expect(await subject.takeSnapshot(A1)).toEqual(before);
    },
  },
  {
    id: 'set-if-in-state-unknown',
    level: 'must',
    rule:
      'ifInState null is no condition; any string that is not the current state, be it one that ' +
      'was never issued, is stateMismatch.',
    /**
     * Tries states that resemble the current one. A server that trims, parses or prefixes states
     * would take one of them for current.
     */
    async run(subject) {
      const { A1, type } = subject;
      const state = await subject.readState(A1);
      const passed = await subject.set({ ifInState: null, create: { k: subject.create('a') } });
      expect(Object.keys(passed.created ?? {})).toEqual(['k']);
      const now = await subject.readState(A1);
      for (const ifInState of ['', state, `${now} `, `${now}0`, 'never issued', 'x'.repeat(300)])
        expect(await subject.client.call(`${type}/set`, { accountId: A1, ifInState })).toEqual(
          subject.matchError('stateMismatch'),
        );
    },
  },
  {
    id: 'set-if-in-state-twice',
    level: 'must',
    rule:
      'Of two calls in one request that both name the state before them, the second is ' +
      'stateMismatch.',
    /**
     * Sends both calls in one request, since the state moves between them. A server that compares
     * once for a request takes both.
     */
    async run(subject) {
      const { A1, type } = subject;
      const ifInState = await subject.readState(A1);
      const { methodResponses } = await subject.client.api([
        [`${type}/set`, { accountId: A1, ifInState, create: { k: subject.create('a') } }, 'a'],
        [`${type}/set`, { accountId: A1, ifInState, create: { m: subject.create('b') } }, 'b'],
      ]);
      expect(Object.keys(asSet(at(methodResponses, 0)[1]).created ?? {})).toEqual(['k']);
      expect(at(methodResponses, 1)).toEqual([...subject.matchError('stateMismatch'), 'b']);
    },
  },
  {
    id: 'set-if-in-state-first',
    level: 'must',
    rule:
      'The state is compared before any object is looked at: a call whose objects are wrong, ' +
      'too, is stateMismatch.',
    /**
     * Gives the call a second fault on purpose. The error shows which of the two a server judges
     * first.
     */
    async run(subject) {
      const args = {
        accountId: subject.A1,
        ifInState: 'never issued',
        create: { k: subject.unfit },
        update: { x1: { 'no/such/parent': 1 } },
        destroy: ['x1'],
      };
      expect(await subject.client.call(`${subject.type}/set`, args)).toEqual(
        subject.matchError('stateMismatch'),
      );
    },
  },
  {
    id: 'set-states',
    level: 'must',
    rule:
      'Each call that changes something answers a newState that /get answers right after it, and ' +
      'that is another than the one before.',
    needs: { room: 2 },
    /**
     * Reads the state with /get in the request of each /set, so that no other client can write
     * between the two.
     */
    async run(subject) {
      const { A1, profile } = subject;
      const seen = [await subject.readState(A1)];
      const step = async (args: object) => {
        const response = await subject.client.api([
          buildSetCall(subject, args, 's'),
          buildGetCall(subject, { ids: [] }, 'g'),
        ]);
        const answer = readSet(response, 's');
        expect([seen.at(-1), null]).toContain(answer.oldState);
        expect(findAnswer(response, 'g')['state']).toBe(answer.newState);
        expect(answer.newState).not.toBe(seen.at(-1));
        seen.push(answer.newState);
        return answer;
      };
      const { created } = await step({ create: { k: subject.create('a') } });
      const id = created?.['k']?.id ?? '';
      await step({ update: { [id]: { [profile.text]: 'b' } } });
      await step({ update: { [id]: { [profile.text]: 'a' } } });
      await step({ destroy: [id] });
      await step({ create: { k: subject.create('a') } });
    },
  },
]);
