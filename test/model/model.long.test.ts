import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { usePostgresql } from '../support/postgresql.js';
import { type RunningServer, startServer } from '../support/server.js';
import { sharedProject } from '../support/shared-project.js';
import { SocketClient } from '../support/socket-client.js';
import { roundsAgree, sequencesAgree } from './sequences.js';
import { SUBJECTS, USING } from './worlds.js';

// Both databases, both transports, all types; MODEL_RUNS says how many sequences each.
const postgresql = usePostgresql();
const runs = Number(process.env['MODEL_RUNS'] ?? 100);

for (const database of ['SQLite', 'PostgreSQL']) {
  describe(`random sequences answer as a model does, on ${database}`, () => {
    let server: RunningServer | undefined;
    let made: Fixtures | undefined;
    let socket: SocketClient | undefined;

    beforeAll(async () => {
      const env =
        database === 'SQLite' ? {} : { DATABASE_URL: await postgresql().createDatabase('model') };
      server = await startServer({ project: await sharedProject(), env });
      made = await makeFixtures(server, ['A2']);
      socket = await SocketClient.open(made.u1.with(USING));
    });

    afterAll(async () => {
      socket?.close();
      await server?.remove();
    });

    for (const [name, types] of SUBJECTS) {
      for (const transport of ['HTTP', 'WebSocket']) {
        it(`${name}, over ${transport}`, async () => {
          if (made === undefined || socket === undefined) throw new Error('There is no server.');
          const client: Client = transport === 'HTTP' ? made.u1.with(USING) : socket;
          const counts = { runs, steps: 60 };
          const requests = await sequencesAgree(client, types, [made.A1, made.A2], counts);
          process.stdout.write(`${database}, ${transport}, ${name}: ${requests} requests\n`);
          expect(requests).toBeGreaterThan(runs);
        });
      }

      it(`${name}, two clients over HTTP and two over WebSocket at once`, async () => {
        if (made === undefined || socket === undefined) throw new Error('There is no server.');
        const http = made.u1.with(USING);
        const talkers = [http, socket, http, socket];
        const calls = await roundsAgree(talkers, types, [made.A1, made.A2], { runs, steps: 20 });
        process.stdout.write(`${database}, four clients, ${name}: ${calls} calls\n`);
        expect(calls).toBeGreaterThan(runs);
      });
    }
  });
}
