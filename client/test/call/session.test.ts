import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { expandTemplate, keepSession } from '../../src/call/session.js';
import { connect, type Session } from '../../src/index.js';
import { nextTask } from '../../src/query/slices.js';
import { type TodosProject, todos } from '../support/schema.js';
import { useTodos } from '../support/todos.js';

const served = useTodos();

/** Sets the clock behind the time in which a session isn't fetched again. */
const passPause = () => void vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_000);

const paths = () => served.proxy().seen.map(({ path }) => path);

describe('connect', () => {
  it('finds the session resource of an origin', async () => {
    const { session } = await served.connect();
    expect(paths()).toEqual(['/.well-known/jmap']);
    expect(session).toMatchObject({ username: 'u1', state: expect.any(String) });
  });

  it('takes a URL with a path as the session resource', async () => {
    const url = `${served.proxy().url}/.well-known/jmap?x=1`;
    await served.connect({ url });
    expect(paths()).toEqual(['/.well-known/jmap?x=1']);
  });

  it('goes on to URLs that are relative to where a redirect ends', async () => {
    const location = `${served.proxy().url}/deep/session`;
    const { session } = await served.connect();
    const relative = { ...session, apiUrl: 'api' };
    served.proxy().decide(({ path }) => {
      if (path === '/.well-known/jmap') return { status: 302, headers: { location } };
      return path === '/deep/session' ? { status: 200, body: relative } : { status: 404 };
    });
    const client = await served.connect();
    await expect(client.account().Todo.get()).rejects.toMatchObject({ status: 404 });
    expect(paths().at(-1)).toBe('/deep/api');
  });

  it('rejects where there is no session', async () => {
    served.proxy().decide(() => ({ status: 404 }));
    await expect(served.connect()).rejects.toMatchObject({ type: 'http', status: 404 });
    const nowhere = connect<TodosProject>(todos, { url: 'http://127.0.0.1:1', token: 't' });
    await expect(nowhere).rejects.toMatchObject({ type: 'transport' });
  });

  it('sends by the function that it gets', async () => {
    const sent: string[] = [];
    const client = await served.connect({
      fetch: (url, init) => {
        sent.push(String(url));
        return fetch(url, init);
      },
    });
    await client.account().Todo.get();
    expect(sent.map((url) => new URL(url).pathname)).toEqual(['/.well-known/jmap', '/jmap']);
  });
});

describe('account', () => {
  it('is the primary account of the types', async () => {
    const client = await served.connect();
    expect(client.account().id).toBe(served.fixtures().A1);
  });

  it('throws where the user has none', async () => {
    const { session } = await served.connect();
    served.proxy().decide(() => ({
      status: 200,
      body: { ...session, accounts: {}, primaryAccounts: {} },
    }));
    const client = await served.connect();
    expect(() => client.account()).toThrow('no account');
  });
});

describe('a change of access', () => {
  it('fetches the session once, and tells listeners', async () => {
    const client = await served.connect();
    const told: Session[] = [];
    const stop = client.onSession((session) => told.push(session));
    const before = client.session;
    const add = (name: string) => ['create', '--name', name, '--user', 'u1'];
    const id = await served.server().tool('scripts/account', add('Later'));
    // The server looks at access anew within moments.
    await eventually(async () => {
      await Promise.all([client.account().Todo.get(), client.account().Todo.get()]);
      expect(told.length).toBe(1);
    }, 20_000);
    expect(client.session.state).not.toBe(before.state);
    expect(told).toEqual([client.session]);
    expect(client.session.accounts).toHaveProperty([id]);
    await client.account().Todo.get();
    expect(paths().filter((path) => path === '/.well-known/jmap').length).toBe(2);

    stop();
    passPause();
    await served.server().tool('scripts/account', add('Last'));
    await eventually(async () => {
      await client.account().Todo.get();
      expect(client.session.state).not.toBe(told[0]?.state);
    }, 20_000);
    expect(told.length).toBe(1);
  });

  it('fetches the session again where that failed', async () => {
    const client = await served.connect();
    const body = { methodResponses: [], sessionState: 'later' };
    let isDown = true;
    served.proxy().decide(({ path }) => {
      if (path === '/jmap') return { status: 200, body };
      if (isDown) return { status: 500 };
      return { status: 200, body: { ...client.session, state: 'later' } };
    });
    await client.raw([], []);
    await eventually(() => expect(paths().length).toBe(3), 20_000);
    isDown = false;
    await eventually(async () => {
      await client.raw([], []);
      expect(client.session.state).toBe('later');
    }, 20_000);
  });

  it('asks once for a state that the session never has', async () => {
    const client = await served.connect();
    const body = { methodResponses: [], sessionState: 'strange' };
    const { session } = client;
    served.proxy().decide(({ path }) => ({ status: 200, body: path === '/jmap' ? body : session }));
    for (let n = 0; n < 10; n += 1) await client.raw([], []);
    await eventually(() => expect(paths().length).toBe(12), 20_000);
    await client.raw([], []);
    expect(paths().filter((path) => path === '/.well-known/jmap').length).toBe(2);
  });
});

