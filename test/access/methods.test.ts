import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, CORE } from '../support/client.js';
import { useServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { SocketClient } from '../support/socket-client.js';
import type { TokenName } from './expectations.js';
import { cellsOf, expectAlike, expectOutcomes, run, runByReference } from './matrix.js';
import { type Method, methodsOf, modelOf } from './methods.js';
import { makeWorld, SIGNS, type World } from './world.js';

const server = useServer(async () => ({ project: await sharedProject(), env: SIGNS }));
let methods: readonly Method[] = [];
let world: World;

beforeAll(async () => {
  const model = modelOf(await sharedProject());
  methods = methodsOf(model);
  const urns = model.capabilities.map(({ urn }) => urn);
  world = await makeWorld(server(), urns);
  // The matrix has all that the server offers.
  const { capabilities } = await world.tokens.all.session();
  expect(Object.keys(capabilities as object).sort()).toEqual(urns.sort());
});

describe('every method by every account and token', () => {
  it('has a method of each kind, Core/echo and the blob methods among them', () => {
    const kinds = new Set(methods.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['copy', 'none', 'read', 'write']);
    expect(methods.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Core/echo', 'Blob/copy', 'Gadget/rebuild', 'Todo/queryChanges']),
    );
    expect(methods.some(({ capability }) => capability === CORE)).toBe(true);
  });

  it('over HTTP', async () => {
    const cells = cellsOf(methods, world);
    const responses = await run(cells, world.tokens);
    expectOutcomes(cells, responses);
    expectAlike(cells, responses);
  });

  it('over HTTP, with result references to the accounts, a method of each kind', async () => {
    const names = ['Todo/get', 'Todo/set', 'Todo/copy', 'Blob/get', 'Issue/close'];
    const some = methods.filter(({ name }) => names.includes(name));
    expect(some).toHaveLength(names.length);
    // Of copies one pair for each place: the written account decides before the other is looked
    // for.
    const cells = cellsOf(some, world).filter(({ name }) => !/<- (?!own$|another)/.test(name));
    const responses = await runByReference(cells, world.tokens);
    expectOutcomes(cells, responses);
    expectAlike(cells, responses);
  });

  describe('over WebSocket', () => {
    const sockets = new Map<TokenName, SocketClient>();
    afterAll(() => {
      for (const socket of sockets.values()) socket.close();
    });

    it('too', async () => {
      const open = async (token: TokenName): Promise<Client> => {
        // A ticket reaches no more than the token that it was got with.
        const client = world.tokens[token];
        const isByTicket = token !== 'all';
        const socket = await SocketClient.open(client, isByTicket ? await ticketOf(client) : null);
        sockets.set(token, socket);
        return socket;
      };
      const clients = {
        all: await open('all'),
        some: await open('some'),
        read: await open('read'),
      };
      const cells = cellsOf(methods, world);
      const responses = await run(cells, clients);
      expectOutcomes(cells, responses);
      expectAlike(cells, responses);
    });
  });
});

async function ticketOf(client: Client): Promise<string> {
  const { json } = await client.http('/jmap/ticket', { method: 'POST' });
  return (json as { ticket: string }).ticket;
}
