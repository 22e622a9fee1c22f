import { join } from 'node:path';
import { SqliteDatabase } from '../../src/database/sqlite/index.js';
import { useServer } from '../support/server.js';
import { endpointsSuite } from './endpoints-suite.js';

const server = useServer({ env: { METRICS_TOKEN: 'the-operators' } });

endpointsSuite(server, async () => {
  const database = new SqliteDatabase(join(server().dataDir, 'jmap.db'), { timeout: 5000 });
  database.prepare('UPDATE "JmapTicket" SET "expires" = ?').run(Date.now() - 1);
  database.close();
});
