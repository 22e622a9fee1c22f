import { describe, expect, expectTypeOf, it } from 'vitest';
import type { Call } from '../../src/call/methods.js';
import { type Id, MethodError, type Outcome } from '../../src/index.js';
import { TRANSPORTS, useTodos } from '../support/todos.js';

describe.each(TRANSPORTS)('by %s', (_, over) => {
  const served = useTodos({ over });

  describe('a batch', () => {
    it('of three calls with references is one request with the right pointers', async () => {
      const me = (await served.connect()).account();
      await me.Todo.set({ create: { a: { text: 'one' }, b: { text: 'two', done: true } } });
      const before = served.proxy().api().length;
      const { open, notes } = await me.batch((b) => {
        const found = b.Todo.query({ filter: { done: false }, sort: ['-created', 'text'] });
        const open = b.Todo.get({ ids: found.ids, properties: ['text'] });
        const notes = b.Note.get({ ids: open.list.map((todo) => todo.id) as never });
        return { open, notes };
      });
      expect(open.list.map(({ text }) => text)).toEqual(['one']);
      expect(notes.notFound).toEqual(open.list.map(({ id }) => id));
      expectTypeOf(open.list).toEqualTypeOf<
        readonly { readonly id: Id<'Todo'>; readonly text: string }[]
      >();
      const { id: accountId } = me;
      const sort = [
        { property: 'created', isAscending: false },
        { property: 'text', isAscending: true },
      ];
      const found = { resultOf: '0', name: 'Todo/query', path: '/ids' };
      const shown = { resultOf: '1', name: 'Todo/get', path: '/list/*/id' };
      expect(served.proxy().api().slice(before)).toEqual([
        {
          using: ['urn:ietf:params:jmap:core', 'urn:example:todos', 'urn:service:notes'],
          methodCalls: [
            ['Todo/query', { accountId, filter: { done: false }, sort }, '0'],
            ['Todo/get', { accountId, '#ids': found, properties: ['text'] }, '1'],
            ['Note/get', { accountId, '#ids': shown }, '2'],
          ],
        },
      ]);
    });

    it('has the answers in the shape that its function returns, even of one call', async () => {
      const me = (await served.connect()).account();
      const one = await me.batch((b) => b.Core.echo({ hello: true }));
      expect(one).toEqual({ hello: true });
      const deep = await me.batch((b) => ({ a: { b: b.Core.echo({ n: 1 }) }, c: b.Todo.get() }));
      expect(deep.a.b).toMatchObject({ n: 1 });
      expect(deep.c.state).toEqual(expect.any(String));
    });

    it('without calls sends nothing', async () => {
      const me = (await served.connect()).account();
      const before = served.proxy().seen.length;
      expect(await me.batch(() => ({}))).toEqual({});
      expect(served.proxy().seen.length).toBe(before);
    });

    it('with a reference of another batch sends nothing', async () => {
      const me = (await served.connect()).account();
      let ids: readonly Id<'Todo'>[] | null = null;
      await me.batch((b) => {
        const found = b.Todo.query();
        ids = found.ids as never;
        return found;
      });
      const before = served.proxy().api().length;
      const promise = me.batch((b) => b.Todo.get({ ids }));
      await expect(promise).rejects.toThrow('The reference to Todo/query is of another batch.');
      expect(served.proxy().api().length).toBe(before);
    });

    it('that returns a call of another batch rejects', async () => {
      const me = (await served.connect()).account();
      const others: Call<unknown>[] = [];
      await me.batch((b) => {
        others.push(b.Todo.query());
        return {};
      });
      const other = others[0] as Call<unknown>;
      const message = 'The reference to Todo/query is of another batch.';
      await expect(me.batch(() => ({ other }))).rejects.toThrow(message);
      await expect(me.settled(() => ({ other }))).rejects.toThrow(message);
    });

    it('names in later calls what it creates', async () => {
      const me = (await served.connect()).account();
      const { made, read } = await me.batch((b) => ({
        made: b.Todo.set({ create: { k: { text: 'new' } } }),
        read: b.Todo.get({ ids: ['#k'] }),
      }));
      expect(read.list).toMatchObject([{ id: made.created?.k?.id, text: 'new' }]);
    });

    it('rejects with its first error, although other calls succeed', async () => {
      const me = (await served.connect()).account();
      const promise = me.batch((b) => {
        const good = b.Core.echo({});
        b.Todo.changes({ sinceState: 'nonsense' });
        b.Todo.set({ ifInState: 'other' });
        return { good };
      });
      await expect(promise).rejects.toBeInstanceOf(MethodError);
      await expect(promise).rejects.toMatchObject({ type: 'cannotCalculateChanges' });
    });

    it('takes a reference to a member whose name needs escapes', async () => {
      const me = (await served.connect()).account();
      const { second } = await me.batch((b) => {
        const first = b.Core.echo({ 'a/b~c': [{ map: 1 }, { map: 2 }] });
        const list = first['a/b~c'] as never as { map(pick: (item: never) => unknown): unknown };
        const second = b.Core.echo({ x: list.map(({ map }) => map) });
        return { second };
      });
      expect(second['x']).toEqual([1, 2]);
    });

    it('waits for no call within it: a call is no thenable', async () => {
      const me = (await served.connect()).account();
      const { echo } = await me.batch((b) => {
        const echo = b.Core.echo({});
        expect('then' in echo).toBe(false);
        expect((echo as { readonly then?: unknown }).then).toBeUndefined();
        return { echo };
      });
      expect(echo).toEqual({});
    });
  });

  describe('settled', () => {
    it('has the outcome of each call', async () => {
      const me = (await served.connect()).account();
      const { good, bad, after } = await me.settled((b) => {
        const good = b.Todo.get({ ids: [] });
        const bad = b.Todo.changes({ sinceState: 'nonsense' });
        const after = b.Todo.get({ ids: bad.created });
        return { good, bad, after };
      });
      expect(good.ok && good.value.list).toEqual([]);
      expect(bad.ok ? null : bad.error).toMatchObject({ type: 'cannotCalculateChanges' });
      expect(after.ok ? null : after.error).toMatchObject({ type: 'invalidResultReference' });
      expectTypeOf(after).toExtend<Outcome<{ readonly state: string }>>();
    });

    it('gives each call the error of their request', async () => {
      const me = (await served.connect({ retry: 0 })).account();
      const body = { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxSizeRequest' };
      served.proxy().decideNext({ status: 400, body });
      const outcomes = await me.settled((b) => ({ a: b.Todo.get(), c: b.Note.get() }));
      const error = expect.objectContaining({
        type: 'limit',
        limit: 'maxSizeRequest',
        status: 400,
      });
      expect(outcomes).toEqual({ a: { ok: false, error }, c: { ok: false, error } });
    });
  });

  describe('an account', () => {
    it('has a member for each type, and is one object', async () => {
      const client = await served.connect();
      const me = client.account();
      expect(client.account(served.fixtures().A1)).toBe(me);
      expect(Object.keys(me).sort()).toEqual([
        ...['Core', 'Note', 'Todo', 'batch', 'blobUrl', 'download', 'id', 'settled', 'upload'],
      ]);
      expect(Object.keys(me.Todo)).toEqual([
        ...['get', 'changes', 'set', 'copy', 'query', 'queryChanges'],
      ]);
    });

    it('that is unknown gives an error for each call', async () => {
      const other = (await served.connect()).account('nobody');
      await expect(other.Todo.get()).rejects.toMatchObject({
        type: 'accountNotFound',
        method: 'Todo/get',
      });
    });
  });

  it('raw sends calls as they are, and resolves to the whole response', async () => {
    const client = await served.connect();
    const core = 'urn:ietf:params:jmap:core';
    const response = await client.raw([core], [['Core/echo', { a: 1 }, 'x']]);
    expect(response).toEqual({
      methodResponses: [['Core/echo', { a: 1 }, 'x']],
      sessionState: client.session.state,
    });
  });
});
