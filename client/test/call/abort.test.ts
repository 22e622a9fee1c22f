import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { TRANSPORTS, useTodos } from '../support/todos.js';

describe.each(TRANSPORTS)('by %s', (_, over) => {
  const served = useTodos({ over });

  describe('an abort', () => {
    // By a WebSocket nothing tells a server that an answer is of no use any more.
    const isRequest = over.transport === undefined;
    it(`ends the calls with its reason${isRequest ? ', and their request' : ''}`, async () => {
      const me = (await served.connect()).account();
      served.proxy().decideNext('hang');
      const controller = new AbortController();
      const options = { signal: controller.signal };
      const before = served.proxy().api().length;
      const left = served.proxy().left();
      const promise = me.batch((b) => ({ a: b.Todo.get() }), options);
      await eventually(() => expect(served.proxy().api().length).toBe(before + 1), 20_000);
      const reason = new Error('The user went on.');
      controller.abort(reason);
      await expect(promise).rejects.toBe(reason);
      if (isRequest) await eventually(() => expect(served.proxy().left()).toBe(left + 1), 20_000);
    });

    it('rejects settled too, and raw', async () => {
      const client = await served.connect();
      served.proxy().decide(() => 'hang');
      const controller = new AbortController();
      const options = { signal: controller.signal };
      const settled = client.account().settled((b) => ({ a: b.Todo.get() }), options);
      const raw = client.raw([], [], options);
      controller.abort('enough');
      await expect(settled).rejects.toBe('enough');
      await expect(raw).rejects.toBe('enough');
    });

    it('that came before sends nothing', async () => {
      const me = (await served.connect()).account();
      const before = served.proxy().seen.length;
      const promise = me.batch((b) => ({ a: b.Todo.get() }), { signal: AbortSignal.abort('no') });
      await expect(promise).rejects.toBe('no');
      expect(served.proxy().seen.length).toBe(before);
    });

    it('ends the wait for a busy server', async () => {
      const me = (await served.connect()).account();
      served.proxy().decideNext({ status: 429, headers: { 'retry-after': '50' } });
      const controller = new AbortController();
      const before = served.proxy().api().length;
      const promise = me.batch((b) => ({ a: b.Todo.get() }), { signal: controller.signal });
      await eventually(() => expect(served.proxy().api().length).toBe(before + 1), 20_000);
      controller.abort('no');
      await expect(promise).rejects.toBe('no');
    });

    it('ends the wait for a token', async () => {
      const tokens = [
        Promise.resolve(served.fixtures().u1.token),
        new Promise<string>(() => undefined),
      ];
      const client = await served.connect({ token: () => tokens.shift() ?? '' });
      served.proxy().decide(({ method }) => (method === 'POST' ? { status: 401 } : 'pass'));
      const controller = new AbortController();
      const options = { signal: controller.signal };
      const promise = client.account().batch((b) => ({ a: b.Todo.get() }), options);
      await eventually(() => expect(tokens.length).toBe(0), 20_000);
      controller.abort('no');
      await expect(promise).rejects.toBe('no');
    });

    it('of one call leaves the others', async () => {
      const me = (await served.connect()).account();
      const controller = new AbortController();
      const ended = me.batch((b) => ({ a: b.Todo.get() }), { signal: controller.signal });
      const other = me.Note.get();
      controller.abort('no');
      await expect(ended).rejects.toBe('no');
      await expect(other).resolves.toMatchObject({ list: [] });
    });
  });

  it('close ends open calls, and those to come', async () => {
    const client = await served.connect();
    served.proxy().decideNext('hang');
    const open = client.account().Todo.get();
    const rejected = expect(open).rejects.toMatchObject({ name: 'AbortError' });
    await client.close();
    await rejected;
    const before = served.proxy().seen.length;
    await expect(client.account().Todo.get()).rejects.toMatchObject({ name: 'AbortError' });
    expect(served.proxy().seen.length).toBe(before);
  });
});
