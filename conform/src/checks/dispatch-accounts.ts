import { expect } from 'expect';
import { typeChecks } from '../check.js';
import type { Subject } from '../subject/subject.js';
import { buildCalls, NEEDS } from './dispatch.js';

/** RFC 8620 3.6.2: accounts for which calls of a type's methods are refused. */

/** Makes each call of the type with an account, and expects the same answer of all. */
async function expectEachAnswer(
  subject: Subject,
  account: object,
  expected: readonly [string, object],
): Promise<void> {
  for (const [method, args] of buildCalls(subject, account)) {
    const answer = await subject.client.call(method, args);
    expect({ method, answer }).toEqual({ method, answer: expected });
  }
}

export const dispatchAccountChecks = typeChecks('3.6.2', NEEDS, [
  {
    id: 'dispatch-account-missing',
    level: 'must',
    rule: 'A call without accountId is invalidArguments: no account is the default one.',
    async run(subject) {
      await expectEachAnswer(subject, {}, subject.matchError('invalidArguments', 'accountId'));
    },
  },
  {
    id: 'dispatch-account-no-string',
    level: 'must',
    rule: 'An accountId that is no String is invalidArguments.',
    async run(subject) {
      for (const accountId of [1, null, [], {}, true])
        await expectEachAnswer(
          subject,
          { accountId },
          subject.matchError('invalidArguments', 'accountId'),
        );
    },
  },
  {
    id: 'dispatch-account-unknown',
    level: 'must',
    rule: 'An accountId of no account is accountNotFound, for each method of the type.',
    async run(subject) {
      const account = { accountId: subject.unknownAccount };
      await expectEachAnswer(subject, account, subject.matchError('accountNotFound'));
    },
  },
  {
    id: 'dispatch-account-foreign',
    level: 'must',
    rule:
      'An account that the user has no access to is accountNotFound, as one that does not ' +
      'exist.',
    async run(subject) {
      await expectEachAnswer(
        subject,
        { accountId: subject.AX },
        subject.matchError('accountNotFound'),
      );
    },
  },
  {
    id: 'dispatch-account-without-type',
    level: 'must',
    rule: 'An account of the user’s that doesn’t have the type is accountNotSupportedByMethod.',
    async run(subject) {
      const account = { accountId: subject.accountWithout };
      await expectEachAnswer(subject, account, subject.matchError('accountNotSupportedByMethod'));
    },
  },
  {
    id: 'dispatch-read-only',
    level: 'must',
    rule:
      'A write to an account that is read-only is accountReadOnly and changes nothing; reading ' +
      'works.',
    needs: { methods: ['set'] },
    /**
     * Sends creates, updates and destroys of nothing: the right to write comes before the look at
     * objects. Reading must go on to work.
     */
    async run(subject) {
      const { AR: accountId, type, client } = subject;
      const { state } = await client.get(type, { accountId, ids: [] });
      const update = { singleton: {}, x1: {} };
      for (const args of [{ destroy: ['x1'] }, { update }, { create: { k: {} } }])
        expect(await client.call(`${type}/set`, { accountId, ...args })).toEqual(
          subject.matchError('accountReadOnly'),
        );
      if (subject.has('copy')) {
        const copy = { fromAccountId: subject.A1, accountId, create: { k: { id: 'x1' } } };
        expect(await client.call(`${type}/copy`, copy)).toEqual(
          subject.matchError('accountReadOnly'),
        );
      }
      expect((await client.get(type, { accountId, ids: [] })).state).toBe(state);
      if (subject.has('changes')) await client.changes(type, { accountId, sinceState: state });
      if (!subject.has('query')) return;
      const { queryState } = await client.query(type, { accountId });
      if (!subject.has('queryChanges')) return;
      const [name] = await client.call(`${type}/queryChanges`, {
        accountId,
        sinceQueryState: queryState,
      });
      expect(name).toBe(`${type}/queryChanges`);
    },
  },
]);
