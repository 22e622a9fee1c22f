import { describe, expect, it } from 'vitest';
import { change, PATH, Stream } from '../http/event-stream.js';
import { account, echo, type Harness, principal, startHarness, until } from '../http/harness.js';
import { type Client, type Message, open, request, requestError } from './websocket-client.js';

const ENABLE = { '@type': 'WebSocketPushEnable', dataTypes: null };
const DISABLE = { '@type': 'WebSocketPushDisable' };

/** Resolves when the server has done all that the client has sent so far. */
async function settled(client: Client): Promise<void> {
  client.send(request('settled'));
  await until(() => client.messages.some(({ requestId }) => requestId === 'settled'));
  client.messages.splice(
    client.messages.findIndex(({ requestId }) => requestId === 'settled'),
    1,
  );
}

async function enabled(harness: Harness, enable: Message = ENABLE): Promise<Client> {
  const client = await open(harness);
  client.send(enable);
  await settled(client);
  return client;
}

async function nextChange(client: Client): Promise<{ changed: unknown; pushState: string }> {
  const [message = {}] = await client.received(1);
  expect(Object.keys(message)).toEqual(['@type', 'changed', 'pushState']);
  const { pushState, ...rest } = message as { pushState: string };
  return { changed: rest, pushState };
}

describe('RFC 8887 4.3.5: push', () => {
  it('is off until it is enabled, and again after it is disabled', async () => {
    const harness = await startHarness();
    const client = await open(harness);
    harness.store.commit('A1', { Todo: '1' });
    client.send(DISABLE);
    await settled(client);
    expect(client.messages).toEqual([]);
    client.send(ENABLE);
    await settled(client);
    harness.store.commit('A1', { Todo: '2' });
    expect((await nextChange(client)).changed).toEqual(change({ A1: { Todo: '2' } }));
    client.send(DISABLE);
    client.send(DISABLE);
    await settled(client);
    harness.store.commit('A1', { Todo: '3' });
    await settled(client);
    expect(client.messages).toEqual([]);
    client.socket.terminate();
  });

  it('dataTypes null or absent is all types, a list is these, an empty one none', async () => {
    const harness = await startHarness();
    const all = await enabled(harness);
    const absent = await enabled(harness, { '@type': 'WebSocketPushEnable' });
    const tags = await enabled(harness, { ...ENABLE, dataTypes: ['Tag', 'Tag'] });
    const none = await enabled(harness, { ...ENABLE, dataTypes: [] });
    harness.store.commit('A1', { Todo: '1', Tag: '2' });
    const both = change({ A1: { Todo: '1', Tag: '2' } });
    expect((await nextChange(all)).changed).toEqual(both);
    expect((await nextChange(absent)).changed).toEqual(both);
    expect((await nextChange(tags)).changed).toEqual(change({ A1: { Tag: '2' } }));
    await settled(none);
    expect(none.messages).toEqual([]);
    for (const client of [all, absent, tags, none]) client.socket.terminate();
  });

  it('refuses wrong messages, and the earlier setting stays', async () => {
    const harness = await startHarness();
    const client = await enabled(harness, { ...ENABLE, dataTypes: ['Tag'] });
    const wrong = [{ dataTypes: ['Nope'] }, { dataTypes: 'Todo' }, { dataTypes: [1] }];
    for (const members of [...wrong, { dataTypes: null, pushState: 7 }]) {
      client.send({ ...ENABLE, ...members });
      expect(await client.received(1)).toEqual([requestError('notRequest', null)]);
    }
    harness.store.commit('A1', { Todo: '1', Tag: '1' });
    expect((await nextChange(client)).changed).toEqual(change({ A1: { Tag: '1' } }));
    client.socket.terminate();
  });

  it('pushState is given back: what changed meanwhile is told at once, and only that', async () => {
    const harness = await startHarness();
    const first = await enabled(harness);
    harness.store.commit('A1', { Todo: '1' });
    const { pushState } = await nextChange(first);
    first.socket.terminate();
    const nothing = await enabled(harness, { ...ENABLE, pushState });
    expect(nothing.messages).toEqual([]);
    nothing.socket.terminate();
    harness.store.commit('A1', { Todo: '2' });
    harness.store.commit('AR', { Tag: '5' });
    const missed = await enabled(harness, { ...ENABLE, pushState });
    const told = change({ A1: { Todo: '2' }, AR: { Tag: '5' } });
    expect((await nextChange(missed)).changed).toEqual(told);
    const garbage = await enabled(harness, { ...ENABLE, pushState: 'garbage' });
    const all = { A1: { Todo: '2', Tag: '0' }, AR: { Todo: '0', Tag: '5' } };
    expect((await nextChange(garbage)).changed).toEqual(change(all));
    for (const client of [missed, garbage]) client.socket.terminate();
  });

  it('pushState and the id of an event are the same text, and each takes the other', async () => {
    const harness = await startHarness();
    const client = await enabled(harness);
    const stream = await Stream.open(harness);
    await until(() => stream.lastEventId !== '');
    harness.store.commit('A1', { Todo: '1' });
    const { pushState } = await nextChange(client);
    await until(() => stream.events.length > 0);
    expect(stream.lastEventId).toBe(pushState);
    stream.close();
    client.socket.terminate();
    harness.store.commit('A1', { Todo: '2' });
    const again = await Stream.open(harness, PATH, { 'last-event-id': pushState });
    await until(() => again.events.length > 0);
    expect(again.events[0]?.data).toEqual(change({ A1: { Todo: '2' } }));
    again.close();
  });

  it('a second enable replaces the first', async () => {
    const harness = await startHarness();
    const client = await enabled(harness);
    client.send({ ...ENABLE, dataTypes: ['Tag'] });
    await settled(client);
    harness.store.commit('A1', { Todo: '1' });
    harness.store.commit('A1', { Tag: '1' });
    expect((await nextChange(client)).changed).toEqual(change({ A1: { Tag: '1' } }));
    await settled(client);
    expect(client.messages).toEqual([]);
    client.socket.terminate();
  });

  it('a second enable replaces the first, and its pushState says what is known', async () => {
    const harness = await startHarness();
    const client = await enabled(harness);
    harness.store.commit('A1', { Todo: '1' });
    const { pushState } = await nextChange(client);
    harness.store.commit('A1', { Todo: '2' });
    harness.store.commit('AR', { Tag: '5' });
    const told = change({ A1: { Todo: '2' }, AR: { Tag: '5' } });
    const newest = await nextChange(client);
    expect(newest.changed).toEqual(told);
    // The socket was told of it, and says that it wants it again.
    client.send({ ...ENABLE, pushState });
    expect((await nextChange(client)).changed).toEqual(told);
    client.send({ ...ENABLE, pushState: newest.pushState });
    await settled(client);
    expect(client.messages).toEqual([]);
    client.send({ ...ENABLE, dataTypes: ['Tag'], pushState });
    const [last] = await client.received(1);
    expect(last).toMatchObject(change({ AR: { Tag: '5' } }) as object);
    expect(JSON.stringify(last)).not.toContain('Todo');
    harness.store.commit('A1', { Todo: '3' });
    harness.store.commit('A1', { Tag: '1' });
    expect((await nextChange(client)).changed).toEqual(change({ A1: { Tag: '1' } }));
    await settled(client);
    expect(client.messages).toEqual([]);
    client.socket.terminate();
  });

  it('a slow reader gets one message with the newest states', async () => {
    const harness = await startHarness();
    const accounts = Array.from({ length: 300 }, (_, n) => account(`A${n}`));
    harness.users.principals.set('t1', principal('u1', 't1', accounts));
    const client = await enabled(harness);
    client.socket.pause();
    // More than the kernel holds for the reader.
    const text = JSON.stringify(['Core/echo', { text: 'x'.repeat(16_000_000) }, 'c']);
    harness.handle = async ({ createdIds }) => ({ invocations: [text], createdIds });
    client.send(request('large'));
    await until(() => harness.answers() > 0);
    for (let n = 1; n <= 100; n += 1) {
      harness.store.commit('A1', { Todo: String(n) });
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(client.messages).toEqual([]);
    harness.handle = async (envelope) => echo(envelope);
    client.socket.resume();
    const [answer, ...changes] = await client.received(2);
    expect(answer?.['requestId']).toBe('large');
    await settled(client);
    expect([...changes, ...client.messages]).toEqual([
      { ...(change({ A1: { Todo: '100' } }) as object), pushState: expect.any(String) },
    ]);
    client.socket.terminate();
  });

  it('is silent about an account that the token lost; a token that ends closes it', async () => {
    const harness = await startHarness();
    const client = await enabled(harness);
    harness.users.principals.set('t1', principal('u1', 't1', [account('A2')]));
    await until(async () => {
      harness.store.commit('A2', { Todo: '1' });
      return client.messages.length > 0;
    });
    client.messages.length = 0;
    harness.store.commit('A1', { Todo: '8' });
    harness.store.commit('A2', { Todo: '2' });
    expect((await nextChange(client)).changed).toEqual(change({ A2: { Todo: '2' } }));
    harness.users.principals.delete('t1');
    expect(await client.closed()).toBe(1008);
  });

  it('a store that fails is told, and the setting stays as it was', async () => {
    const harness = await startHarness();
    const client = await open(harness);
    harness.store.failure = new Error('lost');
    client.send(ENABLE);
    const [refused] = await client.received(1);
    expect(refused).toMatchObject({ '@type': 'RequestError', requestId: null, status: 500 });
    harness.store.failure = null;
    await settled(client);
    harness.store.commit('A1', { Todo: '1' });
    await settled(client);
    expect(client.messages).toEqual([]);
    client.socket.terminate();
  });

  it('sockets that enable and disable leave nothing behind', async () => {
    const harness = await startHarness();
    const client = await open(harness);
    for (let n = 0; n < 20; n += 1) {
      client.send(ENABLE);
      client.send(DISABLE);
    }
    await settled(client);
    harness.store.stateReads.length = 0;
    await harness.compare();
    expect(harness.store.stateReads).toEqual([]);
    client.socket.terminate();
  });
});
