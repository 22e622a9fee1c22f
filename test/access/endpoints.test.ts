import { join } from 'node:path';
import Database from 'better-sqlite3';
import { useServer } from '../support/server.js';
import { endpointsSuite } from './endpoints-suite.js';

const server = useServer({ env: { METRICS_TOKEN: 'the-operators' } });

endpointsSuite(server, async () => {
  const database = new Database(join(server().dataDir, 'jmap.db'), { timeout: 5000 });
  database.prepare('UPDATE "JmapTicket" SET "expires" = ?').run(Date.now() - 1);
  database.close();
});