describe('a refused request', () => {
  const sessions = () => paths().filter((path) => path === '/.well-known/jmap').length;

  it('has the session fetched, once until a response comes', async () => {
    const client = await served.connect();
    const { session } = client;
    const body = { methodResponses: [], sessionState: session.state };
    const moved = { ...session, apiUrl: `${served.proxy().url}/moved` };
    let isBack = false;
    served.proxy().decide(({ path }) => {
      if (path === '/.well-known/jmap') return { status: 200, body: moved };
      return path === '/moved' && isBack ? { status: 200, body } : { status: 404 };
    });
    const send = () => client.raw([], []);
    await expect(send()).rejects.toMatchObject({ status: 404 });
    await eventually(() => expect(client.session).toEqual(moved), 20_000);
    await expect(send()).rejects.toMatchObject({ status: 404 });
    isBack = true;
    await send();
    expect(paths().at(-1)).toBe('/moved');
    expect(sessions()).toBe(2);
    passPause();
    isBack = false;
    await expect(send()).rejects.toMatchObject({ status: 404 });
    await eventually(() => expect(sessions()).toBe(3), 20_000);
  });

  it.each([
    [408, {}],
    [413, {}],
    [429, {}],
    [400, { type: 'urn:ietf:params:jmap:error:limit', limit: 'maxCallsInRequest' }],
    [503, {}],
  ])('of %i that tells nothing of the session leaves it', async (status, body) => {
    const client = await served.connect({ retry: 0 });
    served.proxy().decide(({ path }) => (path === '/jmap' ? { status, body } : 'pass'));
    await expect(client.raw([], [])).rejects.toMatchObject({ status });
    served.proxy().decide(() => 'pass');
    await client.account().Todo.get();
    expect(paths()).toEqual(['/.well-known/jmap', '/jmap', '/jmap']);
  });
});

it('a template takes values with each reserved character escaped', () => {
  const text = expandTemplate('/d/{accountId}/{blobId}/{name}?t={type}&x={none}', {
    accountId: 'a',
    blobId: "b/c?d#e'()*!",
    name: 'ä b~.-_',
    type: 'text/plain',
  });
  expect(text).toBe('/d/a/b%2Fc%3Fd%23e%27%28%29%2A%21/%C3%A4%20b~.-_?t=text%2Fplain&x=');
});

