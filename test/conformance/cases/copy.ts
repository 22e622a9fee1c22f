import { expect } from 'vitest';
import { asSet } from '../../support/client.js';
import { at, entry, err, serverId, setError, utcDate } from '../../support/expected.js';
import type { JsonMap } from '../../support/json.js';
import type { Suite } from '../suite.js';

/** Section P of cases.md: /copy (RFC 8620 5.4). */
export function copyCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name, text } = profile;
  const args = (more: object) => ({ fromAccountId: suite.A1, accountId: suite.A2, ...more });
  const copy = (more: object) => suite.client.copy(name, args(more));
  const refused = (more: object) => suite.client.call(`${name}/copy`, args(more));

  /** One object as /copy takes it: what it refers to is not in the target, so another is named. */
  const from = (id: string, more: JsonMap = {}): JsonMap => ({ id, ...suite.moved(), ...more });

  if (!suite.has('copy')) return;

  describe(`${name}: P. /copy`, () => {
    it('cases 393 and 408, 5.4: the whole response; the original stays', async () => {
      const id = await suite.one(suite.A1, 'original');
      const oldState = await suite.state(suite.A2);
      const source = await suite.state(suite.A1);
      const answer = await copy({ create: { k: from(id) } });
      expect(answer).toEqual({
        fromAccountId: suite.A1,
        accountId: suite.A2,
        oldState,
        newState: String(Number(oldState) + 1),
        created: {
          k: { id: serverId, created: utcDate, updated: utcDate, ...profile.serverSet },
        },
        notCreated: null,
      });
      const made = entry(answer.created, 'k');
      expect(made.id).not.toBe(id);
      expect(await suite.client.get(name, { accountId: suite.A2, ids: [made.id] })).toEqual({
        accountId: suite.A2,
        state: answer.newState,
        list: [{ ...suite.shown('original', suite.A2), ...made }],
        notFound: [],
      });
      expect(await suite.state(suite.A1)).toBe(source);
      expect((await suite.client.get(name, { accountId: suite.A1, ids: [id] })).list).toHaveLength(
        1,
      );
    });

    it('5.4: properties given with a copy are used in place of the original ones', async () => {
      const id = await suite.one(suite.A1, 'original');
      const answer = await copy({
        create: { k: from(id, { [text]: 'changed' }), bad: from(id, { nope: 1 }) },
      });
      const made = entry(answer.created, 'k');
      const { list } = await suite.client.get(name, { accountId: suite.A2, ids: [made.id] });
      expect(list).toEqual([expect.objectContaining({ [text]: 'changed' })]);
      expect(answer.notCreated).toEqual({ bad: setError('invalidProperties', ['nope']) });
    });

    it('case 395, 5.4: an object without id is invalidProperties', async () => {
      const answer = await copy({ create: { k: { [text]: 'a' }, n: { id: null }, m: { id: 5 } } });
      expect(answer.created).toBeNull();
      expect(answer.notCreated).toEqual({
        k: setError('invalidProperties', ['id']),
        n: setError('invalidProperties', ['id']),
        m: setError('invalidProperties', ['id']),
      });
      expect(answer.newState).toBe(answer.oldState);
    });

    it('case 396, 5.4: an id that is not in the source is notFound', async () => {
      const elsewhere = await suite.one(suite.A2);
      const answer = await copy({ create: { k: { id: 'x1' }, m: { id: elsewhere } } });
      expect(answer.notCreated).toEqual({ k: setError('notFound'), m: setError('notFound') });
    });

    it('case 398, 5.4: unknown and unreachable accounts', async () => {
      const { AX, unknownAccount } = suite.fixtures();
      for (const account of [AX, unknownAccount]) {
        expect(await refused({ fromAccountId: account, create: {} })).toEqual(
          err('fromAccountNotFound'),
        );
        expect(await refused({ accountId: account, create: {} })).toEqual(err('accountNotFound'));
      }
    });

    it('5.4: accounts without the type', async () => {
      const without = suite.accountWithout;
      expect(await refused({ fromAccountId: without, create: {} })).toEqual(
        err('fromAccountNotSupportedByMethod'),
      );
      expect(await refused({ accountId: without, create: {} })).toEqual(
        err('accountNotSupportedByMethod'),
      );
    });

    it('decision 17: a copy within one account is invalidArguments', async () => {
      expect(await refused({ accountId: suite.A1, create: {} })).toEqual(err('invalidArguments'));
    });

    it('case 400, 5.4: a read-only source is fine', async () => {
      const { AR, u3 } = suite.fixtures();
      const owner = u3.with(suite.client.using);
      const made = await owner.set(name, {
        accountId: AR,
        create: { k: suite.create('read', AR) },
      });
      const { id } = entry(made.created, 'k');
      const answer = await copy({ fromAccountId: AR, create: { k: from(id) } });
      expect(Object.keys(answer.created ?? {})).toEqual(['k']);
      expect(await refused({ accountId: AR, create: {} })).toEqual(err('accountReadOnly'));
    });

    it('case 401, 5.4: a stale state of either account stops the call', async () => {
      const id = await suite.one(suite.A1);
      const before = await suite.snapshot(suite.A2);
      const create = { k: from(id) };
      for (const stale of [{ ifFromInState: 'no' }, { ifInState: 'no' }, { ifInState: '' }]) {
        expect(await refused({ create, ...stale })).toEqual(err('stateMismatch'));
      }
      expect(await suite.snapshot(suite.A2)).toEqual(before);
      const answer = await copy({
        create,
        ifFromInState: await suite.state(suite.A1),
        ifInState: await suite.state(suite.A2),
      });
      expect(Object.keys(answer.created ?? {})).toEqual(['k']);
    });

    it('case 403, 5.4: the implicit /set destroys the originals of what was copied', async () => {
      const id = await suite.one(suite.A1);
      const { methodResponses } = await suite.client.api([
        [
          `${name}/copy`,
          args({ create: { k: from(id), bad: { id: 'x1' } }, onSuccessDestroyOriginal: true }),
          'c',
        ],
        [`${name}/get`, { accountId: suite.A1, ids: [id] }, 'g'],
      ]);
      expect(methodResponses.map(([answer, , callId]) => [answer, callId])).toEqual([
        [`${name}/copy`, 'c'],
        [`${name}/set`, 'c'],
        [`${name}/get`, 'g'],
      ]);
      const set = asSet(at(methodResponses, 1)[1]);
      expect(set).toEqual({
        accountId: suite.A1,
        oldState: expect.any(String),
        newState: String(Number(set.oldState) + 1),
        created: null,
        updated: null,
        destroyed: [id],
        notCreated: null,
        notUpdated: null,
        notDestroyed: null,
      });
      expect(at(methodResponses, 2)[1]['notFound']).toEqual([id]);
    });

    it('case 405, 5.4: a stale destroyFromIfInState stops the destroying alone', async () => {
      const id = await suite.one(suite.A1);
      const { methodResponses } = await suite.client.api([
        [
          `${name}/copy`,
          args({
            create: { k: from(id) },
            onSuccessDestroyOriginal: true,
            destroyFromIfInState: 'stale',
          }),
          'c',
        ],
      ]);
      expect(Object.keys(asSet(at(methodResponses, 0)[1]).created ?? {})).toEqual(['k']);
      expect(at(methodResponses, 1)).toEqual([
        'error',
        { type: 'stateMismatch', description: expect.any(String) },
        'c',
      ]);
      expect((await suite.client.get(name, { accountId: suite.A1, ids: [id] })).list).toHaveLength(
        1,
      );
    });

    it('case 406: without a successful copy there is no second response', async () => {
      const create = { k: { id: 'x1' } };
      const { methodResponses } = await suite.client.api([
        [`${name}/copy`, args({ create, onSuccessDestroyOriginal: true }), 'c'],
      ]);
      expect(methodResponses).toHaveLength(1);
    });

    it('case 410, 5.4: a copy is created in /changes of the target', async () => {
      const id = await suite.one(suite.A1);
      const sinceState = await suite.state(suite.A2);
      const answer = await copy({ create: { k: from(id) } });
      const made = entry(answer.created, 'k').id;
      const changes = await suite.client.changes(name, { accountId: suite.A2, sinceState });
      expect([changes.created, changes.updated, changes.destroyed]).toEqual([[made], [], []]);
    });

    suite.with('queryChanges')('case 410, 5.4: and in its /queryChanges', async () => {
      const id = await suite.one(suite.A1);
      const { queryState } = await suite.client.query(name, { accountId: suite.A2 });
      const answer = await copy({ create: { k: from(id) } });
      const made = entry(answer.created, 'k').id;
      const query = await suite.client.queryChanges(name, {
        accountId: suite.A2,
        sinceQueryState: queryState,
      });
      expect(query.added.map((item) => item.id)).toEqual([made]);
    });

    it('case 413, 5.4: creation ids of /copy are known to later calls', async () => {
      const id = await suite.one(suite.A1, 'copied');
      const answer = await suite.client.api(
        [
          [`${name}/copy`, args({ create: { k: from(id) } }), 'c'],
          [`${name}/get`, { accountId: suite.A2, ids: ['#k'], properties: [text] }, 'g'],
        ],
        { createdIds: {} },
      );
      const made = entry(asSet(at(answer.methodResponses, 0)[1]).created, 'k').id;
      expect(at(answer.methodResponses, 1)[1]['list']).toEqual([{ id: made, [text]: 'copied' }]);
      expect(answer.createdIds).toEqual({ k: made });
    });

    it('case 415, 5.4: more than maxObjectsInSet objects are requestTooLarge', async () => {
      const create = Object.fromEntries(
        Array.from({ length: 1001 }, (_, index) => [`k${index}`, { id: 'x1' }]),
      );
      expect(await refused({ create })).toEqual(err('requestTooLarge'));
    });

    it('case 416, 5.4: create and fromAccountId are required', async () => {
      for (const create of [undefined, null]) {
        expect(await refused({ create })).toEqual(err('invalidArguments', 'create'));
      }
      expect(await refused({ fromAccountId: undefined, create: {} })).toEqual(
        err('invalidArguments', 'fromAccountId'),
      );
    });
  });
}
