import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { startHarness, until } from '../http/harness.js';
import { type Client, open, request } from './websocket-client.js';

const SOCKETS = 32;
const ROUNDS = 1000;
const MB = 1_000_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function enableAndDisable(client: Client, rounds: number): Promise<void> {
  for (let n = 0; n < rounds; n += 1) {
    client.send({ '@type': 'WebSocketPushEnable', dataTypes: n % 2 === 0 ? null : ['Todo'] });
    client.send({ '@type': 'WebSocketPushDisable' });
    // The server takes a limited number of messages at once.
    client.send(request(`r${n}`));
    await until(() => client.messages.some(({ requestId }) => requestId === `r${n}`));
    client.messages.length = 0;
  }
}

it('RFC 8887 4.3.5: sockets that enable and disable a thousand times grow by nothing', async () => {
  const harness = await startHarness();
  const clients = await Promise.all(Array.from({ length: SOCKETS }, () => open(harness)));
  const settle = async (rounds: number): Promise<number> => {
    await Promise.all(clients.map((client) => enableAndDisable(client, rounds)));
    harness.store.stateReads.length = 0;
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await settle(50);
  // A hundred octets for each would be 3 MB.
  expect((await settle(ROUNDS)) - before).toBeLessThan(3 * MB);
  await harness.compare();
  expect(harness.store.stateReads).toEqual([]);
  for (const { socket } of clients) socket.terminate();
});