describe('a session that responses tell of', () => {
  let now: MockInstance<() => number>;
  beforeEach(() => {
    now = vi.spyOn(Date, 'now').mockReturnValue(0);
  });
  afterEach(() => now.mockRestore());

  const sessionOf = (state: string) => ({ state }) as Session;

  /** Keeps session `1`; a test answers requests for others, and ends waits. */
  async function keep() {
    const answers: Ends<Session>[] = [];
    const waits: (Ends<void> & { readonly milliseconds: number })[] = [];
    const load = () => new Promise<Session>((resolve, reject) => answers.push({ resolve, reject }));
    const wait = (milliseconds: number) =>
      new Promise<void>((resolve, reject) => waits.push({ resolve, reject, milliseconds }));
    const keeper = await keepSession(load, wait, sessionOf('1'));
    const answer = async (state: string): Promise<void> => {
      answers.at(-1)?.resolve(sessionOf(state));
      await keeper.settle();
    };
    const endWait = async (): Promise<void> => {
      waits.at(-1)?.resolve();
      await nextTask();
    };
    return { keeper, answers, waits, answer, endWait };
  }

  it('is fetched at once, and again where the server goes back meanwhile', async () => {
    const { keeper, answers, answer, endWait } = await keep();
    keeper.noteState('2');
    keeper.noteState('1');
    await answer('2');
    expect(answers).toHaveLength(1);
    await endWait();
    await answer('1');
    expect(keeper.current().state).toBe('1');
    keeper.noteState('1');
    expect(answers).toHaveLength(2);
  });

  it('is fetched at once from a server that answers the state that it tells', async () => {
    const { keeper, answers, waits, answer } = await keep();
    for (const state of ['2', '3', '4']) {
      keeper.noteState(state);
      await answer(state);
      expect(keeper.current().state).toBe(state);
    }
    expect([answers.length, waits.length]).toEqual([3, 0]);
  });

  it('is fetched once in ten seconds, behind three at once, where it always changes', async () => {
    const { keeper, answers, waits, answer, endWait } = await keep();
    let state = 1;
    const tell = async (): Promise<void> => {
      state += 1;
      const before = answers.length;
      keeper.noteState(`${state}`);
      if (answers.length > before) await answer(`${state}`);
    };
    for (let n = 0; n < 10; n += 1) await tell();
    expect([answers.length, waits.length]).toEqual([3, 1]);
    for (let n = 1; n <= 3; n += 1) {
      expect(waits.at(-1)?.milliseconds).toBe(10_000);
      now.mockReturnValue(n * 10_000);
      await endWait();
      await answer(`${state}`);
      expect(keeper.current().state).toBe(`${state}`);
      await tell();
      expect([answers.length, waits.length]).toEqual([3 + n, 1 + n]);
    }
    now.mockReturnValue(40_000);
    await endWait();
    await answer(`${state}`);
    now.mockReturnValue(70_000);
    for (let n = 0; n < 10; n += 1) await tell();
    expect([answers.length, waits.length]).toEqual([10, 5]);
  });

  it('is fetched once in ten seconds where each one tells another state', async () => {
    const { keeper, answers, waits, answer, endWait } = await keep();
    for (let n = 1; n <= 5; n += 1) {
      now.mockReturnValue(n * 10_000);
      keeper.noteState(`${n} a`);
      expect(answers).toHaveLength(n);
      await answer(`${n} b`);
      now.mockReturnValue(n * 10_000 + 1000);
      for (const name of ['c', 'd', 'e']) keeper.noteState(`${n} ${name}`);
      expect([answers.length, waits.length]).toEqual([n, n]);
      expect(waits.at(-1)?.milliseconds).toBe(9000);
      keeper.noteState(keeper.current().state);
      await endWait();
    }
  });

  it('is fetched behind the pause where the last response has told another', async () => {
    const { keeper, answers, answer, endWait } = await keep();
    keeper.noteState('2');
    keeper.noteState('3');
    await answer('2');
    keeper.noteState('4');
    await endWait();
    expect(answers).toHaveLength(2);
    await answer('4');
    expect(keeper.current().state).toBe('4');
  });

  it('is awaited where it takes longer than the pause', async () => {
    const { keeper, answers, answer, endWait } = await keep();
    keeper.noteState('2');
    now.mockReturnValue(20_000);
    keeper.noteState('3');
    await endWait();
    expect(answers).toHaveLength(1);
    await answer('3');
    await nextTask();
    expect([keeper.current().state, answers.length]).toEqual(['3', 1]);
  });

  it('is fetched again after some seconds where it has another state', async () => {
    const { keeper, answers, waits, answer } = await keep();
    for (const time of [0, 1, 5000, 15_000, 16_000]) {
      now.mockReturnValue(time);
      keeper.noteState('told');
      await answer('2');
    }
    expect([answers.length, waits.length]).toEqual([2, 0]);
  });

  it('is fetched at the next response where that failed', async () => {
    const { keeper, answers } = await keep();
    keeper.noteState('2');
    answers[0]?.reject(new Error('away'));
    await keeper.settle();
    keeper.noteState('2');
    expect(answers).toHaveLength(2);
  });
});

interface Ends<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;
}
