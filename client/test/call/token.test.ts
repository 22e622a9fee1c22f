import { describe, expect, it, vi } from 'vitest';
import { NeedsAuthError, TransportError } from '../../src/index.js';
import { useTodos } from '../support/todos.js';

const served = useTodos();

/** A function that gives these tokens in turn, and the last one from then on. */
function makeTokens(...tokens: readonly string[]) {
  let asked = 0;
  return {
    asked: () => asked,
    token: () => {
      asked += 1;
      return Promise.resolve(tokens[Math.min(asked, tokens.length) - 1] ?? '');
    },
  };
}

/** The server refuses this token from now on. */
function expire(token: string): void {
  const refused = `Bearer ${token}`;
  served
    .proxy()
    .decide(({ headers }) => (headers['authorization'] === refused ? { status: 401 } : 'pass'));
}

describe('a token that expires', () => {
  it('is replaced once for all requests that wait, and the calls go on', async () => {
    const { token } = served.fixtures().u1;
    const second = await served.server().tool('scripts/token', ['create', '--user', 'u1']);
    const tokens = makeTokens(token, second);
    const me = (await served.connect({ token: tokens.token })).account();
    expect(tokens.asked()).toBe(1);
    expire(token);
    const calls = Array.from({ length: 6 }, (_, n) =>
      me.Todo.set({ create: { [n]: { text: 'kept' } } }),
    );
    const answers = await Promise.all(calls);
    expect(answers.every(({ notCreated }) => notCreated === null)).toBe(true);
    await me.Todo.get();
    expect(tokens.asked()).toBe(2);
  });

  it('of a real server is replaced', async () => {
    const { token } = served.fixtures().u1;
    const tokens = makeTokens('jms_nonsense', token);
    const me = (await served.connect({ token: tokens.token })).account();
    expect((await me.Todo.get()).state).toEqual(expect.any(String));
    expect(tokens.asked()).toBe(2);
  });
});

describe('a token that is refused', () => {
  it('rejects connect with a NeedsAuthError', async () => {
    await expect(served.connect({ token: 'nonsense' })).rejects.toBeInstanceOf(NeedsAuthError);
    expect(served.proxy().seen.length).toBe(1);
  });

  it('is tried once a minute, whatever is called', async () => {
    const { token } = served.fixtures().u1;
    const tokens = makeTokens(token, 'bad', 'worse', token);
    const me = (await served.connect({ token: tokens.token })).account();
    served.proxy().decide(() => ({ status: 401 }));
    const refused = { name: 'NeedsAuthError', type: 'needsAuth' };
    await expect(me.Todo.get()).rejects.toMatchObject(refused);
    expect([tokens.asked(), served.proxy().api().length]).toEqual([2, 2]);
    for (let n = 0; n < 20; n += 1) await expect(me.Todo.get()).rejects.toMatchObject(refused);
    expect([tokens.asked(), served.proxy().api().length]).toEqual([2, 2]);

    const later = Date.now() + 61_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(later);
    for (let n = 0; n < 5; n += 1) await expect(me.Todo.get()).rejects.toMatchObject(refused);
    expect([tokens.asked(), served.proxy().api().length]).toEqual([3, 3]);

    clock.mockReturnValue(later + 61_000);
    served.proxy().decide(() => 'pass');
    expect((await me.Todo.get()).state).toEqual(expect.any(String));
    clock.mockReturnValue(later + 61_001);
    await me.Todo.get();
    expect(tokens.asked()).toBe(4);
  });

  it('makes no storm of many calls at once', async () => {
    const { token } = served.fixtures().u1;
    const tokens = makeTokens(token, 'bad');
    const me = (await served.connect({ token: tokens.token })).account();
    served.proxy().decide(() => ({ status: 401 }));
    const calls = Array.from({ length: 30 }, () => me.Todo.get());
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(tokens.asked()).toBe(2);
    // At most maxConcurrentRequests with the old token, and as many with the new one.
    expect(served.proxy().api().length).toBeLessThanOrEqual(16);
  });

  it('that is the same again is not sent again', async () => {
    const { token } = served.fixtures().u1;
    const me = (await served.connect({ token: () => token })).account();
    served.proxy().decide(() => ({ status: 401 }));
    await expect(me.Todo.get()).rejects.toBeInstanceOf(NeedsAuthError);
    expect(served.proxy().api().length).toBe(1);
  });
});

it('a function that fails to get a token ends the call, not the calls after it', async () => {
  const { token } = served.fixtures().u1;
  const cause = new Error('offline');
  let isOffline = true;
  const ask = () => (isOffline ? Promise.reject(cause) : Promise.resolve(token));
  const failed = served.connect({ token: ask, retry: 0 });
  await expect(failed).rejects.toBeInstanceOf(TransportError);
  await expect(failed).rejects.toMatchObject({ cause });
  isOffline = false;
  await served.connect({ token: ask });
});
