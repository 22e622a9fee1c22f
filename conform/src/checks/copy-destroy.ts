import { expect } from 'expect';
import { typeChecks } from '../check.js';
import { asSet, type MethodResponse } from '../client/answers.js';
import { at } from '../expected.js';
import type { Subject } from '../subject/subject.js';
import { buildArgs, buildCopy, NEEDS, readArgs, withReadOnlyObject } from './copies.js';

/** RFC 8620 5.4: onSuccessDestroyOriginal, the /set that a /copy has the server make. */

/**
 * Copies objects, has the originals destroyed, and asks with /get what is left of one. Returns the
 * responses.
 */
export async function moveObject(
  subject: Subject,
  id: string,
  create: object,
  more: object = {},
): Promise<readonly MethodResponse[]> {
  const args = buildArgs(subject, { create, onSuccessDestroyOriginal: true, ...more });
  const { methodResponses } = await subject.client.api([
    [`${subject.type}/copy`, args, 'c'],
    [`${subject.type}/get`, { accountId: subject.A1, ids: [id] }, 'g'],
  ]);
  return methodResponses;
}

/**
 * Returns the names and call ids of responses, since RFC 8620 5.4 adds a response of /set to a
 * /copy.
 */
export const listNames = (responses: readonly MethodResponse[]) =>
  responses.map(([name, , callId]) => [name, callId]);

export const copyDestroyChecks = typeChecks('5.4', NEEDS, [
  {
    id: 'copy-destroy-original',
    level: 'must',
    rule:
      'With onSuccessDestroyOriginal one /set response follows the /copy response, under its ' +
      'call id and before the next call’s; it destroys the originals of the copies, and ' +
      'nothing else.',
    needs: { room: 2 },
    /** Copies one good object and two that fail. Only the original of the good one may go. */
    async run(subject) {
      const { type, profile } = subject;
      const [id = '', other = ''] = await subject.make(subject.A1, 'moved', 'stays');
      const wrong = buildCopy(subject, other, subject.unfit);
      const create = { k: buildCopy(subject, id), bad: wrong, none: { id: 'x1' } };
      const responses = await moveObject(subject, id, create);
      expect(listNames(responses)).toEqual([
        [`${type}/copy`, 'c'],
        [`${type}/set`, 'c'],
        [`${type}/get`, 'g'],
      ]);
      const set = asSet(readArgs(responses, 1));
      expect(set).toMatchObject({ accountId: subject.A1, destroyed: [id], notDestroyed: null });
      expect(set.newState).not.toBe(set.oldState);
      expect(readArgs(responses, 2)).toMatchObject({ notFound: [id], state: set.newState });
      expect((await subject.read(other))[profile.text]).toBe('stays');
    },
  },
  {
    id: 'copy-destroy-from-state-stale',
    level: 'must',
    rule:
      'destroyFromIfInState is the ifInState of the implicit /set: a stale one stops the ' +
      'destroying alone, which answers stateMismatch under the call id of the copy.',
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const stale = { destroyFromIfInState: 'stale' };
      const responses = await moveObject(subject, id, { k: buildCopy(subject, id) }, stale);
      expect(Object.keys(asSet(readArgs(responses, 0)).created ?? {})).toEqual(['k']);
      expect(at(responses, 1)).toEqual(['error', subject.matchMethodError('stateMismatch'), 'c']);
      expect(readArgs(responses, 2)['notFound']).toEqual([]);
    },
  },
  {
    id: 'copy-destroy-from-state-matches',
    level: 'must',
    rule:
      'With the state that the source is in as destroyFromIfInState, or null, the originals are ' +
      'destroyed.',
    needs: { room: 2 },
    async run(subject) {
      const [first = '', second = ''] = await subject.make(subject.A1, 'a', 'b');
      const current = await subject.readState(subject.A1);
      for (const [id, state] of [
        [first, current],
        [second, null],
      ] as const) {
        const more = { destroyFromIfInState: state };
        const responses = await moveObject(subject, id, { k: buildCopy(subject, id) }, more);
        expect(asSet(readArgs(responses, 1)).destroyed).toEqual([id]);
        expect(readArgs(responses, 2)['notFound']).toEqual([id]);
      }
    },
  },
  {
    id: 'copy-destroy-failed',
    level: 'must',
    rule:
      'Where nothing was copied nothing is destroyed: there is no implicit /set, or one that has ' +
      'nothing to destroy.',
    /**
     * Accepts an implicit /set that is empty, and none at all: RFC 8620 5.4 doesn't say which of
     * the two follows a copy of nothing.
     */
    async run(subject) {
      const id = await subject.makeOne(subject.A1);
      const create = { k: buildCopy(subject, id, subject.unfit), none: { id: 'x1' } };
      const responses = await moveObject(subject, id, create);
      for (const [name, args] of responses.slice(1, -1)) {
        expect(name).toBe(`${subject.type}/set`);
        const { destroyed, notDestroyed } = asSet(args);
        expect([destroyed ?? [], Object.keys(notDestroyed ?? {})]).toEqual([[], []]);
      }
      expect(readArgs(responses, -1)['notFound']).toEqual([]);
    },
  },
  {
    id: 'copy-destroy-read-only-source',
    level: 'must',
    rule:
      'From an account that can only be read copies are made and stay, though the destroying ' +
      'after them is refused with accountReadOnly.',
    /**
     * Copies from an account that may only be read. The copy must stay although the destroy after
     * it fails.
     */
    run: (subject) =>
      withReadOnlyObject(subject, 'read', async (id, fromAccountId) => {
        const responses = await moveObject(
          subject,
          'x1',
          { k: buildCopy(subject, id) },
          { fromAccountId },
        );
        const copied = asSet(readArgs(responses, 0)).created?.['k']?.id ?? '';
        expect((await subject.read(copied, subject.A2))[subject.profile.text]).toBe('read');
        expect(at(responses, 1)).toEqual([
          'error',
          subject.matchMethodError('accountReadOnly'),
          'c',
        ]);
      }),
  },
]);
