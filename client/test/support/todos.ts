import { afterEach, beforeAll, expect } from 'vitest';
import { WebSocket } from 'ws';
import { type FixtureName, type Fixtures, makeFixtures } from '../../../test/support/fixtures.js';
import { type RunningServer, type ServerOptions, useServer } from '../../../test/support/server.js';
import {
  type CacheStore,
  type ClientOf,
  type ConnectOptions,
  connect,
  memory,
} from '../../src/index.js';
import { webSocket } from '../../src/transport/websocket.js';
import { type FaultyProxy, useFaultyProxy } from './faulty-proxy.js';
import { type TodosProject, todos } from './schema.js';

/** The ways of calls to the server, by options of `connect`. */
export const TRANSPORTS: readonly (readonly [string, Partial<ConnectOptions>])[] = [
  ['HTTP', {}],
  ['WebSocket', { transport: webSocket({ WebSocket, fallback: false }) }],
  ['both', { transport: webSocket({ WebSocket }) }],
];

export interface Served {
  server(): RunningServer;
  proxy(): FaultyProxy;
  fixtures(): Fixtures;
  /** Connects as the first user, by way of the proxy. */
  connect<Options extends Partial<ConnectOptions>>(
    options?: Options,
  ): Promise<ClientOf<TodosProject, Options>>;
}

export interface TodosOptions extends ServerOptions {
  /** Options of each `connect`. */
  readonly over?: Partial<ConnectOptions>;
}

/** A server of this repository's types behind a proxy, for the tests of a file. */
export function useTodos(
  { over, ...options }: TodosOptions = {},
  names: readonly FixtureName[] = [],
): Served {
  const server = useServer(options);
  let fixtures: Fixtures;
  beforeAll(async () => {
    fixtures = await makeFixtures(server(), names);
  });
  const proxy = useFaultyProxy(() => server().url);
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const client of open.splice(0)) await client.close();
  });
  return {
    server,
    proxy,
    fixtures: () => fixtures,
    async connect<Options extends Partial<ConnectOptions>>(more?: Options) {
      const { token } = fixtures.u1;
      const options: ConnectOptions = { url: proxy().url, token, ...over, ...more };
      const client = await connect(todos, options);
      open.push(client);
      return client as ClientOf<TodosProject, Options>;
    },
  };
}

/** Returns a store with a write that the server hasn't got. */
export async function fillStore(served: Served): Promise<CacheStore> {
  const store = memory();
  const jmap = await served.connect({ store });
  await jmap.sync.settled();
  served.proxy().decide(() => 'drop');
  expect(await jmap.account().Todo.create({ text: 'unsent' }).saved).toBe(true);
  await jmap.close();
  served.proxy().decide(() => 'pass');
  return store;
}
