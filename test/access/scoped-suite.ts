import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLOB, Client, CORE, NOTES, PUSH, TODOS, WEBSOCKET } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { makeToken, makeUser } from '../support/fixtures.js';
import type { RunningServer } from '../support/server.js';
import { JmapSocket } from '../support/socket.js';
import { SocketClient } from '../support/socket-client.js';

/** Tests of tokens that are narrowed to capabilities and types. */
export function scopedSuite(server: () => RunningServer): void {
  let accountId: string;
  let all: Client;
  /** Reads todos, writes notes, has no blobs. */
  let some: Client;
  let overSocket: SocketClient;

  beforeAll(async () => {
    ({ accountId, client: all } = await makeUser(server(), 'ann'));
    some = await clientOf('--capability', `${TODOS}:read`, '--capability', NOTES);
    overSocket = await SocketClient.open(some);
  });
  afterAll(() => overSocket.close());

  async function clientOf(...args: readonly string[]): Promise<Client> {
    const token = await makeToken(server(), ['--user', 'ann', ...args]);
    return new Client(server().url, token, [CORE, TODOS, NOTES]);
  }

  /** The type of a call's error, or null. */
  async function errorOf(client: Client, name: string, args: object = {}): Promise<unknown> {
    const { methodResponses } = await client.api([[name, { accountId, ...args }, 'c']]);
    const [answered, answer] = methodResponses[0] ?? [];
    return answered === 'error' ? answer?.['type'] : null;
  }

  describe('a token of some capabilities', () => {
    it('has a session without the others, and the capabilities of the transport', async () => {
      const session = await some.session();
      const names = Object.keys(session['capabilities'] as object);
      expect(names).toEqual(expect.arrayContaining([CORE, WEBSOCKET, PUSH, TODOS, NOTES]));
      expect(names).not.toContain(BLOB);
      expect(JSON.stringify(session)).not.toContain(BLOB);
      expect(session['state']).not.toBe((await all.session())['state']);
      const { sessionState } = await some.api([['Core/echo', {}, 'c']]);
      expect(sessionState).toBe(session['state']);
    });

    it('is told of a capability out of reach as of one that there isn’t', async () => {
      const problem = async (client: Client, urn: string) => {
        const body = JSON.stringify({ using: [urn], methodCalls: [] });
        const { status, json } = await client.post(body);
        return { status, problem: JSON.stringify(json).replace(urn, 'URN') };
      };
      const unknown = await problem(some, 'urn:example:nothing');
      expect(unknown.problem).toContain('urn:ietf:params:jmap:error:unknownCapability');
      expect(await problem(some, BLOB)).toEqual(unknown);
      expect((await problem(all, BLOB)).status).toBe(200);
    });

    it.each(['HTTP', 'WebSocket'])('reads and writes what it may, over %s', async (transport) => {
      const client = transport === 'HTTP' ? some : overSocket;
      expect(await errorOf(client, 'Todo/get')).toBe(null);
      expect(await errorOf(client, 'Todo/set', { create: { k: { text: 'Tea' } } })).toBe(
        'accountReadOnly',
      );
      expect(await errorOf(client, 'Note/set', { create: { k: { title: 'T' } } })).toBe(null);
      expect(await errorOf(client, 'Blob/get', { ids: [] })).toBe('unknownMethod');
    });

    it('gets unknownCapability over WebSocket, too', async () => {
      const socket = await JmapSocket.open(some);
      socket.send({ '@type': 'Request', id: 'r', using: [BLOB], methodCalls: [] });
      const answer = await socket.take((message) => message['requestId'] === 'r');
      expect(answer['type']).toBe('urn:ietf:params:jmap:error:unknownCapability');
      socket.close();
    });

    it('gets 403 for uploads and downloads, whatever the account', async () => {
      const { blobId } = await all.upload(accountId, 'octets', 'text/plain');
      const download = `/jmap/download/${accountId}/${blobId}/x.txt`;
      const requests: [string, RequestInit][] = [
        [`/jmap/upload/${accountId}`, { method: 'POST', body: 'octets' }],
        ['/jmap/upload/a-nobodys', { method: 'POST', body: 'octets' }],
        [download, {}],
      ];
      for (const [path, init] of requests) {
        const { status, headers } = await some.http(path, init);
        expect([path, status]).toEqual([path, 403]);
        expect(headers.get('www-authenticate')).toMatch(/^Bearer .*error="insufficient_scope"/);
      }
      const reader = await clientOf('--capability', `${BLOB}:read`);
      expect((await reader.http(download)).text).toBe('octets');
      const upload = await reader.http(`/jmap/upload/${accountId}`, { method: 'POST', body: 'x' });
      expect(upload.status).toBe(403);
      const writer = await clientOf('--capability', BLOB, '--type', 'Todo', '--capability', TODOS);
      expect(await writer.upload(accountId, 'octets', 'text/plain')).toHaveProperty('blobId');
    });

    it('creates and sees push subscriptions', async () => {
      const { methodResponses } = await some.api([['PushSubscription/get', {}, 'c']]);
      expect(methodResponses[0]?.[0]).toBe('PushSubscription/get');
      expect(await errorOf(some, 'PushSubscription/set', { accountId: undefined })).toBe(null);
    });
  });

  describe('a token of some types', () => {
    it('gets forbidden for the others, and reads what it may only read', async () => {
      const client = await clientOf('--type', 'Todo:read');
      expect(await errorOf(client, 'Todo/get')).toBe(null);
      expect(await errorOf(client, 'Todo/set')).toBe('accountReadOnly');
      expect(await errorOf(client, 'Note/get')).toBe('forbidden');
      expect((await client.session())['state']).not.toBe((await all.session())['state']);
    });

    it('has the session of a token without narrowing if it names all of them', async () => {
      const whole = await clientOf('--type', 'Todo', '--type', 'Note');
      expect(await whole.session()).toEqual(await all.session());
    });
  });

  describe('push', () => {
    const write = (client: Client, type: string, create: object) =>
      client.api([[`${type}/set`, { accountId, create: { k: create } }, 'c']]);

    it('tells no state of a type out of reach, on an event source and on a WebSocket', async () => {
      const hidesNotes = [
        await clientOf('--type', 'Todo'),
        await clientOf('--capability', `${TODOS}:read`),
      ];
      for (const client of hidesNotes) {
        const query = { types: '*', closeafter: 'no', ping: '0' };
        const stream = await EventStream.open(client, query);
        const socket = await JmapSocket.open(client);
        socket.send({ '@type': 'WebSocketPushEnable', dataTypes: ['Note', 'Todo'] });
        await write(all, 'Note', { title: 'hidden' });
        const answer = await write(all, 'Todo', { text: 'seen' });
        const newState = String(answer.methodResponses[0]?.[1]['newState']);
        await stream.state(accountId, 'Todo', newState);
        const pushed = await socket.take(
          (message) =>
            JSON.stringify(message).includes(newState) && message['@type'] === 'StateChange',
        );
        const told = JSON.stringify([stream.events, pushed, socket.messages]);
        expect(told).toContain('"Todo"');
        expect(told).not.toContain('Note');
        stream.close();
        socket.close();
      }
    });
  });
}
