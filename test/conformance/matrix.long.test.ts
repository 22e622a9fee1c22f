import { afterAll, beforeAll, describe } from 'vitest';
import type { Client } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { EXAMPLES, sharedProject } from '../support/shared-project.js';
import { SocketClient } from '../support/socket-client.js';
import { conformance } from './cases/all.js';
import { describedWorld } from './descriptor.js';
import { Suite } from './suite.js';

// All of the suite: Todo, Note, every type of gadget.yaml and of examples/, on both databases, by
// both transports.
const postgresql = usePostgresql();
const own = ['todos', 'notes'].map((one) => `../../capabilities/${one}.yaml`);
const descriptors = [...own, 'gadget.yaml', ...EXAMPLES.map((one) => `../../examples/${one}.yaml`)];

for (const database of ['SQLite', 'PostgreSQL']) {
  for (const transport of ['HTTP', 'WebSocket']) {
    describe(`${database}, ${transport}`, () => {
      // Of its own: the values that must differ on one server would not be enough for all four.
      const world = describedWorld(...descriptors);
      let server: RunningServer | undefined;
      let made: Fixtures | undefined;
      let u1: Client | undefined;

      beforeAll(async () => {
        const name = `matrix_${transport.toLowerCase()}`;
        const env =
          database === 'SQLite' ? {} : { DATABASE_URL: await postgresql().createDatabase(name) };
        server = await startServer({ project: await sharedProject(), env });
        made = await makeFixtures(server);
        u1 = transport === 'HTTP' ? made.u1 : await SocketClient.open(made.u1);
      }, 300_000);

      afterAll(async () => {
        if (u1 instanceof SocketClient) u1.close();
        await server?.remove();
      });

      const fixtures = (): Fixtures => {
        if (made === undefined || u1 === undefined)
          throw new Error('Fixtures are there inside tests only.');
        const { A1, A2, AR, AN, AT, AX, unknownAccount, u2, u3 } = made;
        return { A1, A2, AR, AN, AT, AX, unknownAccount, u1, u2, u3 };
      };
      for (const name of world.keys()) conformance(new Suite(world, name, fixtures));
    });
  }
}
