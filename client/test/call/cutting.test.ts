import { describe, expect, it } from 'vitest';
import type { Request } from '../../src/transport/transport.js';
import { TRANSPORTS, useTodos } from '../support/todos.js';

describe.each(TRANSPORTS)('by %s', (_, over) => {
  const served = useTodos(
    { over, env: { MAX_SIZE_REQUEST: '300000', MAX_CALLS_IN_REQUEST: '8' } },
    ['A2'],
  );

  const manyTodos = (count: number, prefix = 'k') =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`${prefix}${n}`, { text: `${prefix}${n}` }]),
    );

  /** The methods of each request, with the number of objects in each call. */
  const shapesOf = (requests: readonly Request[]) =>
    requests.map(({ methodCalls }) =>
      methodCalls.map(([name, args]) => {
        const { ids, create, update, destroy } = args as Record<string, object>;
        const objects = [ids, create, update, destroy].map(
          (each) => Object.keys(each ?? {}).length,
        );
        return `${name} ${objects.reduce((sum, each) => sum + each, 0)}`;
      }),
    );

  describe('2,500 objects', () => {
    it('are created by three calls of one request, with errors by key', async () => {
      const me = (await served.connect()).account();
      const create = { ...manyTodos(1200), bad: { text: 7 as never }, ...manyTodos(1299, 'm') };
      const before = served.proxy().api().length;
      const answer = await me.Todo.set({ create });
      expect(Object.keys(answer.created ?? {}).length).toBe(2499);
      expect(answer.notCreated).toMatchObject({ bad: { type: 'invalidProperties' } });
      const requests = served.proxy().api().slice(before);
      expect(shapesOf(requests)).toEqual([['Todo/set 1000', 'Todo/set 1000', 'Todo/set 500']]);
      expect(answer.newState).toBe((await me.Todo.get({ ids: [] })).state);
    });

    it('are read by three calls, and the answer has them in order', async () => {
      const me = (await served.connect()).account();
      const made = await me.Todo.set({ create: manyTodos(1500, 'r') });
      const known = Object.values(made.created ?? {}).map((todo) => todo?.id ?? '');
      const unknown = Array.from({ length: 1000 }, (_, n) => `none${n}`);
      const ids = [...known, ...unknown];
      const before = served.proxy().api().length;
      const answer = await me.Todo.get({ ids, properties: ['text'] });
      expect(answer.list.map(({ id }) => id)).toEqual(known);
      expect(answer.notFound).toEqual(unknown);
      const requests = served.proxy().api().slice(before);
      expect(shapesOf(requests)).toEqual([['Todo/get 1000', 'Todo/get 1000', 'Todo/get 500']]);
    });

    it('are copied by three calls', async () => {
      const client = await served.connect();
      const { A1, A2 } = served.fixtures();
      const made = await client.account().Todo.set({ create: manyTodos(2500, 'c') });
      const create = Object.fromEntries(
        Object.entries(made.created ?? {}).map(([key, todo]) => [key, { id: todo?.id ?? '' }]),
      );
      const answer = await client.account(A2).Todo.copy({ fromAccountId: A1, create });
      expect(Object.keys(answer.created ?? {}).length).toBe(2500);
    });
  });

  describe('a /set with ifInState that is cut', () => {
    it('goes on from the state of the part before', async () => {
      const me = (await served.connect()).account();
      const { state } = await me.Todo.get({ ids: [] });
      const before = served.proxy().api().length;
      const answer = await me.Todo.set({ ifInState: state, create: manyTodos(2100, 's') });
      expect([answer.oldState, Object.keys(answer.created ?? {}).length]).toEqual([state, 2100]);
      const [first, second, third] = served.proxy().api()[before]?.methodCalls ?? [];
      expect(first?.[1]['ifInState']).toBe(state);
      const reference = (resultOf: string) => ({ resultOf, name: 'Todo/set', path: '/newState' });
      expect([second?.[1]['#ifInState'], third?.[1]['#ifInState']]).toEqual([
        reference('0'),
        reference('0.1'),
      ]);
    });

    it('takes the state from an earlier call of the batch', async () => {
      const me = (await served.connect()).account();
      const { read, set } = await me.batch((b) => {
        const read = b.Todo.get({ ids: [] });
        const set = b.Todo.set({ ifInState: read.state, create: manyTodos(1500, 'f') });
        return { read, set };
      });
      expect([set.oldState, Object.keys(set.created ?? {}).length]).toEqual([read.state, 1500]);
    });

    it('makes nothing in another state', async () => {
      const me = (await served.connect()).account();
      const promise = me.Todo.set({ ifInState: 'other', create: manyTodos(2100, 's') });
      await expect(promise).rejects.toMatchObject({ type: 'stateMismatch' });
    });

    it('goes on over several requests, and tells what is done when one of them fails', async () => {
      const me = (await served.connect({ retry: 0 })).account();
      const { state } = await me.Todo.get({ ids: [] });
      const long = 'x'.repeat(400);
      const create = Object.fromEntries(
        Array.from({ length: 1500 }, (_, n) => [`p${n}`, { text: `${long}${n}` }]),
      );
      const before = served.proxy().api().length;
      const { set } = await me.settled((b) => ({ set: b.Todo.set({ ifInState: state, create }) }));
      expect(set.ok && Object.keys(set.value.created ?? {}).length).toBe(1500);
      const requests = served.proxy().api().slice(before);
      expect(requests.length).toBeGreaterThan(2);
      expect(requests.every(({ methodCalls }) => methodCalls.length === 1)).toBe(true);
      for (const request of requests) expect(JSON.stringify(request).length).toBeLessThan(300_000);

      served.proxy().decideNext('pass', { status: 500 });
      const { half } = await me.settled((b) => ({ half: b.Todo.set({ create }) }));
      expect(half.ok ? null : half.error).toMatchObject({ type: 'http', status: 500 });
      const done = Object.keys((half.ok ? null : half.partial?.created) ?? {}).length;
      expect(shapesOf(requests)[0]).toEqual([`Todo/set ${done}`]);
    });
  });

  describe('a reference to more ids than a /get takes', () => {
    it('is resolved by the client, with the calls that depend on it', async () => {
      const me = (await served.connect()).account();
      await me.Todo.set({ create: manyTodos(1300, 'q') });
      const before = served.proxy().api().length;
      const { found, todos, notes } = await me.batch((b) => {
        const found = b.Todo.query({ sort: ['-created'] });
        const todos = b.Todo.get({ ids: found.ids, properties: ['text'] });
        const notes = b.Note.get({ ids: todos.list.map((todo) => todo.id) as never });
        return { found, todos, notes };
      });
      expect(found.ids.length).toBeGreaterThan(1300);
      expect(todos.list.map(({ id }) => id)).toEqual(found.ids);
      expect(notes.notFound).toEqual(found.ids);
      const shapes = shapesOf(served.proxy().api().slice(before));
      expect(shapes[0]).toEqual(['Todo/query 0', 'Todo/get 0', 'Note/get 0']);
      expect(shapes.slice(1).flat()).not.toContain('Todo/query 0');
    });

    it('is sent again alone: what the request has changed is not changed twice', async () => {
      const me = (await served.connect()).account();
      await me.Todo.set({ create: manyTodos(1300, 'w') });
      const before = await me.Note.get();
      const { after } = await me.batch((b) => {
        const found = b.Todo.query();
        b.Todo.get({ ids: found.ids, properties: [] });
        b.Note.set({ create: { n: { title: 'once' } } });
        return { after: b.Note.get() };
      });
      expect(after.list.length).toBe(before.list.length + 1);
    });
  });

  describe('more calls than a request may have', () => {
    it('are several requests, and references reach over them', async () => {
      const me = (await served.connect()).account();
      const before = served.proxy().api().length;
      const { last } = await me.batch((b) => {
        const made = b.Todo.set({ create: { z: { text: 'far' } } });
        for (let n = 0; n < 10; n += 1) b.Core.echo({ n });
        const { newState: sinceState } = made;
        b.Todo.changes({ sinceState });
        return { last: b.Todo.get({ ids: ['#z'] }) };
      });
      expect(last.list).toMatchObject([{ text: 'far' }]);
      const requests = served.proxy().api().slice(before);
      expect(requests.map(({ methodCalls }) => methodCalls.length)).toEqual([8, 5]);
      expect(requests[0]?.createdIds).toBeUndefined();
      expect(requests[1]?.createdIds).toEqual({ z: last.list[0]?.id });
      expect(requests[1]?.methodCalls[3]?.[1]['sinceState']).toEqual(expect.any(String));
    });
  });
});
