import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TIMINGS } from '../../src/http/shared.js';
import { Client, TODOS } from '../support/client.js';
import { EventStream } from '../support/event-source.js';
import { makeToken } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import type { RunningServer } from '../support/server.js';
import { JmapSocket } from '../support/socket.js';

/**
 * Tokens and access change while a stream or a socket is open. `freshness`: how long, ms, a change
 * that another process makes may take to count (docs/reference/protocol.md).
 */
export function openSuite(server: () => RunningServer, freshness = 0): void {
  /** u1's; and u2's, to which u1's access comes and goes. */
  let own = '';
  let shared = '';
  let u1: Client;
  let u2: Client;
  const open: { close(): void }[] = [];

  beforeAll(async () => {
    const [a = '', b = '', one = '', two = ''] = await server().tools([
      ['scripts/account', ['create', '--name', 'own', '--user', 'u1']],
      ['scripts/account', ['create', '--name', 'shared', '--user', 'u2']],
      ['scripts/token', ['create', '--user', 'u1']],
      ['scripts/token', ['create', '--user', 'u2']],
    ]);
    [own, shared] = [a, b];
    [u1, u2] = [new Client(server().url, one), new Client(server().url, two)];
  });
  afterEach(async () => {
    for (const each of open.splice(0)) each.close();
    await server().command('scripts/account', ['revoke', shared, '--user', 'u1']);
  });

  const account = (...args: string[]) => server().tool('scripts/account', args);
  const grant = (...more: string[]) => account('grant', shared, '--user', 'u1', ...more);
  const revoke = () => account('revoke', shared, '--user', 'u1');
  const QUERY = { types: '*', closeafter: 'no', ping: '0' };

  async function stream(client: Client): Promise<EventStream> {
    const opened = await EventStream.open(client, QUERY);
    open.push(opened);
    return opened;
  }

  async function socket(client: Client): Promise<JmapSocket> {
    const opened = await JmapSocket.open(client);
    open.push(opened);
    return opened;
  }

  async function ticketOf(client: Client): Promise<string> {
    const { json } = await client.http('/jmap/ticket', { method: 'POST' });
    return (json as { ticket: string }).ticket;
  }

  async function write(client: Client, accountId: string): Promise<string> {
    const create = { k: { text: 'x' } };
    return (await client.set('Todo', { accountId, create })).newState;
  }

  /** States of an account that a stream has told so far. */
  const statesIn = ({ events }: EventStream, accountId: string) =>
    events.flatMap(({ data }) => {
      const changed = data['changed'] as Record<string, Record<string, string>> | undefined;
      return changed?.[accountId]?.['Todo'] ?? [];
    });

  let requests = 0;
  /** Returns the answer to a call on a socket: the error's type, or the method's name. */
  async function asked(on: JmapSocket, method: string, accountId: string): Promise<unknown> {
    requests += 1;
    const call = [method, { accountId }, 'c'];
    const answer = await on.request(`r${requests}`, [TODOS], [call]);
    const [[name, args] = []] = answer['methodResponses'] as unknown as [
      string,
      { type: string },
    ][];
    return name === 'error' ? args?.type : name;
  }

  const expectAnswer = (on: JmapSocket, method: string, accountId: string, answer: string) =>
    eventually(async () => expect(await asked(on, method, accountId)).toBe(answer), freshness);

  describe('access to an account begins and ends while a stream and a socket are open', () => {
    it('is noticed within a second', () => {
      expect(TIMINGS.refresh).toBeLessThan(1000);
    });

    it('has events, then none; requests are answered, then accountNotFound', async () => {
      const [events, messages] = [await stream(u1), await socket(u1)];
      await write(u2, shared);
      await expectAnswer(messages, 'Todo/get', shared, 'accountNotFound');

      await grant();
      await expectAnswer(messages, 'Todo/set', shared, 'Todo/set');
      // The stream is told of the grant a moment later, and of the first write after that.
      await eventually(async () => {
        const state = await write(u2, shared);
        await eventually(() => expect(statesIn(events, shared)).toContain(state), 200);
      });

      await grant('--read-only');
      await expectAnswer(messages, 'Todo/set', shared, 'accountReadOnly');
      await expectAnswer(messages, 'Todo/get', shared, 'Todo/get');

      await revoke();
      await expectAnswer(messages, 'Todo/get', shared, 'accountNotFound');
      // Once the socket's and stream's token has been looked at, nothing comes any more.
      const silent = async (): Promise<void> => {
        const before = statesIn(events, shared).length;
        await write(u2, shared);
        const marker = await write(u1, own);
        await events.state(own, 'Todo', marker);
        expect(statesIn(events, shared)).toHaveLength(before);
      };
      await eventually(silent);
      for (let n = 0; n < 3; n += 1) await silent();
      // Nor in what an event's id carries, for who opens another stream with it.
      expect(Buffer.from(events.events.at(-1)?.id ?? '', 'base64url').toString()).not.toContain(
        shared,
      );
    });

    it('has events, then none, if the account is deleted', async () => {
      const gone = await account('create', '--name', 'gone', '--user', 'u2');
      await account('grant', gone, '--user', 'u1');
      const [events, messages] = [await stream(u1), await socket(u1)];
      const state = await write(u1, gone);
      await events.state(gone, 'Todo', state);
      await account('delete', gone, '--yes');
      await expectAnswer(messages, 'Todo/get', gone, 'accountNotFound');
      await expectAnswer(messages, 'Todo/get', own, 'Todo/get');
      expect(statesIn(events, gone)).toEqual([state]);
    });
  });

  describe('a token that is narrow', () => {
    it('gets events of its accounts alone, by a ticket too', async () => {
      await grant();
      const text = await makeToken(server(), ['--user', 'u1', '--account', shared]);
      const narrow = new Client(server().url, text);
      const [events, messages] = [await stream(narrow), await socket(narrow)];
      const byTicket = await EventStream.open(
        narrow,
        { ...QUERY, ticket: await ticketOf(narrow) },
        // In place of the token: a header that is none.
        { authorization: '' },
      );
      open.push(byTicket);
      await write(u1, own);
      const state = await write(u2, shared);
      for (const one of [events, byTicket]) {
        await one.state(shared, 'Todo', state);
        expect(statesIn(one, own)).toEqual([]);
      }
      await expectAnswer(messages, 'Todo/get', own, 'accountNotFound');
      await expectAnswer(messages, 'Todo/get', shared, 'Todo/get');
    });
  });

  describe('a user that is disabled', () => {
    it('has no stream, socket or ticket any more, on any token; others stay', async () => {
      await server().tool('scripts/account', ['grant', own, '--user', 'u3']);
      const texts = [await makeToken(server(), ['--user', 'u3'])];
      texts.push(await makeToken(server(), ['--user', 'u3']));
      const clients = texts.map((text) => new Client(server().url, text));
      const others = await stream(u1);
      const streams = await Promise.all(clients.map(stream));
      const sockets = await Promise.all(clients.map(socket));
      const tickets = await Promise.all(clients.map(ticketOf));
      await server().tool('scripts/user', ['disable', 'u3']);
      for (const each of streams) await each.ended();
      for (const each of sockets) expect(await each.closed).toBe(1008);
      for (const [at, client] of clients.entries()) {
        const late = await EventStream.open(
          client,
          { ...QUERY, ticket: tickets[at] ?? '' },
          { authorization: '' },
        );
        expect(late.status).toBe(401);
        await expect(JmapSocket.open(client)).rejects.toThrow('HTTP 401');
      }
      await others.state(own, 'Todo', await write(u1, own));
      await server().tool('scripts/user', ['enable', 'u3']);
      const [client] = clients;
      await eventually(async () => {
        expect((await (client as Client).http('/.well-known/jmap')).status).toBe(200);
      }, freshness);
    });
  });

  describe('a token that is revoked or expires', () => {
    it.each([
      ['revoked', async (token: string) => server().tool('scripts/token', ['revoke', token]), []],
      ['expires', async () => '', ['--expires', '4s']],
    ] as const)('%s: its streams and sockets end, those of others stay', async (_, end, more) => {
      const text = await makeToken(server(), ['--user', 'u1', ...more]);
      const client = new Client(server().url, text);
      const [others, ended] = [await stream(u1), await stream(client)];
      const ticket = await EventStream.open(
        client,
        { ...QUERY, ticket: await ticketOf(client) },
        { authorization: '' },
      );
      open.push(ticket);
      const unused = await ticketOf(client);
      const messages = await socket(client);
      await end(text);
      await ended.ended();
      await ticket.ended();
      expect(await messages.closed).toBe(1008);
      await others.state(own, 'Todo', await write(u1, own));
      const late = await EventStream.open(
        client,
        { ...QUERY, ticket: unused },
        { authorization: '' },
      );
      expect(late.status).toBe(401);
      await expect(JmapSocket.open(client)).rejects.toThrow('HTTP 401');
    });
  });
}
