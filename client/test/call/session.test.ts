import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/poll.js';
import { expandTemplate, keepSession } from '../../src/call/session.js';
import { connect, type Session } from '../../src/index.js';
import { type TodosProject, todos } from '../support/schema.js';
import { useTodos } from '../support/todos.js';

const served = useTodos();

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

it('a session that comes late takes the place of no later one', async () => {
  const answers: ((session: Session) => void)[] = [];
  const makeSession = (state: string) => ({ state }) as Session;
  const load = () => new Promise<Session>((resolve) => answers.push(resolve));
  const keeper = await keepSession(load, makeSession('1'));
  const heard: string[] = [];
  keeper.listen(({ state }) => heard.push(state));
  keeper.noteState('2');
  keeper.noteState('3');
  answers[1]?.(makeSession('3'));
  answers[0]?.(makeSession('2'));
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect([keeper.current().state, heard]).toEqual(['3', ['3']]);
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

it('a session is fetched again where the server goes back to it meanwhile', async () => {
  const answers: ((session: Session) => void)[] = [];
  const sessionOf = (state: string) => ({ state }) as Session;
  const load = () => new Promise<Session>((resolve) => answers.push(resolve));
  const keeper = await keepSession(load, sessionOf('1'));
  keeper.noteState('2');
  keeper.noteState('1');
  answers[0]?.(sessionOf('2'));
  answers[1]?.(sessionOf('1'));
  await keeper.settle();
  expect(keeper.current().state).toBe('1');
  keeper.noteState('1');
  expect(answers).toHaveLength(2);
});

it('a session of another state than told is fetched again after some seconds', async () => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(0);
  let count = 0;
  const load = async () => ({ state: String(count++) }) as Session;
  const keeper = await keepSession(load);
  for (const time of [0, 1, 5000, 15_000, 16_000]) {
    now.mockReturnValue(time);
    keeper.noteState('told');
    await keeper.settle();
  }
  now.mockRestore();
  expect(count).toBe(3);
});
