import { afterAll, beforeAll, describe, it } from 'vitest';
import { usePostgresql } from '../support/postgresql.js';
import { useServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { SocketClient } from '../support/socket-client.js';
import { cellsOf, expectAlike, expectOutcomes, run, runByReference } from './matrix.js';
import { type Method, methodsOf, modelOf } from './methods.js';
import { makeWorld, SIGNS, type World } from './world.js';

// The matrix of methods.test.ts on PostgreSQL, which reads access by other statements.
const postgresql = usePostgresql();
const server = useServer(async () => ({
  project: await sharedProject(),
  env: { ...SIGNS, DATABASE_URL: await postgresql().createDatabase('access') },
}));
let methods: readonly Method[] = [];
let world: World;

beforeAll(async () => {
  const model = modelOf(await sharedProject());
  methods = methodsOf(model);
  const urns = model.capabilities.map(({ urn }) => urn);
  world = await makeWorld(server(), urns);
}, 300_000);

describe('every method by every account and token, on PostgreSQL', () => {
  const sockets: SocketClient[] = [];
  afterAll(() => {
    for (const socket of sockets) socket.close();
  });

  it('over HTTP', async () => {
    const cells = cellsOf(methods, world);
    const responses = await run(cells, world.tokens);
    expectOutcomes(cells, responses);
    expectAlike(cells, responses);
  });

  it('over HTTP, where result references name the accounts', async () => {
    const cells = cellsOf(methods, world);
    const responses = await runByReference(cells, world.tokens);
    expectOutcomes(cells, responses);
    expectAlike(cells, responses);
  });

  it('over WebSocket', async () => {
    const { all, some, read } = world.tokens;
    for (const client of [all, some, read]) sockets.push(await SocketClient.open(client));
    const [a = all, s = some, r = read] = sockets;
    const cells = cellsOf(methods, world);
    const responses = await run(cells, { all: a, some: s, read: r });
    expectOutcomes(cells, responses);
    expectAlike(cells, responses);
  });
});
