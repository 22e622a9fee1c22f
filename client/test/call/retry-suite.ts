import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import type { ConnectOptions } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

/** The tests of repeated requests, with these options of each `connect`. */
export function retrySuite(over: Partial<ConnectOptions>): void {
  const served = useTodos({ over });

  const LATER = { 'retry-after': '0' };

  const create = { k: { text: 'once' } };

  /** How many requests of a call reach the proxy, and what becomes of it. */
  async function tryCall(call: () => Promise<unknown>): Promise<readonly [unknown, number]> {
    const before = served.proxy().api().length;
    const outcome = await call().then(
      () => 'answered',
      (error: { readonly type: string }) => error.type,
    );
    return [outcome, served.proxy().api().length - before];
  }

  describe('a server that is busy', () => {
    it.each([429, 503])('is waited for after a %i with Retry-After', async (status) => {
      const me = (await served.connect()).account();
      const busy = { status, headers: LATER };
      served.proxy().decideNext(busy, busy);
      expect(await tryCall(() => me.Todo.set({ create }))).toEqual(['answered', 3]);
    });

    it('is asked again after as many seconds as it says, or at its date', async () => {
      const me = (await served.connect()).account();
      const waits = vi.spyOn(globalThis, 'setTimeout');
      const date = new Date(Date.now() + 2500).toUTCString();
      const after = (text: string) => ({ status: 503, headers: { 'retry-after': text } });
      served.proxy().decideNext(after('1'), after(date));
      expect(await tryCall(() => me.Todo.get())).toEqual(['answered', 3]);
      const times = waits.mock.calls.map(([, time = 0]) => time);
      expect(times).toContain(1000);
      expect(times.some((time) => time > 0 && time < 2500 && time !== 1000)).toBe(true);
    });

    it('is waited for no longer than the option says', async () => {
      const me = (await served.connect({ retry: 5000 })).account();
      served.proxy().decideNext({ status: 429, headers: { 'retry-after': '6' } });
      const error = await me.Todo.get().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ type: 'http', status: 429, retryAfter: 6 });
      served.proxy().decideNext({ status: 429, headers: { 'retry-after': '61' } });
      const patient = (await served.connect()).account();
      expect(await tryCall(() => patient.Todo.get())).toEqual(['http', 1]);
    });

    it('that runs too many requests of the user is asked again', async () => {
      const me = (await served.connect()).account();
      const type = 'urn:ietf:params:jmap:error:limit';
      served.proxy().decideNext({ status: 400, body: { type, limit: 'maxConcurrentRequests' } });
      expect(await tryCall(() => me.Todo.set({ create }))).toEqual(['answered', 2]);
    });

    it('gets no more requests at once than it takes', async () => {
      const client = await served.connect();
      const limits = client.session.capabilities['urn:ietf:params:jmap:core'];
      const most = limits?.['maxConcurrentRequests'];
      expect(most).toEqual(expect.any(Number));
      served.proxy().decide(({ path }) => (path === '/jmap' ? 'hang' : 'pass'));
      const calls = Array.from({ length: 40 }, () => client.account().Todo.get());
      const ended = Promise.allSettled(calls);
      await eventually(() => expect(served.proxy().api().length).toBe(most), 20_000);
      await served.connect();
      expect(served.proxy().api().length).toBe(most);
      await client.close();
      await ended;
    });

    it('answers more calls than it takes at once', async () => {
      const me = (await served.connect()).account();
      const answers = await Promise.all(Array.from({ length: 40 }, () => me.Todo.get()));
      expect([answers.length, served.proxy().api().length]).toEqual([40, 40]);
    });
  });

  describe('a call whose outcome is unknown', () => {
    it.each(['drop', 'lose', { status: 502 }, { status: 504 }, { status: 503 }] as const)(
      'is not repeated where it writes (%j)',
      async (fate) => {
        const me = (await served.connect()).account();
        served.proxy().decideNext(fate);
        const type = typeof fate === 'string' ? 'transport' : 'http';
        expect(await tryCall(() => me.Todo.set({ create }))).toEqual([type, 1]);
        served.proxy().decideNext(fate);
        const mixed = () => me.batch((b) => ({ a: b.Todo.get(), b: b.Core.echo({}) }));
        expect(await tryCall(mixed)).toEqual([type, 1]);
      },
    );

    it.each(['drop', 'lose', { status: 502 }, { status: 504 }, { status: 503 }] as const)(
      'is repeated where it reads (%j)',
      async (fate) => {
        const me = (await served.connect()).account();
        served.proxy().decideNext(fate, fate);
        const reading = () =>
          me.batch((b) => {
            const found = b.Todo.query();
            return { todos: b.Todo.get({ ids: found.ids }) };
          });
        expect(await tryCall(reading)).toEqual(['answered', 3]);
      },
    );

    it('is repeated three times at most', async () => {
      const me = (await served.connect()).account();
      served.proxy().decideNext('drop', 'drop', 'drop', 'drop', 'drop');
      expect(await tryCall(() => me.Todo.get())).toEqual(['transport', 4]);
    });
  });

  it('a refused call is not repeated', async () => {
    const me = (await served.connect()).account();
    served.proxy().decideNext({ status: 400 });
    expect(await tryCall(() => me.Todo.get())).toEqual(['http', 1]);
    expect(await tryCall(() => me.Todo.changes({ sinceState: 'x' }))).toEqual([
      'cannotCalculateChanges',
      1,
    ]);
  });

  describe('a rule of the server for its users', () => {
    const limited = useTodos({ over, env: { RATE_LIMITS: 'user:5/1s' } });

    it('is kept: calls wait, and none is lost', async () => {
      const me = (await limited.connect()).account();
      const calls = Array.from({ length: 12 }, (_, n) =>
        me.Todo.set({ create: { [n]: { text: '' } } }),
      );
      await Promise.all(calls);
      const { list } = await me.Todo.get();
      expect(list.length).toBe(12);
    });
  });
}
