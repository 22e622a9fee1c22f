import { afterEach, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { expectProblemStatus } from '../support/expected.js';
import { makeToken, makeUser, useFixtures } from '../support/fixtures.js';
import { startServer } from '../support/server.js';

const { server, fixtures } = useFixtures({}, ['A2', 'AR', 'AX', 'u2', 'u3']);

const streams: EventStream[] = [];
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});
const open = async (
  query: Readonly<Record<string, string>> = {},
  client: Client = fixtures().u1,
): Promise<EventStream> => {
  const stream = await EventStream.open(client, {
    types: '*',
    closeafter: 'no',
    ping: '0',
    ...query,
  });
  streams.push(stream);
  return stream;
};
const write = async (client: Client, type: string, accountId: string): Promise<string> => {
  const { newState } = await client.set(type, {
    accountId,
    create: { k: type === 'Todo' ? { text: 'x' } : { title: 'x' } },
  });
  return newState;
};

describe('RFC 8620 7.3: the event source', () => {
  it('wrong or missing parameters are a 400 problem', async () => {
    const right = { types: '*', closeafter: 'no', ping: '0' };
    const wrong: readonly Readonly<Record<string, string>>[] = [
      { ...right, closeafter: 'maybe' },
      { ...right, closeafter: '' },
      { ...right, ping: '-1' },
      { ...right, ping: 'abc' },
      { ...right, ping: '1.5' },
      { ...right, ping: '' },
      { ...right, types: '' },
      { ...right, types: 'Nope' },
      { ...right, types: 'Todo,Nope' },
      { ...right, types: 'Todo,*' },
      { ...right, types: 'todo' },
      { closeafter: 'no', ping: '0' },
      { types: '*', ping: '0' },
      { types: '*', closeafter: 'no' },
    ];
    for (const query of wrong) {
      const answer = await fixtures().u1.http(`/jmap/eventsource?${new URLSearchParams(query)}`);
      expectProblemStatus(answer, 400);
    }
  });

  it('a /set that fails or changes nothing has no event', async () => {
    const { A1, u1 } = fixtures();
    const { created } = await u1.set('Todo', { accountId: A1, create: { k: { text: 'x' } } });
    const id = created?.['k']?.id ?? '';
    const stream = await open();
    const { notCreated } = await u1.set('Todo', { accountId: A1, create: { k: { text: 1 } } });
    expect(Object.keys(notCreated ?? {})).toEqual(['k']);
    expect(
      await u1.call('Todo/set', { accountId: A1, ifInState: 'other', destroy: [id] }),
    ).toMatchObject(['error', { type: 'stateMismatch' }]);
    for (const patch of [{}, { text: 'x' }]) {
      const { updated } = await u1.set('Todo', { accountId: A1, update: { [id]: patch } });
      expect(Object.keys(updated ?? {})).toEqual([id]);
    }
    await stream.state(A1, 'Todo', await write(u1, 'Todo', A1));
    expect(stream.events).toHaveLength(1);
  });

  it('a revoked token ends its streams, others stay', async () => {
    const token = await makeToken(server(), ['--user', 'u1']);
    const stream = await open({}, new Client(server().url, token));
    const other = await open();
    await server().tool('scripts/token', ['revoke', token]);
    await stream.ended();
    const { A1, u1 } = fixtures();
    await other.state(A1, 'Todo', await write(u1, 'Todo', A1));
  });

  it('a token that expires ends its streams', async () => {
    const token = await makeToken(server(), ['--user', 'u1', '--expires', '3s']);
    const stream = await open({}, new Client(server().url, token));
    expect(stream.status).toBe(200);
    await stream.ended();
  });

  it('an account has no more events once its access ends', async () => {
    const account = (...args: string[]) => server().tool('scripts/account', args);
    const id = await account('create', '--name', 'shared', '--user', 'u3');
    await account('grant', id, '--user', 'u2');
    const { AX, u2, u3 } = fixtures();
    const stream = await open({}, u2);
    await stream.state(id, 'Todo', await write(u3, 'Todo', id));
    await account('revoke', id, '--user', 'u2');
    // The end of the access is seen by the session within a second; the stream's accounts are the
    // session's.
    await expect
      .poll(async () => Object.keys((await u2.session())['accounts'] as object))
      .toEqual([AX]);
    await expect
      .poll(
        async () => {
          const before = stream.events.length;
          await write(u3, 'Todo', id);
          const last = await write(u2, 'Todo', AX);
          await stream.state(AX, 'Todo', last);
          return stream.events.slice(before).some(({ data }) => id in (data['changed'] as object));
        },
        { timeout: 60_000, interval: 100 },
      )
      .toBe(false);
  });

  it('a server that stops ends its streams and exits with 0', async () => {
    const stopped = await startServer();
    try {
      const { client } = await makeUser(stopped);
      const stream = await open({}, client);
      expect(stream.status).toBe(200);
      expect(await stopped.stop()).toEqual({ code: 0, signal: null });
      await stream.ended();
    } finally {
      await stopped.remove();
    }
  });
});
