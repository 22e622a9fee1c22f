import { expect } from 'vitest';
import type { StandardMethodName } from '../../../src/capability/definition.js';
import { type Call, CORE } from '../../support/client.js';
import { at, err, methodError } from '../../support/expected.js';
import type { Suite } from '../suite.js';

/** Section C of cases.md: dispatch and method-level errors (RFC 8620 3.2 to 3.6.2, 3.9, 3.10). */
export function dispatchCases(suite: Suite): void {
  const { profile, describe, it } = suite;
  const { name } = profile;

  /** Each method that the type has with arguments that are right but for `wrong`. */
  const calls = (accountId: string | undefined): readonly (readonly [string, object])[] => {
    const account = accountId === undefined ? {} : { accountId };
    const all = [
      ['get', { ...account, ids: [] }],
      ['set', { ...account }],
      ['changes', { ...account, sinceState: '0' }],
      ['query', { ...account }],
      ['queryChanges', { ...account, sinceQueryState: '0' }],
      ['copy', { ...account, fromAccountId: suite.A2, create: {} }],
    ] as const;
    return all.flatMap(([verb, args]) => (suite.has(verb) ? [[`${name}/${verb}`, args]] : []));
  };

  describe(`${name}: C. dispatch and method-level errors`, () => {
    it('case 73, 3.3: without the capability in `using` each method is unknownMethod', async () => {
      const client = suite.client.with([CORE]);
      for (const [method, args] of calls(suite.A1)) {
        expect(await client.call(method, args)).toEqual(err('unknownMethod'));
      }
    });

    it('case 76, 3.2: method names are matched exactly', async () => {
      for (const method of [
        `${name.toLowerCase()}/get`,
        `${name}/Get`,
        `${name}/get `,
        `${name}`,
        `${name}/`,
        '',
        'toString',
        '__proto__',
        'constructor',
      ]) {
        expect(await suite.client.call(method, { accountId: suite.A1 })).toEqual(
          err('unknownMethod'),
        );
      }
    });

    it('3.6.2: a method that the type leaves out is unknownMethod', async () => {
      for (const verb of suite.missing)
        expect(await suite.client.call(`${name}/${verb}`, { accountId: suite.A1 })).toEqual(
          err('unknownMethod'),
        );
    });

    it('case 78, 3.4: responses come in the order of the calls, each with its id', async () => {
      const ids = ['z', 'a', 'm', 'a', 'b'];
      const invocations = ids.map(
        (id): Call => [`${name}/get`, { accountId: suite.A1, ids: [] }, id],
      );
      const { methodResponses } = await suite.client.api(invocations);
      expect(methodResponses.map(([, , id]) => id)).toEqual(ids);
    });

    it('case 80, 3.2: any string is a call id and comes back unchanged', async () => {
      const ids = ['', 'x'.repeat(10_240), '"quoted" \\ 🦊 \u0000', '__proto__'];
      const invocations = ids.map((id): Call => ['Core/echo', {}, id]);
      const { methodResponses } = await suite.client.api(invocations);
      expect(methodResponses).toEqual(ids.map((id) => ['Core/echo', {}, id]));
    });

    it('case 81, 3.6.2: an error of one call leaves its neighbours alone', async () => {
      const { methodResponses } = await suite.client.api([
        ['Core/echo', { n: 1 }, 'a'],
        [`${name}/get`, { accountId: suite.A1, ids: 'x' }, 'b'],
        ['Core/echo', { n: 3 }, 'c'],
      ]);
      expect(methodResponses).toEqual([
        ['Core/echo', { n: 1 }, 'a'],
        ['error', methodError('invalidArguments', 'ids'), 'b'],
        ['Core/echo', { n: 3 }, 'c'],
      ]);
    });

    it('case 83, decision 11: a missing accountId is invalidArguments', async () => {
      for (const [method, args] of calls(undefined)) {
        expect(await suite.client.call(method, args)).toEqual(err('invalidArguments', 'accountId'));
      }
    });

    it('case 85, 3.6.2: an unknown accountId is accountNotFound', async () => {
      for (const [method, args] of calls(suite.fixtures().unknownAccount)) {
        expect(await suite.client.call(method, args)).toEqual(err('accountNotFound'));
      }
    });

    it("case 86, 3.6.2: another user's account is answered as an unknown one", async () => {
      const { AX, unknownAccount } = suite.fixtures();
      const theirs = calls(AX);
      const unknown = calls(unknownAccount);
      for (const [index, [method, args]] of theirs.entries()) {
        const answer = await suite.client.call(method, args);
        expect(answer).toEqual(err('accountNotFound'));
        const other = await suite.client.call(method, at(unknown, index)[1]);
        const anonymous = (text: unknown) =>
          JSON.stringify(text).replaceAll(AX, '-').replaceAll(unknownAccount, '-');
        expect(anonymous(answer)).toBe(anonymous(other));
      }
    });

    it('decision 11: an account without the type is accountNotSupportedByMethod', async () => {
      const without = suite.accountWithout;
      for (const [method, args] of calls(without)) {
        expect(await suite.client.call(method, args)).toEqual(err('accountNotSupportedByMethod'));
      }
    });

    it('case 88, 3.6.2: writes to a read-only account are accountReadOnly, reads work', async () => {
      const { AR, A1, u3 } = suite.fixtures();
      const id = await suite.one(A1, 'source');
      const owner = u3.with([CORE, profile.capability]);
      const before = (await owner.get(name, { accountId: AR, ids: null })).state;
      const create = { k: suite.create('x', AR) };
      for (const args of [{ create }, {}, { destroy: [] }, { destroy: ['x1'] }]) {
        expect(await suite.client.call(`${name}/set`, { accountId: AR, ...args })).toEqual(
          err('accountReadOnly'),
        );
      }
      const copy = { fromAccountId: A1, accountId: AR, create: { k: { id } } };
      if (suite.has('copy'))
        expect(await suite.client.call(`${name}/copy`, copy)).toEqual(err('accountReadOnly'));
      expect((await owner.get(name, { accountId: AR, ids: null })).state).toBe(before);

      const { state } = await suite.client.get(name, { accountId: AR, ids: null });
      expect(state).toBe(before);
      await suite.client.changes(name, { accountId: AR, sinceState: state });
      if (!suite.has('queryChanges')) return;
      const { queryState } = await suite.client.query(name, { accountId: AR });
      await suite.client.queryChanges(name, { accountId: AR, sinceQueryState: queryState });
    });

    it('case 90, decision 11: unknown arguments are invalidArguments, which names them', async () => {
      for (const [method, args] of calls(suite.A1)) {
        const wrong = { ...args, foo: 1, 'other name': null };
        expect(await suite.client.call(method, wrong)).toEqual(
          err('invalidArguments', 'foo', 'other name'),
        );
      }
    });

    it('case 91, 3.5: an argument that may be null, given null, counts as absent', async () => {
      const accountId = suite.A1;
      await suite.one(accountId);
      const all = await suite.client.get(name, { accountId });
      expect(await suite.client.get(name, { accountId, ids: null, properties: null })).toEqual(all);
      const state = all.state;
      const changes = { accountId, sinceState: state };
      expect(await suite.client.changes(name, { ...changes, maxChanges: null })).toEqual(
        await suite.client.changes(name, changes),
      );
      const set = { accountId, ifInState: null, create: null, update: null, destroy: null };
      expect(await suite.client.set(name, set)).toEqual({
        accountId,
        oldState: state,
        newState: state,
        created: null,
        updated: null,
        destroyed: null,
        notCreated: null,
        notUpdated: null,
        notDestroyed: null,
      });
    });

    suite.with('queryChanges')('case 91, 3.5: the same for a query', async () => {
      const accountId = suite.A1;
      const nulls = { filter: null, sort: null, anchor: null, limit: null };
      const query = await suite.client.query(name, { accountId });
      expect(await suite.client.query(name, { accountId, ...nulls })).toEqual(query);
      const since = { accountId, sinceQueryState: query.queryState };
      expect(
        await suite.client.queryChanges(name, {
          ...since,
          filter: null,
          sort: null,
          maxChanges: null,
          upToId: null,
        }),
      ).toEqual(await suite.client.queryChanges(name, since));
    });

    const wrongTypes: readonly (readonly [StandardMethodName, string, object])[] = [
      ['get', 'ids', { ids: 'x' }],
      ['get', 'ids', { ids: {} }],
      ['get', 'ids', { ids: [1] }],
      ['get', 'ids', { ids: [null] }],
      ['get', 'properties', { properties: 'text' }],
      ['get', 'properties', { properties: [1] }],
      ['query', 'limit', { limit: '5' }],
      ['query', 'limit', { limit: 1.5 }],
      ['query', 'position', { position: 1.5 }],
      ['query', 'anchor', { anchor: 1 }],
      ['query', 'anchorOffset', { anchorOffset: '1' }],
      ['query', 'calculateTotal', { calculateTotal: 'yes' }],
      ['query', 'sort', { sort: {} }],
      ['query', 'filter', { filter: [] }],
      ['query', 'filter', { filter: 'x' }],
      ['changes', 'maxChanges', { sinceState: '0', maxChanges: '3' }],
      ['changes', 'sinceState', { sinceState: 3 }],
      ['queryChanges', 'sinceQueryState', { sinceQueryState: 3 }],
      ['queryChanges', 'upToId', { sinceQueryState: '0', upToId: 1 }],
      ['queryChanges', 'calculateTotal', { sinceQueryState: '0', calculateTotal: 1 }],
      ['set', 'create', { create: [] }],
      ['set', 'update', { update: 'x' }],
      ['set', 'destroy', { destroy: {} }],
      ['set', 'destroy', { destroy: [1] }],
      ['set', 'ifInState', { ifInState: 1 }],
      ['copy', 'create', { create: [] }],
      ['copy', 'fromAccountId', { fromAccountId: 1, create: {} }],
      ['copy', 'onSuccessDestroyOriginal', { create: {}, onSuccessDestroyOriginal: 'yes' }],
      ['copy', 'ifFromInState', { create: {}, ifFromInState: 1 }],
    ];
    it('case 93, 3.6.2: an argument with a wrong type is invalidArguments', async () => {
      for (const [verb, argument, wrong] of wrongTypes) {
        if (!suite.has(verb)) continue;
        const from = verb === 'copy' ? { fromAccountId: suite.A2 } : {};
        const args = { accountId: suite.A1, ...from, ...wrong };
        const answer = await suite.client.call(`${name}/${verb}`, args);
        expect({ verb, wrong, answer }).toEqual({
          verb,
          wrong,
          answer: err('invalidArguments', argument),
        });
      }
    });

    it('case 93, 3.6.2: an accountId that is no string is invalidArguments', async () => {
      for (const accountId of [1, null, [], {}, true]) {
        expect(await suite.client.call(`${name}/get`, { accountId, ids: [] })).toEqual(
          err('invalidArguments', 'accountId'),
        );
      }
    });

    it('case 95, 3.6.2: after a method-level error of a /set all is as before', async () => {
      const id = await suite.one(suite.A1);
      const before = await suite.snapshot(suite.A1);
      const writes = {
        create: { k: suite.create('new') },
        update: { [id]: { [profile.text]: 'changed' } },
      };
      for (const wrong of [{ foo: 1 }, { destroy: 'x' }, { ifInState: 'no' }, { ifInState: 7 }]) {
        const [answer] = await suite.client.call(`${name}/set`, {
          accountId: suite.A1,
          ...writes,
          ...wrong,
        });
        expect(answer).toBe('error');
      }
      expect(await suite.snapshot(suite.A1)).toEqual(before);
    });

    if (profile.snakeCase) {
      it('decision 19: argument names are accepted in snake_case; both spellings are refused', async () => {
        const [id] = await suite.make(suite.A1, 'snake');
        const answer = await suite.client.get(name, { account_id: suite.A1, ids: [id] });
        expect(answer).toEqual(await suite.client.get(name, { accountId: suite.A1, ids: [id] }));
        expect(
          await suite.client.call(`${name}/get`, { account_id: suite.A1, accountId: suite.A1 }),
        ).toEqual(err('invalidArguments'));
        if (!suite.has('queryChanges')) return;
        const { queryState } = await suite.client.query(name, {
          account_id: suite.A1,
          calculate_total: true,
        });
        await suite.client.queryChanges(name, {
          account_id: suite.A1,
          since_query_state: queryState,
        });
      });
    } else {
      it('decision 19: a type that did not opt in takes camelCase alone', async () => {
        expect(
          await suite.client.call(`${name}/get`, {
            accountId: suite.A1,
            ids: [],
            account_id: suite.A1,
          }),
        ).toEqual(err('invalidArguments', 'account_id'));
      });
    }
  });
}
