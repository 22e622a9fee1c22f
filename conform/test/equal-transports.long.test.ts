import { afterAll, describe, expect, it } from 'vitest';
import { describedWorld } from '../../test/conformance/descriptor.js';
import { makeFixtures } from '../../test/support/fixtures.js';
import { type RunningServer, startServer } from '../../test/support/server.js';
import { EXAMPLES, sharedProject } from '../../test/support/shared-project.js';
import { bearer } from '../src/client/credentials.js';
import { differences, TICKING, type Transcript, transcript } from './equal-transports.js';

// All checks for every type of gadget.yaml and of examples/: two fresh servers, one seed, a
// transport each.
const descriptors = ['gadget.yaml', ...EXAMPLES.map((one) => `../../examples/${one}.yaml`)];

const servers: RunningServer[] = [];
afterAll(async () => {
  for (const server of servers) await server.remove();
});

async function over(transport: 'http' | 'websocket'): Promise<Transcript> {
  const world = describedWorld(...descriptors);
  const server = await startServer({ project: await sharedProject(), env: TICKING });
  servers.push(server);
  const { u1, u2, u3 } = await makeFixtures(server);
  const users = {
    url: server.url,
    authorization: bearer(u1.token),
    others: [bearer(u2.token), bearer(u3.token)],
  };
  return await transcript(users, transport, world, [...world.keys()]);
}

describe('the checks over HTTP and over WebSocket', () => {
  it('send the same and are answered the same, for every type', async () => {
    const http = await over('http');
    const socket = await over('websocket');
    expect([...socket.keys()]).toEqual([...http.keys()]);
    const different = differences(http, socket);
    expect(different.slice(0, 10), `${different.length} of ${http.size}`).toEqual([]);
    // Two runs of some 6,000 checks: four minutes at rest.
  }, 1_200_000);
});
