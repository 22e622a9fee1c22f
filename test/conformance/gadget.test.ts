import { afterAll, beforeAll, describe } from 'vitest';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { SocketClient } from '../support/socket-client.js';
import { conformance } from './cases/all.js';
import { gadgetCapabilityCases } from './cases/gadget-capability.js';
import { describedWorld } from './descriptor.js';
import { Suite } from './suite.js';

// Types that this repository has never seen: a descriptor, `npm run generate`, and the same
// answers.
let server: RunningServer | undefined;
let made: Fixtures | undefined;
let socket: SocketClient | undefined;

beforeAll(async () => {
  server = await startServer({ project: await sharedProject() });
  made = await makeFixtures(server);
  socket = await SocketClient.open(made.u1);
}, 600_000);

afterAll(async () => {
  socket?.close();
  await server?.remove();
});

const fixtures = (): Fixtures => {
  if (made === undefined) throw new Error('Fixtures are there inside tests only.');
  return made;
};
const overSocket = (): Fixtures => {
  if (socket === undefined) throw new Error('The socket is there inside tests only.');
  const { A1, A2, AR, AN, AT, AX, unknownAccount, u2, u3 } = fixtures();
  return { A1, A2, AR, AN, AT, AX, unknownAccount, u1: socket, u2, u3 };
};

// A rich type by its descriptor over HTTP, a plain one over WebSocket. All types with the whole
// suite over both, on both databases, are in the long tier (matrix.long.test.ts).
const world = describedWorld('gadget.yaml');
conformance(new Suite(world, 'Gadget', fixtures), { protocol: false });

gadgetCapabilityCases(new Suite(world, 'Gadget', fixtures));

describe('RFC 8887: over WebSocket', () => conformance(new Suite(world, 'Single', overSocket)));
